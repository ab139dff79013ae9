/**
 * Made-up results: the user asks for what only a tool can know, such a tool is offered, none has succeeded since, and the answer states
 * facts that stand in no result, no word of the user and no instruction. It is sent back once, then delivered as not verified.
 */

import type { Rule, State, ToolInfo } from '../kernel/types.ts';
import { KINDS, type Kind, LIVE, LOOKS_UP, NUMBERS, WORKS_OUT } from './live.ts';
import { numbersOf } from './numbers.ts';
import { clausesOf, isDenied, isHedged, isOffered, ownSentences } from './sentences.ts';

const MADE_UP = 'made_up';
/** Characters that are looked at. */
const LOOKED_AT = { request: 2_000, answer: 20_000 };

export interface MadeUpPorts {
  /** The tools of the run. */
  tools(): readonly ToolInfo[];
  /** Those that a request points to, best first, with the number of its words that do. */
  fitting(request: string): readonly { tool: ToolInfo; matches: number }[];
}
export interface MadeUp {
  fact: string;
  tool: string;
}

/** A before-finish rule. */
export function madeUpRule(ports: MadeUpPorts): Rule {
  return function madeUp(state) {
    if ((state.trips[MADE_UP] ?? 0) >= numbersOf(state).answer_returns || state.step >= state.limits.max_steps) return undefined;
    const found = madeUpIn(state, ports);
    if (!found) return undefined;
    const message = TEXT[state.language].back(found.fact, found.tool);
    return { do: 'record', facts: [{ event_type: 'guard.trip', data: { guard: MADE_UP, verdict: 'nudge', message } }] };
  };
}

/** Why the answer is not verified, for people. */
export function madeUpText({ fact, tool }: MadeUp, state: State): string {
  return TEXT[state.language].unverified(fact, tool);
}

/** A fact of the answer that only a tool can know and none has told. */
export function madeUpIn(state: State, ports: MadeUpPorts): MadeUp | undefined {
  const { answer, answer_by, output_schema, protocol } = state;
  if (!answer || answer_by === 'rail' || output_schema || protocol === 'guided' || !numbersOf(state).made_up) return undefined;
  const at = state.messages.findLastIndex((message) => message.role === 'user');
  const called = new Set(state.messages.slice(at).flatMap((message) => (message.role === 'tool' && message.success ? [message.name] : [])));
  if (ports.tools().every(({ name }) => called.has(name))) return undefined;
  const request = (state.messages[at]?.content ?? '').slice(0, LOOKED_AT.request);
  const wanted = asked(request, ports);
  if (wanted.length === 0) return undefined;
  const sentences = ownSentences(answer.slice(0, LOOKED_AT.answer)).filter((sentence) => asserts(sentence));
  const known = knownTo(state, at);
  for (const { kind, able } of wanted) {
    if (able.some(({ name }) => called.has(name))) continue;
    const fact = sentences.map((sentence) => unknownFact(sentence, kind, known)).find((found) => found !== undefined);
    if (fact !== undefined) return { fact, tool: able.map(({ name }) => name)[0]! };
  }
  return undefined;
}

/** What the request asks for that lives outside, with the tools that could know it. */
function asked(request: string, { tools, fitting }: MadeUpPorts): { kind: Kind; able: ToolInfo[] }[] {
  const kinds = kindsIn(request);
  if (kinds.length === 0 && !LIVE.test(request)) return [];
  const fits = fitting(request);
  const ranked = [...fits.map(({ tool }) => tool), ...tools().filter((tool) => !fits.some((fit) => fit.tool === tool))];
  const found = kinds.flatMap((kind) => {
    const able = ranked.filter((tool) => kind.tool.test(aboutOf(tool)));
    return able.length > 0 ? [{ kind, able }] : [];
  });
  if (found.length > 0 || !LIVE.test(request)) return found;
  const able = fits.filter(({ tool, matches }) => matches >= 2 && LOOKS_UP.test(aboutOf(tool)) && !WORKS_OUT.test(aboutOf(tool)));
  return able[0] ? [{ kind: NUMBERS, able: [able[0].tool] }] : [];
}

/** The last request and what it asks for: an answer is looked at twice, before and when it is delivered. */
let looked: { request: string; kinds: readonly Kind[] } | undefined;

function kindsIn(request: string): readonly Kind[] {
  if (looked?.request !== request) {
    const kinds = KINDS.filter(
      ({ asks, names, unless }) => asks.test(request) && (!names || names.test(request)) && !unless?.test(request),
    );
    looked = { request, kinds };
  }
  return looked.kinds;
}

