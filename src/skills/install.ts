/** Adding skills from elsewhere: a plan, which is shown and agreed to, then the files, and the hash of what was agreed to. */

import { mkdir, mkdtemp, realpath, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { HermesError } from '../kernel/errors.ts';
import type { Level } from '../kernel/types.ts';
import { hashOfFiles, type SkillFile, writeFiles } from './files.ts';
import { contentOf, readPins, writePin } from './pins.ts';
import { type FoundSkill, type Skills, scanSkills } from './scan.ts';
import { type Fetched, fetchSource, plainPath, type RunProgram } from './sources.ts';

export interface PlannedSkill {
  /** Of its folder. */
  name: string;
  target: string;
  files: { path: string; bytes: number }[];
  bytes: number;
  hash: string;
  /** Tools that it adds; none = instructions only. */
  tools: { name: string; level: Level; description: string; acts?: string }[];
  /** Instructions that a model can load. */
  texts: { name: string; description: string }[];
  hints: string[];
}
export interface AddPlan {
  source: string;
  commit?: string;
  skills: PlannedSkill[];
  /** Does what was shown. */
  carryOut(): Promise<void>;
}
export interface AddOptions {
  /** See fetchSource. */
  source: string;
  /** Folder within the source; default: wherever skills are. */
  path?: string;
  /** Folder that the skills' folders are put in. */
  into: string;
  pinsFile: string;
  cwd: string;
  run: RunProgram;
}

/** Folders deep that skills are looked for. */
const DEPTH = 4;

/** Reads everything and changes nothing. Throws a HermesError that says why it is refused. */
export async function planAdd(options: AddOptions): Promise<AddPlan> {
  const fetched = await fetchSource(options.source, options);
  const parts = skillsIn(within(fetched, options.path));
  if (parts.length === 0) {
    throw new HermesError('no_skill', `there is no skill in ${options.source}: expected a folder with skill.yaml or SKILL.md`, {
      kind: 'usage',
      next: options.path === undefined ? 'name the folder within it with --path' : 'check --path',
    });
  }
  await readPins(options.pinsFile); // one that is broken is told before anything is asked
  const scratch = await mkdtemp(join(tmpdir(), 'hermes-skill-'));
  try {
    const planned: (PlannedSkill & { content: SkillFile[] })[] = [];
    for (const part of parts) planned.push(await plan(part, scratch, options.into));
    const { source, pinsFile } = options;
    const commit = fetched.commit === undefined ? {} : { commit: fetched.commit };
    const carryOut = async () => {
      for (const { target, content } of planned) {
        await place(target, content);
        // Read again: a file system may keep names and rights in its own way.
        await writePin(pinsFile, await realpath(target), {
          source,
          ...commit,
          ...(await contentOf(target)),
          since: new Date().toISOString(),
        });
      }
    };
    return { source, ...commit, skills: planned.map(({ content: _, ...skill }) => skill), carryOut };
  } finally {
    await rm(scratch, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Removes a skill's folder and what was agreed to about it. */
export async function removeSkill(folder: string, pinsFile: string): Promise<void> {
  const real = await realpath(folder);
  await rm(real, { recursive: true, force: true, maxRetries: 3 });
  if ((await readPins(pinsFile))[real]) await writePin(pinsFile, real, undefined);
}

/** What the folder holds now counts as agreed to. */
export async function acceptSkill(folder: string, pinsFile: string): Promise<void> {
  const real = await realpath(folder);
  const pin = (await readPins(pinsFile))[real];
  if (!pin) return;
  await writePin(pinsFile, real, { ...pin, ...(await contentOf(real)), since: new Date().toISOString() });
}

// ---- the plan --------------------------------------------------------------------------------------------

interface Part {
  name: string;
  /** It is all that the source holds: its folder's name says nothing. */
  isWhole?: boolean;
  files: SkillFile[];
}

function within({ files, name }: Fetched, path: string | undefined): Part {
  const folder = plainPath(path);
  if (folder === '') return { name, files, isWhole: true };
  const inside = files.filter((file) => file.path.startsWith(`${folder}/`));
  return { name: basename(folder), files: inside.map((file) => ({ ...file, path: file.path.slice(folder.length + 1) })) };
}

/** The whole as one skill, when it is one; else each folder in it that is. */
function skillsIn(whole: Part): Part[] {
  const { files } = whole;
  const folders = files
    .filter(({ path }) => /^(?:skill\.ya?ml|skill\.md)$/i.test(basename(path)))
    .map(({ path }) => (path.includes('/') ? dirname(path) : ''));
  if (folders.includes('')) return [whole];
  const outer = [...new Set(folders)].filter((folder) => !folders.some((other) => folder.startsWith(`${other}/`)));
  return outer
    .filter((folder) => folder.split('/').length <= DEPTH && !folder.split('/').some((part) => /^_|^node_modules$/.test(part)))
    .sort()
    .map((folder) => ({
      name: basename(folder),
      files: files
        .filter(({ path }) => path.startsWith(`${folder}/`))
        .map((file) => ({ ...file, path: file.path.slice(folder.length + 1) })),
    }));
}

/** Reads the skill as it will be read where it is put. One that is the whole source has no folder yet: it gets its own name. */
async function plan(part: Part, scratch: string, into: string): Promise<PlannedSkill & { content: SkillFile[] }> {
  let name = folderName(part.name);
  let scanned = await scanIn(scratch, name, part.files);
  const own = scanned.texts[0]?.name ?? scanned.tools[0]?.info.name;
  if (part.isWhole && own !== undefined && own !== name) {
    name = folderName(own);
    scanned = await scanIn(scratch, name, part.files);
  }
  const target = join(into, name);
  if (await stat(target).catch(() => undefined)) {
    const next = `remove it first: hermes skills remove ${name}`;
    throw new HermesError('skill_exists', `${target} is there already`, { kind: 'usage', next });
  }
  return {
    name,
    target,
    files: part.files.map(({ path, data }) => ({ path, bytes: data.length })),
    bytes: part.files.reduce((sum, { data }) => sum + data.length, 0),
    hash: hashOfFiles(part.files),
    tools: scanned.tools.map(({ info: { name: tool, level, description } }) => {
      const { acts } = scanned.found.find((one) => one.kind === 'tool' && one.name === tool) ?? {};
      return { name: tool, level, description, ...(acts ? { acts } : {}) };
    }),
    texts: scanned.texts.map((text) => ({ name: text.name, description: text.description })),
    hints: scanned.hints.map(({ message }) => message),
    content: part.files,
  };
}

async function scanIn(scratch: string, name: string, files: readonly SkillFile[]): Promise<Skills> {
  const place = await mkdtemp(join(scratch, 'look-'));
  await writeFiles(join(place, name), files);
  const scanned = await scanSkills([{ path: place, origin: 'project' }]);
  const [problem] = scanned.diagnostics;
  if (!problem) return scanned;
  const line = problem.line === undefined ? '' : `:${problem.line}`;
  throw refused(name, `${basename(problem.file)}${line}: ${problem.message}`);
}

function folderName(given: string): string {
  const name = given.normalize('NFC');
  if (/^[\p{L}\p{N}][\p{L}\p{N}\p{M}._ -]{0,99}$/u.test(name)) return name;
  throw refused(given, 'its folder needs a name that begins with a letter or digit and does not begin with _ or .');
}

/** Whole or not at all. */
async function place(target: string, files: readonly SkillFile[]): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  const half = join(dirname(target), `.adding-${process.pid}-${Date.now()}`);
  try {
    await writeFiles(half, files);
    await rename(half, target);
  } catch (error) {
    await rm(half, { recursive: true, force: true });
    throw new HermesError('skill_unwritable', `${target} cannot be written: ${(error as Error).message}`, { kind: 'usage', cause: error });
  }
}

function refused(name: string, why: string): HermesError {
  return new HermesError('skill_refused', `the skill ${name} is refused: ${why}`, {
    kind: 'usage',
    next: 'tell its author; nothing was added',
  });
}

/** Skills by the name of their folder or their own. */
export function namedSkills(found: readonly FoundSkill[], name: string): FoundSkill[] {
  return found.filter((one) => one.name === name || basename(one.folder) === name);
}
