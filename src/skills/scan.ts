/**
 * The scan of folders for skills: skill.yaml makes a tool, SKILL.md instructions that a model loads. Nothing of them runs here. One bad
 * skill becomes a diagnostic and never stops the others; what was added and has changed since is left out until its user agrees.
 */

import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { errorData, HermesError } from '../kernel/errors.ts';
import { moduleFile } from '../package.ts';
import { type ContentCache, createContentCache } from '../tools/content-cache.ts';
import type { Tool } from '../tools/define.ts';
import type { WorkerPool } from '../tools/pool.ts';
import { isWithin } from '../tools/protected.ts';
import { readText } from './files.ts';
import { changeOf, type Pins, readPins } from './pins.ts';
import { readSkillTool } from './skill-tool.ts';
import type { AgentSkill, Entry, Manifest, SkillDiagnostic, SkillPlace } from './types.ts';

/** Folders within folders that are looked into, and folders in all. */
const DEPTH = 4;
const MOST_FOLDERS = 2_000;
/** Bytes of a SKILL.md. */
const MOST_TEXT = 1_000_000;

export interface ScanSkillsOptions {
  /** Names of skills or of their folders. */
  disabled?: readonly string[];
  /** Address of the module that `hermes-agent` stands for in their code; default: one that has `tool` only. */
  library?: string;
  /** File that keeps what was read; default: nothing is kept. */
  cacheFile?: string;
  /** File of what was added and agreed to; default: none. */
  pinsFile?: string;
}
export interface FoundSkill {
  name: string;
  kind: 'tool' | 'text';
  folder: string;
  file: string;
  origin: SkillPlace['origin'];
  state: 'used' | 'disabled' | 'shadowed' | 'changed' | 'bad';
  description: string;
  /** Of a tool: what its code does besides computing. */
  acts?: string;
  /** Where it was added from. */
  source?: string;
}
export interface Skills {
  tools: Tool[];
  texts: AgentSkill[];
  /** Name of a tool -> its skill.yaml. */
  files: ReadonlyMap<string, string>;
  /** Names of the tools that the program ships. */
  bundled: ReadonlySet<string>;
  found: FoundSkill[];
  /** What could not be used. */
  diagnostics: SkillDiagnostic[];
  /** What works, and should be known: a name that stands twice, what the specification does not allow. */
  hints: SkillDiagnostic[];
}
/** What one file gave, before it is known whether its name is free. */
interface Read {
  name: string;
  description: string;
  acts?: string;
  hints: SkillDiagnostic[];
  keep(): void;
}

export async function scanSkills(places: readonly SkillPlace[], options: ScanSkillsOptions = {}): Promise<Skills> {
  const scan = new SkillScan(options, options.pinsFile === undefined ? {} : await readPins(options.pinsFile));
  for (const place of places) await scan.look(place);
  return scan.end();
}

class SkillScan {
  readonly #files = new Map<string, string>();
  readonly #bundled = new Set<string>();
  readonly #skills: Skills = { tools: [], texts: [], files: this.#files, bundled: this.#bundled, found: [], diagnostics: [], hints: [] };
  readonly #disabled: readonly string[];
  readonly #library: string;
  readonly #pins: Pins;
  readonly #cache: ContentCache<Manifest | Entry>;
  /** Real paths of folders that have been looked at. */
  readonly #seen = new Set<string>();
  /** Kind and name -> the file that has it. */
  readonly #names = new Map<string, string>();
  #pool: Promise<WorkerPool> | undefined;

  constructor({ disabled = [], library, cacheFile }: ScanSkillsOptions, pins: Pins) {
    this.#disabled = disabled;
    this.#library = library ?? pathToFileURL(moduleFile('tools/define')).href;
    this.#pins = pins;
    this.#cache = createContentCache({ file: cacheFile, reader: dirname(moduleFile('skills/scan')) });
  }

