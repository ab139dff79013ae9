/** The requests that tools are measured with, their tools, and whether a call is right: the answers' format and comparison are BFCL's. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../../src/kernel/json.ts';
import type { Json, JsonObject, ToolExample } from '../../src/kernel/types.ts';
import { type Tool, tool } from '../../src/tools/define.ts';
import { BFCL, type Definition, safeName, toolOf } from '../bfcl.ts';

export type SetName = 'simple' | 'multiple' | OwnSet;
/** Ours, each with tools of its own that are all offered. On `fresh`, in both languages, nothing is tuned. */
export type OwnSet = 'chinese' | 'fresh';
export interface ToolCase {
  id: string;
  request: string;
  /** All that are offered for this request. */
  tools: readonly Tool[];
  wanted: string;
  /** Acceptable values of each argument; '' among them: it may be left out. */
  answer: Record<string, Json[]>;
}

/** The part of each public set that the rails may be tuned on, and one that is measured only. */
const PARTS = { tuned: 0, held: 2 };

/** Every fourth case of a public set: 100 of simple_python, 50 of multiple; the part says which fourth. */
export function publicCases(set: 'simple' | 'multiple', part: keyof typeof PARTS): ToolCase[] {
  const file = set === 'simple' ? 'simple_python' : set;
  const answers = new Map(lines(join(BFCL, `${file}.answers.jsonl`)).map((one) => [one.id, one.ground_truth as Gold[]]));
  return lines(join(BFCL, `${file}.jsonl`))
    .filter((_, index) => index % 4 === PARTS[part])
    .map(({ id, question, function: functions }) => {
      const [wanted, answer] = Object.entries(answers.get(id)![0]!)[0]!;
      const request = (question as { role: string; content: string }[][])[0]!.findLast(({ role }) => role === 'user')!.content;
      return { id: String(id), request, tools: (functions as Definition[]).map((one) => toolOf(one)), wanted: safeName(wanted), answer };
    });
}

export function ownCases(set: OwnSet): ToolCase[] {
  const tools = lines(join(import.meta.dirname, `${set}-tools.jsonl`)).map((one) => {
    const { name, description, parameters, examples } = one as unknown as Definition & { examples?: ToolExample[] };
    return tool({ name, description, level: 'read', input: parameters, ...(examples ? { examples } : {}), execute: () => null });
  });
  return lines(join(import.meta.dirname, `${set}.jsonl`)).map(({ id, request, answer }) => {
    const [wanted, values] = Object.entries(answer as Gold)[0]!;
    return { id: String(id), request: String(request), tools, wanted, answer: values };
  });
}

type Gold = Record<string, Record<string, Json[]>>;

function lines(file: string): { [key: string]: unknown }[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** Every argument has one of its values, and no other argument is given. */
export function isRight(args: JsonObject, answer: Record<string, Json[]>): boolean {
  const isGiven = (name: string) => Object.hasOwn(args, name);
  return (
    Object.keys(args).every((name) => Object.hasOwn(answer, name)) &&
    Object.entries(answer).every(([name, values]) =>
      isGiven(name) ? values.some((value) => isSame(args[name]!, value)) : values.includes(''),
    )
  );
}

function isSame(given: Json, wanted: Json): boolean {
  if (typeof given === 'string' && typeof wanted === 'string') return plain(given) === plain(wanted);
  if (Array.isArray(given) && Array.isArray(wanted))
    return given.length === wanted.length && given.every((one, index) => isSame(one, wanted[index]!));
  if (isObject(given) && isObject(wanted)) return isRight(given, wanted as Record<string, Json[]>);
  return given === wanted;
}

/** BFCL compares texts without case, spaces and these signs. */
function plain(text: string): string {
  return text
    .replace(/[ ,./\-_*^]/g, '')
    .toLowerCase()
    .replaceAll("'", '"');
}
