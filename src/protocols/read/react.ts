/** `Action: NAME` and `Action Input: ...`, the way of ReAct. */

import { isObject } from '../../kernel/json.ts';
import type { JsonObject } from '../../kernel/types.ts';
import { skipSpace } from './characters.ts';
import { valueAt } from './find.ts';
import { readItem } from './items.ts';
import { isCallName, plainName, withArguments } from './shapes.ts';
import { type Body, failure, matchAt, type Source, withRepairs } from './source.ts';

const NAMED =
  /[ \t*]*`?([\p{L}_$][\p{L}\p{N}_$.:/-]{0,127})`?\**(?:[ \t]*\r?\n\s*|[ \t]+)\**(?:Action Input|Action Arguments|行动输入|动作输入|输入)\**[ \t]*[:：]\**/iuy;
/** Results come from tools: what a model writes behind this word it has made up. */
export const OBSERVATION = /\s*\**(?:Observation|观察|观察结果)\**\s*[:：]/iy;

/** The call behind `Action:`, which ends at `at`; undefined when it is only a word in a text. */
export function readAction(source: Source, at: number): Body | undefined {
  const { text } = source;
  NAMED.lastIndex = at;
  const named = NAMED.exec(text);
  if (named === null) {
    // Action: {"action": ...}, also in a fence, or Action: name(key=value).
    const start = skipSpace(text, at);
    return /^(?:```|[{[]|[\p{L}_][\p{L}\p{N}_.]{0,80}\()/u.test(text.slice(start, start + 90)) ? readItem(source, at) : undefined;
  }
  const name = plainName(named[1]!, source.tools);
  if (!isCallName(name, source.tools)) return undefined;
  const behind = at + named[0].length;
  const from = behind + (matchAt(/\s*(?:```[\w+-]*\s*)?/y, text, behind)?.length ?? 0);
  const reading = valueAt(text, from, source.budget);
  if (reading === undefined) return readLine(source, name, behind);
  if (!reading.ok) return failure(reading.at, { code: reading.code, message: reading.message, name });
  return { items: [withRepairs(withArguments(name, reading.value), reading.repairs)], next: reading.next, failed: false };
}

/** Plain text as input is the argument of a tool that takes exactly one. */
function readLine(source: Source, name: string, at: number): Body {
  const line = matchAt(/[^\n]*/y, source.text, at) ?? '';
  const next = at + line.length;
  if (next >= source.text.length && (source.budget.cut === true || line.trim() === '')) {
    return failure(next, { code: 'truncated', message: `the text ends in the arguments of ${name}`, name });
  }
  const written = line.trim().replace(/^(["'])(.*)\1$/, '$2');
  if (/^(?:none|null|无)?$/i.test(written)) return { items: [withArguments(name, {})], next, failed: false };
  const keys = propertiesOf(source.schemas[name]);
  if (keys.length !== 1) return failure(next, { code: 'bad_arguments', message: `the arguments of ${name} are no JSON object`, name });
  return { items: [withArguments(name, { [keys[0]!]: written }, ['bare_argument'])], next, failed: false };
}

function propertiesOf(schema: JsonObject | undefined): string[] {
  const properties = schema?.properties;
  return isObject(properties) ? Object.keys(properties) : [];
}
