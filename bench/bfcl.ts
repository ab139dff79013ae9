/** The public function-calling cases beside the repository, as tools and calls of ours; shared by the benches that use them. */

import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Json, JsonObject } from '../src/kernel/types.ts';
import { type Tool, tool } from '../src/tools/define.ts';

export const BFCL = resolve(import.meta.dirname, '../../shared/data/bfcl');

export interface Definition {
  name: string;
  description: string;
  parameters: JsonObject;
}
export interface Case {
  id: string;
  request: string;
  functions: Definition[];
  /** The first acceptable value of each argument. */
  calls: { name: string; arguments: JsonObject }[];
}

export function casesOf(set: string): Case[] {
  const answers = new Map(lines(`${set}.answers.jsonl`).map((one) => [one.id, one.ground_truth as Gold[]]));
  return lines(`${set}.jsonl`).map(({ id, question, function: functions }) => ({
    id: String(id),
    request: (question as { role: string; content: string }[][])[0]!.findLast(({ role }) => role === 'user')!.content,
    functions: functions as Definition[],
    calls: (answers.get(id as string) ?? []).flatMap(goldCalls),
  }));
}

export function needBfcl(bench: string): void {
  if (existsSync(BFCL)) return;
  console.error(`${bench}: ${BFCL} is not there; it holds the public cases that this measures on`);
  process.exit(2);
}

export function toolOf({ name, description, parameters }: Definition, more: { aliases?: Record<string, string> } = {}): Tool {
  const input = jsonSchema(parameters) as JsonObject;
  return tool({ name: safeName(name), description, level: 'read', input, execute: () => null, ...more });
}

export function safeName(name: string): string {
  return name.replaceAll('.', '_').slice(0, 64);
}

type Gold = Record<string, Record<string, unknown[]>>;

function lines(file: string): { [key: string]: unknown }[] {
  return readFileSync(resolve(BFCL, file), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

const PYTHONIC: Record<string, string> = { dict: 'object', float: 'number', tuple: 'array', any: '' };

/** Python's type names in JSON Schema's words; `any` is no type. */
export function jsonSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(jsonSchema);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, part]) => {
      if (key !== 'type' || typeof part !== 'string') return [[key, jsonSchema(part)]];
      const type = PYTHONIC[part] ?? part;
      return type === '' ? [] : [[key, type]];
    }),
  );
}

function goldCalls(gold: Gold) {
  return Object.entries(gold).map(([name, values]) => {
    const args = Object.entries(values).flatMap(([key, [value]]) => (value === '' ? [] : [[key, plain(value)] as const]));
    return { name: safeName(name), arguments: Object.fromEntries(args) as JsonObject };
  });
}

/** Objects inside gold values list their acceptable values as well. */
function plain(value: unknown): Json {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value as Json;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plain(Array.isArray(part) ? part[0] : part)]));
}
