/** Prompts are files: templates/NAME.LANGUAGE.md with {{variables}}. Read once, whitespace-normalised, named by hash in run.start. */

import { join } from 'node:path';
import { HermesError } from '../kernel/errors.ts';
import { ofPackage } from '../package.ts';

// Not imported: as an ES module node:fs costs 7 ms at start.
const { existsSync, readFileSync } = process.getBuiltinModule('node:fs');

export interface Template {
  name: string;
  text: string;
}

/** The one template that always comes from the program itself. */
export const SECURITY = 'security';

/** A folder's templates. A file in `directory` replaces the one of the same name that the program ships. */
export class Templates {
  readonly #directories: string[];
  readonly #loaded = new Map<string, Template>();

  constructor(directory?: string) {
    this.#directories = directory === undefined ? [ofPackage('templates')] : [directory, ofPackage('templates')];
  }

  get(name: string, language: 'zh' | 'en'): Template {
    const key = `${name}.${language}`;
    const known = this.#loaded.get(key);
    if (known) return known;
    const directories = name === SECURITY ? this.#directories.slice(-1) : this.#directories;
    const file = directories.map((directory) => join(directory, `${key}.md`)).find((one) => existsSync(one));
    if (!file) {
      throw new HermesError('template_missing', `template ${key}.md was not found in ${this.#directories.join(' or ')}`, {
        kind: 'usage',
        next: `add ${join(this.#directories[0]!, `${key}.md`)}, or remove your templates directory to use the shipped one`,
      });
    }
    const text = normalise(readFileSync(file, 'utf8'));
    const template = { name: key, text };
    this.#loaded.set(key, template);
    return template;
  }

  /** The text with its variables filled in. A variable that the template wants and nobody gives is an error, and so is the reverse. */
  fill(name: string, language: 'zh' | 'en', variables: Readonly<Record<string, string>>): string {
    const { text, name: file } = this.get(name, language);
    const used = new Set<string>();
    const filled = text.replace(/\{\{(\w+)\}\}/g, (_, variable: string) => {
      const value = variables[variable];
      if (value === undefined) {
        throw new HermesError('template_variable', `template ${file}.md uses {{${variable}}}, which is not given`, {
          kind: 'usage',
          next: `use only ${Object.keys(variables)
            .map((known) => `{{${known}}}`)
            .join(', ')} in this template`,
        });
      }
      used.add(variable);
      return value;
    });
    const unused = Object.keys(variables).find((variable) => !used.has(variable));
    if (unused === undefined) return filled;
    throw new HermesError('template_variable', `template ${file}.md does not use {{${unused}}}`, {
      kind: 'usage',
      next: `add {{${unused}}} to ${file}.md`,
    });
  }

  /** File name -> first 16 hex digits of the sha256 of its normalised text. */
  hashes(names: readonly string[], language: 'zh' | 'en'): Record<string, string> {
    const { hash } = process.getBuiltinModule('node:crypto');
    return Object.fromEntries(
      names.map((one) => {
        const { name, text } = this.get(one, language);
        return [name, hash('sha256', text).slice(0, 16)];
      }),
    );
  }
}

function normalise(text: string): string {
  return text
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
