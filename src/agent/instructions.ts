/** The instructions of a run: the agent's own, then those of files, then the skills that the model can load. The same texts each time. */

import type { State } from '../kernel/types.ts';
import type { Templates } from '../protocols/templates.ts';
import { catalogueOf } from '../skills/load-skill.ts';
import type { InstructionFile } from './instruction-files.ts';
import type { AgentOptions } from './types.ts';

export interface Instructions {
  text: string;
  /** Templates that it is made of. */
  templates: string[];
  /** Path -> hash. */
  files?: Record<string, string>;
}

/** `before`: the state that a fork begins with; without instructions of its own it keeps those. */
export function instructionsOf(options: AgentOptions, templates: Templates, language: 'zh' | 'en', before?: State): Instructions {
  const { instructions, instructionFiles: files = [], skills = [] } = options;
  const parts: [template: string, text: string][] = [];
  const variables = { files: files.map(block).join('\n\n'), skills: catalogueOf(skills) };
  if (files.length > 0) parts.push(['instruction-files', templates.fill('instruction-files', language, { files: variables.files })]);
  if (skills.length > 0) parts.push(['skills', templates.fill('skills', language, { skills: variables.skills })]);
  const named = files.length > 0 ? { files: Object.fromEntries(files.map(({ path, hash }) => [path, hash])) } : {};
  if (instructions === undefined && before !== undefined) {
    const isSame = parts.every(([, text]) => before.instructions.includes(text));
    return { text: before.instructions, templates: ['instructions'], ...(isSame ? named : {}) };
  }
  const own = instructions ?? templates.get('instructions', language).text;
  return {
    text: [own, ...parts.map(([, text]) => text)].join('\n\n'),
    templates: ['instructions', ...parts.map(([name]) => name)],
    ...named,
  };
}

function block({ path, text, bytes, kept }: InstructionFile): string {
  const cut = kept === undefined ? '' : ` cut="${kept} of ${bytes} bytes"`;
  return `<file path="${path}"${cut}>\n${text}${text === '' ? '' : '\n'}</file>`;
}
