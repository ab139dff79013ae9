/** The tool that reads a skill of instructions on demand. */

import { readdir, realpath, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { HermesError, nearest } from '../kernel/errors.ts';
import { type Tool, tool } from '../tools/define.ts';
import { isWithin } from '../tools/protected.ts';
import { readText } from './files.ts';
import type { AgentSkill } from './types.ts';

/** Bytes of one resource. */
const MOST_BYTES = 1_000_000;
/** Characters of instructions that reach the model at once: those of the format have at most 500 lines. */
const MOST_CHARACTERS = 40_000;
/** Resources that are named with a skill. */
const MOST_NAMED = 100;

export function loadSkillTool(skills: readonly AgentSkill[]): Tool {
  const names = skills.map(({ name }) => name).sort();
  return tool({
    name: 'load_skill',
    description:
      'Gives the instructions of a skill from the list of skills, or a text file that belongs to it. Use it before doing what a skill is ' +
      'for, then follow it; scripts of a skill run with the tool shell.',
    level: 'read',
    idempotent: true,
    resultCharacters: MOST_CHARACTERS,
    input: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'name of the skill', minLength: 1 },
        file: { type: 'string', description: 'a file of the skill, as its instructions name it; default: the instructions', minLength: 1 },
      },
      required: ['name'],
      additionalProperties: false,
    },
    aliases: { skill: 'name', skill_name: 'name', path: 'file', resource: 'file', 技能: 'name', 文件: 'file' },
    keywords: 'skill instructions guide procedure how to 技能 说明 步骤 流程 指南',
    examples: [
      { request: `Use the skill ${names[0]}.`, arguments: { name: names[0]! } },
      { request: `看看技能 ${names[0]} 里的 references/格式.md`, arguments: { name: names[0]!, file: 'references/格式.md' } },
    ],
    async execute({ name, file }, { context }) {
      const skill = skills.find((one) => one.name === name);
      if (!skill) throw unknownSkill(name, names);
      return file === undefined ? instructionsOf(skill, context.workspace) : resourceOf(skill, file);
    },
  });
}

async function instructionsOf({ name, folder, file }: AgentSkill, workspace: string): Promise<string> {
  const { parseSkill } = await import('./agent-skill.ts');
  const { body } = await parseSkill(await readText(file, MOST_BYTES), folder);
  const root = await realpath(workspace);
  const place = isWithin(root, folder) ? relative(root, folder) || '.' : folder;
  const files = (await filesOf(folder)).filter((path) => join(folder, path) !== file);
  const told = files.length > MOST_NAMED ? [...files.slice(0, MOST_NAMED), `… +${files.length - MOST_NAMED}`] : files;
  return `skill: ${name}\nfolder: ${place}\n${told.length > 0 ? `files: ${told.join(', ')}\n` : ''}\n${body}`;
}

async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => !/(?:^|\/)(?:\.git|node_modules|__pycache__)\//.test(path))
    .sort();
}

async function resourceOf({ name, folder }: AgentSkill, file: string): Promise<string> {
  const wanted = await realpath(join(folder, file)).catch(() => undefined);
  if (wanted === undefined || !isWithin(folder, wanted) || !(await stat(wanted)).isFile()) {
    throw new HermesError('not_found', `the skill ${name} has no file ${file}`, {
      kind: 'tool',
      next: `its files are ${(await filesOf(folder)).slice(0, MOST_NAMED).join(', ')}`,
    });
  }
  try {
    return await readText(wanted, MOST_BYTES);
  } catch (cause) {
    const { message } = cause as Error;
    throw new HermesError('no_text', `${file}: ${message}`, { kind: 'tool', next: 'use it by its path, with the tool shell', cause });
  }
}

function unknownSkill(name: string, names: readonly string[]): HermesError {
  const near = nearest(name, names);
  return new HermesError('unknown_skill', `there is no skill "${name}"${near ? `; did you mean ${near}?` : ''}`, {
    kind: 'tool',
    next: `there are ${names.join(', ')}`,
  });
}
