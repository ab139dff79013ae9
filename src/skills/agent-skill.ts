/**
 * SKILL.md of the open Agent Skills format: front matter with name and description, then instructions. What the specification does not
 * allow is told; only a missing description and front matter that is no YAML, not even with its values quoted, make it unusable.
 */

import { basename } from 'node:path';
import { HermesError } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import { cut } from '../kernel/text.ts';
import type { Json, JsonObject } from '../kernel/types.ts';
import { readYaml } from './yaml.ts';

const KNOWN = ['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools'];
/** Characters. */
const MOST_NAME = 64;
const MOST_DESCRIPTION = 1024;
const MOST_COMPATIBILITY = 500;

export interface ParsedSkill {
  name: string;
  description: string;
  /** The instructions, without the front matter. */
  body: string;
  /** One line each; none = it is as the specification has it. */
  deviations: string[];
}

/** Throws HermesError `bad_skill`. */
export async function parseSkill(text: string, folder: string): Promise<ParsedSkill> {
  const deviations: string[] = [];
  if (text.startsWith('\uFEFF')) deviations.push('it begins with a byte order mark');
  const { front, body } = split(text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n'));
  const fields = await frontMatter(front, deviations);
  const { name, description } = fields;
  if (typeof description !== 'string' || description.trim() === '')
    throw bad(`description: expected what the skill does and when to use it, got ${preview(description)}`);
  if (/^[\w-]+:\s*[{[]/m.test(front)) deviations.push('expected no values in { } or [ ]: each on a line of its own');
  deviations.push(...nameDeviations(name, basename(folder)), ...fieldDeviations(fields));
  return {
    name: cut(oneLine(typeof name === 'string' && name.trim() !== '' ? name : basename(folder)), MOST_NAME),
    description: cut(oneLine(description), MOST_DESCRIPTION),
    body,
    deviations,
  };
}

function split(text: string): { front: string; body: string } {
  const lines = text.split('\n');
  const end = lines[0]?.trimEnd() === '---' ? lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---') : -1;
  if (lines[0]?.trimEnd() !== '---') throw bad('expected front matter (--- at the first line, name: and description:), found none');
  if (end < 0) throw bad('its front matter has no end: expected a second line with ---');
  return {
    front: lines.slice(1, end).join('\n'),
    body: lines
      .slice(end + 1)
      .join('\n')
      .trim(),
  };
}

async function frontMatter(front: string, deviations: string[]): Promise<JsonObject> {
  const read = async (text: string) => {
    const value = await readYaml(text);
    if (!isObject(value)) throw bad(`expected name: and description: in its front matter, got ${preview(value)}`);
    return value as JsonObject;
  };
  try {
    return await read(front);
  } catch (error) {
    const { message } = error as Error;
    const mended = await read(quoted(front)).catch(() => undefined);
    if (!mended) throw bad(`its front matter is no YAML: ${message}`);
    deviations.push(`its front matter is read with its values quoted, since it is no YAML: ${message}`);
    return mended;
  }
}

/** `description: Use when: it rains` is what people write; in quotes it is YAML. A key that stands twice keeps its first value. */
function quoted(front: string): string {
  const known = new Set<string>();
  return front
    .split('\n')
    .filter((line) => {
      const key = /^([\w-]+):/.exec(line)?.[1];
      const isNew = key === undefined || !known.has(key);
      if (key !== undefined) known.add(key);
      return isNew;
    })
    .map((line) => {
      const [, key, value] = /^([\w-]+):[ \t]+(\S.*)$/.exec(line) ?? [];
      return key === undefined || /^(?:["'].*["']|[|>][+-]?\d?)$/.test(value!.trim()) ? line : `${key}: ${JSON.stringify(value!.trim())}`;
    })
    .join('\n');
}

function nameDeviations(name: Json | undefined, folder: string): string[] {
  if (typeof name !== 'string' || name.trim() === '') return [`name: expected a text, got ${preview(name)}; its folder's name is used`];
  const found: string[] = [];
  const plain = name.trim().normalize('NFKC');
  if ([...plain].length > MOST_NAME) found.push(`name: expected at most ${MOST_NAME} characters, got ${[...plain].length}`);
  if (plain !== plain.toLowerCase()) found.push('name: expected lower-case letters');
  if (/^-|-$|--/.test(plain)) found.push('name: expected no hyphen at its ends and none twice in a row');
  if (/[^\p{L}\p{N}\p{M}-]/u.test(plain)) found.push('name: expected letters, digits and hyphens only');
  if (plain !== folder.normalize('NFKC')) found.push(`name: expected the name of its folder, ${folder}, got ${plain}`);
  return found;
}

function fieldDeviations(fields: JsonObject): string[] {
  const found = Object.keys(fields)
    .filter((field) => !KNOWN.includes(field))
    .map((field) => `${field}: unknown field`);
  const { description, compatibility, metadata, license } = fields;
  const length = [...(description as string)].length;
  if (length > MOST_DESCRIPTION) found.push(`description: expected at most ${MOST_DESCRIPTION} characters, got ${length}`);
  if (compatibility !== undefined && (typeof compatibility !== 'string' || [...compatibility].length > MOST_COMPATIBILITY))
    found.push(`compatibility: expected a text of at most ${MOST_COMPATIBILITY} characters`);
  if (metadata !== undefined && !isObject(metadata)) found.push(`metadata: expected names with texts, got ${preview(metadata)}`);
  if (license !== undefined && typeof license !== 'string') found.push(`license: expected a text, got ${preview(license)}`);
  const { 'allowed-tools': tools } = fields;
  if (tools !== undefined && typeof tools !== 'string' && !(Array.isArray(tools) && tools.every((one) => typeof one === 'string')))
    found.push(`allowed-tools: expected names with blanks between them, got ${preview(tools)}`);
  return found;
}

function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim();
}

function preview(value: Json | undefined): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 80);
}

function bad(message: string): HermesError {
  return new HermesError('bad_skill', message, { kind: 'usage' });
}
