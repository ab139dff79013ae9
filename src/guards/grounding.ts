/**
 * Grounding, for guided runs: an answer after tool results must hold a value of the last result and no number that stands
 * neither in the results nor in the request. Another answer is replaced by one made by code, once a run.
 */

import type { Command, Json, JsonObject, Rule, State, ToolExample, ToolInfo, ToolMessage } from '../kernel/types.ts';

/** What may be tuned. */
const NUMBERS = {
  /** A text up to this many words (Han characters) has to be told whole, of a longer one so many in a row. */
  wholeWords: 8,
  wordsInARow: 3,
  wholeHan: 12,
  hanInARow: 4,
  /** Leaves that an answer made by code prints at most, and characters of each. */
  printedLeaves: 8,
  printedCharacters: 1_000,
};

/**
 * A before-finish rule. `tools` gives the tools of the run: their examples show how an answer sounds. An answer that has to fit a schema is
 * no sentence: its own check is another rule. `explain` tells how an argument comes to the result, where the request asks for that.
 */
export function groundAnswer(tools: () => readonly ToolInfo[], explain: Explain = () => undefined): Rule {
  return (state) => {
    if (state.protocol !== 'guided' || state.output_schema || state.answer === undefined || (state.trips.grounding ?? 0) > 0)
      return undefined;
    const found = turnOf(state);
    if (!found) return undefined;
    const order = explanation(found, tools(), state.language, explain);
    const turn = order === undefined ? found : { ...found, known: `${found.known}\n${order}` };
    const example = exampleOf(turn, tools(), state.language);
    if (order !== undefined && !tellsAll(state.answer, order)) return replaced('the answer does not explain what was asked', order);
    const message = problem(state.answer, turn, example) ?? tail(state.answer, turn, example);
    if (message === undefined) return undefined;
    return replaced(message, answerFrom(turn, example, state.language));
  };
}

export type Explain = (property: JsonObject, value: Json | undefined, language: 'zh' | 'en') => string | undefined;

const ASKS_HOW =
  /(?:运算|计算)(?:的)?(?:顺序|步骤|过程)|先算|哪一步|order of (?:the )?operations|step by step|\b(?:explain|show)\b.*\b(?:steps?|order|how|work|calculat\w+)\b/i;

function explanation(turn: Turn, tools: readonly ToolInfo[], language: 'zh' | 'en', explain: Explain): string | undefined {
  if (!turn.last.success || !ASKS_HOW.test(turn.request)) return undefined;
  const properties = objectOf(tools.find(({ name }) => name === turn.last.name)?.input_schema.properties);
  const told = Object.entries(properties).flatMap(([name, property]) => explain(objectOf(property), turn.arguments[name], language) ?? []);
  return told.find((text) => leavesOf(turn.data).some(({ value }) => isTold(value, text)));
}

/** Whether the answer holds each number that the explanation does. */
function tellsAll(answer: string, explanation: string): boolean {
  const told = numbersIn(answer);
  return [...numbersIn(explanation)].every((number) => told.has(number));
}

function replaced(message: string, answer: string): Command {
  return { do: 'record', facts: [{ event_type: 'guard.trip', data: { guard: 'grounding', verdict: 'replace', message, answer } }] };
}

interface Turn {
  request: string;
  last: ToolMessage;
  data: Json;
  arguments: JsonObject;
  /** All that the answer may draw on. */
  known: string;
}

/** Undefined when no tool has answered since the request. */
function turnOf(state: State): Turn | undefined {
  const at = state.messages.findLastIndex((message) => message.role === 'user');
  const since = state.messages.slice(at + 1);
  const results = since.filter((message) => message.role === 'tool');
  const last = results.at(-1);
  if (!last) return undefined;
  const request = state.messages[at]?.content ?? '';
  const calls = since.flatMap((message) => (message.role === 'assistant' ? (message.calls ?? []) : []));
  const args = calls.find((call) => call.id === last.call_id)?.arguments ?? {};
  const known = [request, JSON.stringify(args), ...results.map((result) => result.content)].join('\n');
  return { request, last, data: parsed(last.content), arguments: args, known };
}