function aboutOf({ name, description, keywords }: ToolInfo): string {
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_.-]/g, ' ');
  return `${words}\n${description.split(/(?<=[.。])\s*/)[0]}\n${keywords ?? ''}`;
}

/** Neither a question nor a refusal, a guess or general knowledge. */
function asserts(sentence: string): boolean {
  return (
    !isHedged(sentence) && !/[?？]\s*$/.test(sentence) && clausesOf(sentence).some((clause) => !isDenied(clause) && !isOffered(clause))
  );
}

// ---- what is known -----------------------------------------------------------------------------------------

interface Known {
  text: string;
  numbers: ReadonlySet<string>;
  /** The same without those of dates and times: the 3 of 2026-03-14 is no temperature. */
  figures: ReadonlySet<string>;
}
const DAY_OR_TIME = /\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[:：]\d{2}(?::\d{2})?|\d{1,2}\s*月\s*\d{1,2}|\d{1,2}\s*[点号]/g;

/** What follows from two figures of the request: their sum, difference, product, quotient, percentage. */
function workedOut(request: string): string[] {
  const figures = [...numbersIn(request)].map(Number).filter(Number.isFinite).slice(0, 8);
  const pairs = figures.flatMap((a) => figures.map((b) => [a, b] as const));
  const values = pairs.flatMap(([a, b]) => [a + b, a - b, a * b, a / b, (a * b) / 100, a - (a * b) / 100, (a / b) * 100]);
  return values.filter(Number.isFinite).map((value) => String(Number(value.toFixed(2))));
}

/** Instructions, results, what the user said, and answers to earlier requests. The words of a question assert nothing, its numbers do. */
function knownTo({ instructions, messages }: State, at: number): Known {
  const texts = messages.flatMap((message, index) =>
    (message.role === 'assistant' || message.role === 'note') && index > at ? [] : [message.content],
  );
  const question = messages[at]?.content ?? '';
  const words = texts.filter(
    (text) => text !== question || !/[?？吗]|^\s*(?:is|are|will|does|do|what|how|when)\b|怎么样|如何|几|多少|什么/i.test(question),
  );
  const all = [instructions, ...texts].join('\n').normalize('NFKC');
  return {
    text: plain([instructions, ...words].join('\n')),
    numbers: numbersIn(all),
    figures: new Set([...numbersIn(all.replace(DAY_OR_TIME, ' ')), ...workedOut(question)]),
  };
}

function unknownFact(sentence: string, kind: Kind, known: Known): string | undefined {
  const times = [...sentence.matchAll(DAY_OR_TIME)];
  for (const pattern of kind.facts) {
    for (const { 0: found, index } of sentence.matchAll(pattern)) {
      // The 10 of 10:00 is no figure of its own.
      const fact = times.find((time) => time.index <= index && index + found.length <= time.index + time[0].length)?.[0] ?? found;
      const numbers = [...numbersIn(fact)];
      const given = fact.search(DAY_OR_TIME) < 0 ? known.figures : known.numbers;
      const isKnown = numbers.length > 0 ? numbers.every((number) => isGiven(number, given)) : known.text.includes(plain(fact));
      if (!isKnown) return fact.trim();
    }
  }
  return undefined;
}

/** Told, or some times a figure that was told. */
function isGiven(number: string, given: ReadonlySet<string>): boolean {
  if (given.has(number)) return true;
  const value = Number(number);
  return (
    value > 0 && [...given].some((other) => Number(other) > 9 && Number.isInteger(value / Number(other)) && value / Number(other) <= 12)
  );
}

function plain(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]/gu, '');
}

/** 09:05, 1,024 and 160.0 as 9:5, 1024 and 160. */
function numbersIn(text: string): Set<string> {
  const found = text.normalize('NFKC').match(/\d+(?:[.,:]\d+)*/g) ?? [];
  const plainNumber = (part: string) =>
    part
      .split(':')
      .map((piece) => String(Number(piece)))
      .join(':');
  return new Set(found.map((number) => plainNumber(number.replace(/,(?=\d{3}(?!\d))/g, ''))));
}

const TEXT = {
  en: {
    back: (fact: string, tool: string) =>
      `Your answer states "${fact}", which only a tool can know, and no result of this run says so. Call ${tool} and answer from its result, or say plainly that you do not know.`,
    unverified: (fact: string, tool: string) => `"${fact}" comes from no tool: ${tool} gave no result`,
  },
  zh: {
    back: (fact: string, tool: string) =>
      `你的回答中的“${fact}”只有工具才能知道，而本次运行没有任何结果这样说。请调用 ${tool} 并依据结果回答，或明确说明你不知道。`,
    unverified: (fact: string, tool: string) => `“${fact}”并非来自工具：${tool} 没有给出结果`,
  },
} as const;
