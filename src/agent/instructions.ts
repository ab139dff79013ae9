/** The instructions of a run: the agent's own, then those of files, then the skills that the model can load. The same texts each time. */

import type { State } from '../kernel/types.ts';
import type { Templates } from '../protocols/templates.ts';
import { catalogueOf } from './catalogue.ts';
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
  const fromFiles = files.length > 0 && templates.fill('instruction-files', language, { files: files.map(block).join('\n\n') });
  const named = { files: Object.fromEntries(files.map(({ path, hash }) => [path, hash])) };
  if (instructions === undefined && before !== undefined) {
    const { instructions: text } = before;
    return { text, templates: ['instructions'], ...(fromFiles && text.includes(fromFiles) ? named : {}) };
  }
  const texts = [instructions ?? templates.get('instructions', language).text];
  const used = ['instructions'];
  if (fromFiles) {
    texts.push(fromFiles);
    used.push('instruction-files');
  }
  if (skills.length > 0) {
    texts.push(templates.fill('skills', language, { skills: catalogueOf(skills) }));
    used.push('skills');
  }
  return { text: texts.join('\n\n'), templates: used, ...(fromFiles ? named : {}) };
}

function block({ path, text, bytes, kept }: InstructionFile): string {
  const cut = kept === undefined ? '' : ` cut="${kept} of ${bytes} bytes"`;
  return `<file path="${path}"${cut}>\n${text}${text === '' ? '' : '\n'}</file>`;
}