function parsed(content: string): Json {
  try {
    return JSON.parse(content) as Json;
  } catch {
    return content; // a result that is plain text
  }
}

// ---- what is wrong with an answer ----------------------------------------------------------------------

function problem(answer: string, turn: Turn, example: ToolExample | undefined): string | undefined {
  if (!turn.last.success) return 'the tool failed: what it said is the answer';
  if (plain(turn.request).length > 4 && has(answer, turn.request)) return 'the answer says the question again';
  const wanted = wantedLeaves(turn, example);
  if (wanted.length > 0 && !wanted.some(({ value }) => isTold(value, answer))) return 'the answer holds no value of the result';
  const known = numbersIn(turn.known);
  const foreign = [...numbersIn(answer)].find((number) => !known.has(number));
  if (foreign !== undefined) return `${foreign} stands neither in the result nor in the request`;
  const code = codesIn(turn.known).find((one) => isCut(one, answer, turn.known));
  if (code !== undefined) return `${code} is told in part only`;
  if (OF_ITSELF.test(answer)) return 'the answer says of something that it is itself';
  if (NO.test(answer) && !NO.test(turn.known)) return 'the answer denies what the result does not';
  const borrowed = example && borrowedFrom(example).find((value) => has(answer, value) && !has(turn.known, value));
  return borrowed === undefined ? otherLanguage(answer, turn) : `"${borrowed}" comes from an example`;
}

/** Letters with digits right behind them: A12345, SF102-93. */
function codesIn(text: string): string[] {
  return text.normalize('NFKC').match(/\p{Script=Latin}+-?\d[\p{Script=Latin}\d-]{2,}/gu) ?? [];
}

/** Whether the answer has the digits of a code without its letters, though nobody has said them alone. */
function isCut(code: string, answer: string, known: string): boolean {
  const [digits] = /\d{3,}/.exec(code) ?? [];
  const alone = new RegExp(`(?<![\\p{Script=Latin}\\d]|\\p{Script=Latin}-)${digits}(?!\\d)`, 'u');
  return digits !== undefined && !has(answer, code) && alone.test(answer) && !alone.test(known);
}

/** What the answer has to hold one of: what the example's answer tells, else what nobody has said before, else anything. */
function wantedLeaves(turn: Turn, example: ToolExample | undefined): Leaf[] {
  const leaves = leavesOf(turn.data);
  const news = leaves.filter(({ value }) => !isGiven(value, turn));
  const told = leavesOf(example?.result ?? null).filter(({ value }) => has(example?.answer ?? '', value));
  const alike = news.filter(({ path }) => told.some((leaf) => leaf.path === path));
  return [alike, news, leaves].find((choice) => choice.length > 0) ?? [];
}

