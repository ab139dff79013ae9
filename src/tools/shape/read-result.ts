/** `read_result`: reads on in a result that was too long to be shown whole. */

import { HermesError } from '../../kernel/errors.ts';
import type { State, ToolInfo } from '../../kernel/types.ts';
import { type Tool, tool } from '../define.ts';
import { linesOf } from './lines.ts';
import { count, headOf, textFrom } from './text.ts';

export const READ_RESULT = 'read_result';
/** Lines given when no number is asked for; hits of a search; characters of one line, around a hit, and in all. */
const LINES = 40;
const HITS = 20;
const LINE = 1_000;
const AROUND = 200;
const ROOM = 4_000;

export const readResult: Tool = tool({
  name: READ_RESULT,
  description:
    'Reads more of an earlier result that was shown only in part, marked [r1: a part of ...]: by lines (of a list: its items) or by a search in it. ' +
    'Use it when what is needed stands in the part not shown; not for files or web pages, and not when the part shown answers the question.',
  level: 'read',
  settingNames: [],
  idempotent: true,
  resultCharacters: ROOM + 500,
  input: {
    type: 'object',
    properties: {
      result: { type: 'string', description: 'the mark of the result, such as r1', minLength: 1 },
      search: { type: 'string', description: 'words to look for; gives the lines that hold them', minLength: 1, maxLength: 200 },
      from_line: { type: 'integer', description: 'first line, from 1', minimum: 1, default: 1 },
      lines: { type: 'integer', description: 'how many lines', minimum: 1, maximum: 500, default: LINES },
      from_character: { type: 'integer', description: 'within one very long line: where to go on, from 0', minimum: 0, default: 0 },
    },
    required: ['result'],
    additionalProperties: false,
  },
  aliases: {
    handle: 'result',
    id: 'result',
    query: 'search',
    q: 'search',
    offset: 'from_line',
    limit: 'lines',
    结果: 'result',
    搜索: 'search',
  },
  keywords: 'rest more of a result read on next part search in result 其余 剩下 结果 继续 读取 后面',
  examples: [
    {
      request: 'Which of these 5,000 orders came from Lima?',
      arguments: { result: 'r1', search: 'Lima' },
      result: 'r1 (list_orders): 1 of 5,000 lines with "Lima"\n3120| {"id":3120,"city":"Lima"}',
      answer: 'Order 3120 came from Lima.',
    },
    {
      request: '第 200 行附近的日志写了什么？',
      arguments: { result: 'r2', from_line: 195, lines: 10 },
      result: 'r2 (read_log): lines 195-204 of 9,000\n195| ...',
      answer: '第 200 行附近是数据库连接超时的错误。',
    },
  ],
  async execute({ result, search, from_line, lines, from_character }, { context }) {
    const handle = /\d+/.exec(result) ? `r${/\d+/.exec(result)![0]}` : result.trim();
    const { name, text } = (await context.kept.read(handle)) ?? (await unknownResult(handle, context.kept));
    if (text === undefined) {
      const message = `the rest of ${handle} is not kept any more`;
      throw new HermesError('result_gone', message, { kind: 'tool', next: `call ${name} again, if that is safe` });
    }
    const all = linesOf(text);
    const title = `${handle} (${name})`;
    return search === undefined ? range(all, title, { from_line, lines, from_character }) : hits(all, title, search);
  },
});

/** It is offered from the moment on when there is something to read: a tool that can do nothing is a mistake waiting to be made. */
export function offeredTools(tools: readonly ToolInfo[], { kept }: Pick<State, 'kept'>): readonly ToolInfo[] {
  if (kept.length > 0 || !tools.some(({ name }) => name === READ_RESULT)) return tools;
  const others = without.get(tools) ?? tools.filter(({ name }) => name !== READ_RESULT);
  without.set(tools, others);
  return others;
}
/** The same list for the same list: others keep what they know of it. */
const without = new WeakMap<readonly ToolInfo[], readonly ToolInfo[]>();

async function unknownResult(handle: string, kept: { handles(): Promise<string[]> }): Promise<never> {
  const known = await kept.handles();
  const next = known.length > 0 ? `there are ${known.slice(-20).join(', ')}` : 'no result was shown in part';
  throw new HermesError('no_such_result', `there is no result "${headOf(handle, 40)}"`, { kind: 'tool', next });
}

function range(all: readonly string[], title: string, wanted: { from_line: number; lines: number; from_character: number }): string {
  const { from_line, lines, from_character } = wanted;
  if (from_line > all.length) {
    throw new HermesError('no_such_line', `${title} has ${all.length} lines, line ${from_line} was asked for`, { kind: 'tool' });
  }
  const shown: string[] = [];
  let room = ROOM - 200;
  for (const [index, line] of all.slice(from_line - 1, from_line - 1 + lines).entries()) {
    const start = index === 0 ? from_character : 0;
    const rest = textFrom(line, start);
    const piece = headOf(rest, index === 0 ? room - 20 : LINE);
    const left = rest.length - piece.length;
    const number = from_line + index;
    const text = `${number}| ${piece}${left > 0 ? ` [line goes on: from_line ${number}, from_character ${line.length - left}]` : ''}`;
    if (shown.length > 0 && text.length > room) break;
    shown.push(text);
    room -= text.length + 1;
  }
  const last = from_line + shown.length - 1;
  const next = last < all.length ? `; go on with from_line ${last + 1}` : '';
  return `${title}: lines ${from_line}-${last} of ${count(all.length)}${next}\n${shown.join('\n')}`;
}

function hits(all: readonly string[], title: string, search: string): string {
  const wanted = plain(search).trim();
  const found: string[] = [];
  let [times, room] = [0, ROOM - 200];
  for (const [index, line] of all.entries()) {
    const at = plain(line).indexOf(wanted);
    if (at < 0) continue;
    times += 1;
    if (found.length >= HITS) continue;
    const rest = textFrom(line, placeOf(line, at) - AROUND);
    const piece = headOf(rest, AROUND * 2 + wanted.length);
    const text = `${index + 1}| ${rest.length < line.length ? '...' : ''}${piece}${piece.length < rest.length ? '...' : ''}`;
    if (text.length > room) continue;
    found.push(text);
    room -= text.length + 1;
  }
  const shown = found.length < times ? `, the first ${found.length} shown` : '';
  return [`${title}: ${count(times)} of ${count(all.length)} lines with "${search}"${shown}`, ...found].join('\n');
}

/** As texts are compared: neither letter case nor width counts. */
function plain(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** Where in the line the place of its plain form is: an ellipsis has three characters there. */
function placeOf(line: string, at: number): number {
  if (plain(line).length === line.length) return at;
  let [low, high] = [0, line.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (plain(line.slice(0, middle)).length < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
