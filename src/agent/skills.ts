/** The configured skills as a source of tools and instructions: where they are looked for, and how they join the tools. */

import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { besideCode, ofPackage } from '../package.ts';
import type { Skills } from '../skills/scan.ts';
import type { SkillDiagnostic, SkillPlace } from '../skills/types.ts';
import { hashOf, type Tool } from '../tools/define.ts';
import type { Scanned } from '../tools/scan.ts';
import type { Config } from './config.ts';
import { libraryAddress } from './library.ts';
import { FOREIGN_FOLDERS } from './project-chain.ts';
import { trustedFolders } from './trust.ts';

export interface LoadedSkills {
  /** Those of skill.yaml, and `load_skill` where there are instructions to load. */
  tools: readonly Tool[];
  /** For the option of this name: what stands in the instructions. */
  skills: readonly { name: string; description: string }[];
  diagnostics: readonly SkillDiagnostic[];
}

/** What the user has added and agreed to. */
export function pinsFile({ userFolder }: Pick<Config, 'userFolder'>): string {
  return join(userFolder, 'skills.json');
}

/** Where `hermes skills add --user` puts them. */
export function userSkills({ userFolder }: Pick<Config, 'userFolder'>): string {
  return join(userFolder, 'skills');
}

/** The part is loaded when there is a folder of skills. */
export async function openSkills(config: Config): Promise<Skills> {
  const home = config.env.HOME || homedir();
  const cache = config.env.XDG_CACHE_HOME || join(home, '.cache');
  const places = (await placesOf(config, home)).filter(({ path }) => existsSync(path));
  if (places.length === 0) return { tools: [], texts: [], files: new Map(), bundled: new Set(), found: [], diagnostics: [], hints: [] };
  const { scanSkills } = await import('../skills/scan.ts');
  const skills = await scanSkills(places, {
    disabled: config.values.skills.disabled,
    library: libraryAddress(),
    // Of the user's own: what a folder holds must not say how the program's skills are to be read.
    cacheFile: join(cache, 'hermes', 'skills', `${hashOf(config.root)}.json`),
    pinsFile: pinsFile(config),
  });
  return withLoader(skills);
}

/** Where there are instructions to load, the tool that does. */
async function withLoader(skills: Skills): Promise<Skills> {
  if (skills.texts.length === 0) return skills;
  const { loadSkillTool } = await import('../skills/load-skill.ts');
  return { ...skills, tools: [...skills.tools, loadSkillTool(skills.texts)] };
}

/** Project before user before the program's own. */
async function placesOf(config: Config, home: string): Promise<SkillPlace[]> {
  const places: SkillPlace[] = projectSkills(config).map((path) => ({ path, origin: 'project' }));
  for (const folder of [...(await trustedFolders(config))].reverse()) {
    for (const inside of FOREIGN_FOLDERS) places.push({ path: join(folder, inside), origin: 'project', textsOnly: true });
  }
  places.push({ path: userSkills(config), origin: 'user' });
  for (const inside of FOREIGN_FOLDERS) places.push({ path: join(home, inside), origin: 'user', textsOnly: true });
  return [...places, bundledPlace()];
}

/** Of folders that a program names itself: what openSkills of the library gives. The caller's word is their trust. */
export async function skillsIn(directories: readonly string[], options: { disabled?: readonly string[] } = {}): Promise<LoadedSkills> {
  const places = directories.map((path): SkillPlace => ({ path: resolve(path), origin: 'project' }));
  const { scanSkills } = await import('../skills/scan.ts');
  const { tools, texts, diagnostics } = await withLoader(await scanSkills(places, { ...options, library: libraryAddress() }));
  return { tools, skills: texts, diagnostics };
}

/** Names of the built-in tools, which leave the field to skills of theirs. */
export function builtInNames(): string[] {
  return readdirSync(besideCode('tools')).map((name) => name.replace(/\.\w+$/, ''));
}

/** Without trust only what the user named for all folders counts. */
export function projectSkills({ values, sources, root, trust }: Config): string[] {
  const { directories } = values.skills;
  const isNamed = sources['skills.directories']?.origin === 'project';
  const counted = trust.state === 'trusted' ? directories : isNamed ? [] : directories.filter((path) => isAbsolute(path));
  return counted.map((path) => resolve(root, path)).filter((path) => path !== bundledPlace().path);
}

/** In a checkout code and skill.yaml lie together; in the package the code is compiled. */
function bundledPlace(): SkillPlace {
  const [path, code] = [ofPackage('skills'), besideCode('skills')];
  return path === code ? { path, origin: 'bundled' } : { path, origin: 'bundled', code };
}

/**
 * Skills beside the tools. A built-in tool leaves the field to a skill of its name; a tool file of the user's own does not, and the
 * skill is reported.
 */
export function withSkills(scanned: Scanned, skills: Skills, disabled: readonly string[]): Scanned {
  const isOwnFile = (name: string) => scanned.files.has(name);
  const wanted = skills.tools.filter(({ info }) => !disabled.includes(info.name));
  const used = new Map(wanted.filter(({ info }) => !isOwnFile(info.name)).map((tool) => [tool.info.name, tool]));
  const builtIn = new Set(scanned.tools.map(({ info }) => info.name));
  const taken = wanted
    .filter(({ info }) => isOwnFile(info.name))
    .map(({ info: { name } }) => {
      const message = `${name} is already defined by ${scanned.files.get(name)}; rename one of them`;
      return { file: skills.files.get(name) ?? name, code: 'duplicate_tool', message };
    });
  const files = [...skills.files].filter(([name]) => used.has(name) && !skills.bundled.has(name));
  return {
    tools: [
      ...scanned.tools.map((tool) => used.get(tool.info.name) ?? tool),
      ...[...used.values()].filter(({ info }) => !builtIn.has(info.name)),
    ],
    diagnostics: [...scanned.diagnostics, ...skills.diagnostics, ...taken],
    hints: [...scanned.hints, ...skills.hints.filter(({ code }) => code === 'no_level' || code === 'shadowed')],
    files: new Map([...scanned.files, ...files]),
  };
}

/** Folders of instructions outside the workspace, whose scripts the shell tool's sandbox has to see. */
export function skillFoldersOutside(skills: Skills, root: string): string[] {
  return skills.texts.map(({ folder }) => folder).filter((folder) => !folder.startsWith(join(root, '/')));
}