/** 接孩子是接孩子, where key and value are the same. */
const OF_ITSELF = /(?:\byour )?([^\s\d].{2,80}?)\s*(?:是|\bis\b)\s*\1/u;
const NO = /\b(?:not|no|never|none|isn't|doesn't|don't|can't|won't)\b|[不没无未]/i;

/** Tiny models go on after the answer is complete. */
function tail(answer: string, turn: Turn, example: ToolExample | undefined): string | undefined {
  const whole = example && likeExample(turn, example);
  return whole !== undefined && answer.length > whole.length && answer.startsWith(whole) ? 'the answer goes on after its end' : undefined;
}

/** Whether the request or the call said it already: told again, it is no news. */
function isGiven(leaf: string, turn: Turn): boolean {
  return has(turn.request, leaf) || leavesOf(turn.arguments).some(({ value }) => has(value, leaf));
}

/** English words in a Chinese answer that nobody gave. */
function otherLanguage(answer: string, turn: Turn): string | undefined {
  if (!/\p{Script=Han}/u.test(turn.request)) return undefined;
  const given = new Set(turn.known.toLowerCase().match(/[a-z]+/g) ?? []);
  const strange = (answer.toLowerCase().match(/[a-z]{2,}/g) ?? []).find((word) => !given.has(word));
  return strange === undefined ? undefined : `"${strange}" is not the language of the request`;
}

interface Leaf {
  path: string;
  value: string;
}

/** Texts and numbers of the data, with where they stand. */
function leavesOf(data: Json, path = ''): Leaf[] {
  if (data === null || typeof data === 'boolean') return [];
  if (typeof data === 'object')
    return Object.entries(data).flatMap(([key, value]) => leavesOf(value, path === '' ? key : `${path}.${key}`));
  const value = String(data).trim();
  return value === '' ? [] : [{ path, value }];
}

function isTold(leaf: string, answer: string): boolean {
  const told = numbersIn(answer);
  if (/^[\d.,:\s-]*\d[\d.,:\s-]*$/.test(leaf) && [...numbersIn(leaf)].every((number) => told.has(number))) return true;
  if (has(answer, leaf)) return true;
  if (/\p{Script=Han}/u.test(leaf)) return plain(leaf).length > NUMBERS.wholeHan && hasPiece([...plain(leaf)], NUMBERS.hanInARow, answer);
  const words = leaf.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return words.length > NUMBERS.wholeWords && hasPiece(words, NUMBERS.wordsInARow, answer);
}

/** Whether so many of the parts stand in the answer in a row. */
function hasPiece(parts: readonly string[], length: number, answer: string): boolean {
  return parts.some((_, at) => at + length <= parts.length && has(answer, parts.slice(at, at + length).join('')));
}

/** Values of the example that its own request or arguments brought in. */
function borrowedFrom(example: ToolExample): string[] {
  const values = [...leavesOf(example.arguments), ...leavesOf(example.result ?? null)].flatMap(({ value }) => [value, lastPart(value)]);
  return values.filter((value) => value.length > 1 && !/^[\d.,:]+$/.test(value));
}

/** Of a zone or a path what people call it: London of Europe/London. */
function lastPart(value: string): string {
  return /^\p{L}[\p{L}\p{N}._-]*(?:\/[\p{L}\p{N}._-]+)+$/u.test(value)
    ? value.slice(value.lastIndexOf('/') + 1).replaceAll('_', ' ')
    : value;
}

function has(text: string, part: string): boolean {
  return plain(text).includes(plain(part));
}

/** Letter case, width, spaces and signs do not count. */
function plain(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]/gu, '');
}

/** 09:05, 1,024 and 160.0 as 9:5, 1024 and 160. */
function numbersIn(text: string): Set<string> {
  const found = text.normalize('NFKC').match(/\d+(?:[.,:]\d+)*/g) ?? [];
  return new Set(
    found.map((number) =>
      number
        .replace(/,(?=\d{3}(?!\d))/g, '')
        .split(':')
        .map((part) => String(Number(part)))
        .join(':'),
    ),
  );
}

// ---- an answer made by code ----------------------------------------------------------------------------

function answerFrom(turn: Turn, example: ToolExample | undefined, language: 'zh' | 'en'): string {
  if (!turn.last.success) return failureText(turn, language);
  return (example && likeExample(turn, example)) ?? printed(turn, language);
}