  async look(place: SkillPlace): Promise<void> {
    for (const folder of await skillFolders(place, this.#skills.hints)) {
      if (this.#seen.has(folder)) continue;
      this.#seen.add(folder);
      for (const [kind, file] of await manifestsIn(folder, place)) await this.#take(kind, file, folder, place);
    }
  }

  end(): Skills {
    this.#cache.save();
    return this.#skills;
  }

  async #take(kind: FoundSkill['kind'], file: string, folder: string, place: SkillPlace): Promise<void> {
    const { found: all, diagnostics } = this.#skills;
    const name = basename(folder);
    const source = this.#pins[folder]?.source;
    const base = { name, kind, folder, file, origin: place.origin, description: '', ...(source ? { source } : {}) };
    if (this.#disabled.includes(name)) return void all.push({ ...base, state: 'disabled' });
    const change = await changeOf(folder, this.#pins);
    if (change !== undefined) {
      const message = `${change}: not used until \`hermes skills check ${name} --accept\``;
      diagnostics.push({ file, code: 'skill_changed', message });
      return void all.push({ ...base, state: 'changed' });
    }
    try {
      if (!isWithin(folder, await realpath(file)))
        throw new HermesError('bad_skill', 'it is a link that leads out of its folder', { kind: 'usage' });
      const read = await (kind === 'tool' ? this.#readTool(file, folder, place) : this.#readText(file, folder, place));
      const { name: own, description, acts } = read;
      all.push({ ...base, name: own, description, ...(acts ? { acts } : {}), state: this.#settle(kind, file, read) });
    } catch (error) {
      const { code, message } = errorData(error, 'unreadable');
      const line = error instanceof HermesError ? error.data.line : undefined;
      diagnostics.push({ file, code, message, ...(typeof line === 'number' ? { line } : {}) });
      all.push({ ...base, state: 'bad' });
    }
  }

  /** The first of a name is used. */
  #settle(kind: FoundSkill['kind'], file: string, { name, hints, keep }: Read): FoundSkill['state'] {
    if (this.#disabled.includes(name)) return 'disabled';
    const other = this.#names.get(`${kind} ${name}`);
    if (other !== undefined) {
      this.#skills.hints.push({ file, code: 'shadowed', message: `${name} is not used: ${other} has the same name and comes first` });
      return 'shadowed';
    }
    this.#names.set(`${kind} ${name}`, file);
    this.#skills.hints.push(...hints);
    keep();
    return 'used';
  }

  async #readTool(file: string, folder: string, place: SkillPlace): Promise<Read> {
    const isOwn = place.origin === 'bundled';
    const code = place.code === undefined ? {} : { code: join(place.code, basename(folder)) };
    const threads = {
      pool: () => this.#threads(),
      close: async () => (await this.#pool)?.close(),
      renew: () => void this.#pool?.then((pool) => pool.renew()),
    };
    const { tool, acts, hint } = await readSkillTool(file, { cache: this.#cache, ...code, ...(isOwn ? {} : { threads }) });
    const { name, description } = tool.info;
    const keep = () => {
      this.#skills.tools.push(tool);
      this.#files.set(name, file);
      if (isOwn) this.#bundled.add(name);
    };
    const hints = hint === undefined ? [] : [{ file, code: 'no_level', message: `${name}: ${hint}` }];
    return { name, description, ...(acts ? { acts } : {}), hints, keep };
  }

  async #readText(file: string, folder: string, { origin }: SkillPlace): Promise<Read> {
    const { parseSkill } = await import('./agent-skill.ts');
    const { name, description, deviations } = await parseSkill(await readText(file, MOST_TEXT), folder);
    const keep = () => void this.#skills.texts.push({ name, description, folder, file, origin });
    return { name, description, hints: deviations.map((message) => ({ file, code: 'deviation', message })), keep };
  }

  /** Made for the first call of a skill. */
  #threads(): Promise<WorkerPool> {
    this.#pool ??= import('../tools/pool.ts').then(({ WorkerPool }) => new WorkerPool(this.#library));
    return this.#pool;
  }
}

/** Real paths. A folder with a skill is not looked into any further; one whose name begins with _ or . is switched off. */
async function skillFolders({ path, origin, textsOnly }: SkillPlace, hints: SkillDiagnostic[]): Promise<string[]> {
  const found: string[] = [];
  let count = 0;
  async function look(folder: string, depth: number): Promise<void> {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (/^[_.]/.test(entry.name) || entry.name === 'node_modules' || ++count > MOST_FOLDERS) continue;
      const inside = join(folder, entry.name);
      const isLink = entry.isSymbolicLink() && (await stat(inside).catch(() => undefined))?.isDirectory() === true;
      if (isLink && origin !== 'user') hints.push({ file: inside, code: 'is_link', message: 'links in a project are not followed' });
      else if (entry.isDirectory() || isLink) {
        const real = await realpath(inside);
        if ((await manifestsIn(real, { textsOnly })).length > 0) found.push(real);
        else if (depth < DEPTH) await look(real, depth + 1);
      }
    }
  }
  await look(path, 1);
  return found;
}

/** What makes the folder a skill; none = it is no skill. */
export async function manifestsIn(
  folder: string,
  { textsOnly = false }: { textsOnly?: boolean | undefined },
): Promise<['tool' | 'text', file: string][]> {
  const names = await readdir(folder).catch(() => []);
  const tool = textsOnly ? undefined : names.find((name) => name === 'skill.yaml' || name === 'skill.yml');
  const text = names.find((name) => name === 'SKILL.md') ?? names.find((name) => name === 'skill.md');
  return [
    ...(tool ? [['tool', join(folder, tool)] satisfies ['tool', string]] : []),
    ...(text ? [['text', join(folder, text)] satisfies ['text', string]] : []),
  ];
}