/** The example's answer with the values of this result in place of its own; undefined when something of the example would stay. */
function likeExample(turn: Turn, example: ToolExample): string | undefined {
  if (leavesOf(example.result ?? null).some(({ path }) => /\.\d+(?:\.|$)/.test(path))) return undefined; // lists differ in length
  const ours = new Map(
    [...leavesOf(turn.arguments, 'arguments'), ...leavesOf(turn.data, 'result')].map(({ path, value }) => [path, value]),
  );
  const theirs = [...leavesOf(example.arguments, 'arguments'), ...leavesOf(example.result ?? null, 'result')];
  const pairs = theirs.flatMap(({ path, value }) => {
    const own = ours.get(path);
    return own === undefined ? [] : [[value, own] as const, [lastPart(value), lastPart(own)] as const];
  });
  const swapped = difference(example.request, turn.request);
  if (swapped) pairs.push(swapped);
  pairs.sort((a, b) => b[0].length - a[0].length);
  const pattern = new RegExp(pairs.map(([value]) => value.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')).join('|') || '$^', 'gu');
  const byValue = new Map(pairs);
  const used = new Set<string>();
  const answer = (example.answer ?? '')
    .replace(pattern, (value) => {
      used.add(value);
      return byValue.get(value) ?? value;
    })
    .replace(OF_ITSELF, '$1');
  const isFilled = [...used].some((value) => leavesOf(example.result ?? null).some((leaf) => value.includes(leaf.value)));
  return isFilled && problem(answer, turn, example) === undefined && !keepsWords(answer, example, turn) ? answer : undefined;
}

/** Whether a word of the example's own request is still in the answer: 纽约 in an answer about Paris. */
function keepsWords(answer: string, example: ToolExample, turn: Turn): boolean {
  const names = example.request.match(/\p{Lu}[\p{L}'-]+|\p{Script=Han}{2}/gu) ?? [];
  return names.some((name) => has(answer, name) && !has(turn.known, name));
}

/** What differs between two requests that begin and end alike: 纽约 and 巴黎 of 现在纽约几点 and 现在巴黎几点. */
function difference(theirs: string, ours: string): readonly [string, string] | undefined {
  let start = 0;
  while (start < theirs.length && theirs[start] === ours[start]) start++;
  let end = 0;
  while (end < Math.min(theirs.length, ours.length) - start && theirs.at(-1 - end) === ours.at(-1 - end)) end++;
  const [from, to] = [theirs.slice(start, theirs.length - end).trim(), ours.slice(start, ours.length - end).trim()];
  return start + end > 0 && from.length > 1 && to.length > 1 && to.length <= 20 ? [from, to] : undefined;
}

function printed(turn: Turn, language: 'zh' | 'en'): string {
  const [colon, comma] = language === 'zh' ? ['：', '，'] : [': ', ', '];
  const all = grouped(turn.data);
  const news = all.filter(({ value }) => !isGiven(value, turn));
  const leaves = (news.length > 0 ? news : all).slice(0, NUMBERS.printedLeaves);
  if (leaves.length === 0) return language === 'zh' ? '工具没有给出任何内容。' : 'The tool gave nothing.';
  const texts = leaves.map(({ value }) => value.slice(0, NUMBERS.printedCharacters));
  if (leaves.length === 1) return `${language === 'zh' ? '结果' : 'Result'}${colon}${texts[0]}`;
  return leaves.map(({ path }, index) => `${path}${colon}${texts[index]}`).join(comma);
}

/** The leaves, those of one list together. */
function grouped(data: Json): Leaf[] {
  const groups = Map.groupBy(leavesOf(data), ({ path }) => path.replace(/\.\d+$/, ''));
  return [...groups].map(([path, leaves]) => ({ path, value: leaves.map(({ value }) => value).join(', ') }));
}

function failureText(turn: Turn, language: 'zh' | 'en'): string {
  const error = objectOf(objectOf(turn.data).error);
  const message = typeof error.message === 'string' ? error.message : turn.last.content;
  return language === 'zh' ? `没有成功：${message}` : `That did not work: ${message}`;
}

/** An example of the tool that answers in this language; of several the one whose request is most like this one. */
function exampleOf(turn: Turn, tools: readonly ToolInfo[], language: 'zh' | 'en'): ToolExample | undefined {
  const isOurs = (example: ToolExample) => /\p{Script=Han}/u.test(example.request) === (language === 'zh') && example.answer !== undefined;
  const examples = tools.find((tool) => tool.name === turn.last.name)?.examples?.filter(isOurs) ?? [];
  return examples.toSorted((a, b) => alike(b.request, turn.request) - alike(a.request, turn.request))[0];
}

/** How many pairs of neighbouring letters the texts share, as a part of those of the first. */
function alike(a: string, b: string): number {
  const pairs = (text: string) => new Set(Array.from(plain(text), (letter, at) => letter + plain(text)[at + 1]));
  const theirs = pairs(b);
  const ours = [...pairs(a)];
  return ours.filter((pair) => theirs.has(pair)).length / Math.max(1, ours.length);
}

function objectOf(value: Json | undefined): JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {};
}
