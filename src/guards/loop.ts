/**
 * Loops: the same call that gives the same result brings nothing new. At the second the model is told to try another way, the third
 * is not made, and a model that insists ends the run. A result that changes (polling), and another call that has changed something in
 * between, make a repeat worth its while.
 */

import { stableJson } from '../kernel/text.ts';
import type { Call, Guard, Json, JsonObject, Level, State, Trail, Verdict } from '../kernel/types.ts';
import { numbersOf } from './numbers.ts';
import { recentTrail } from './recent.ts';

const LOOP = 'loop';

/** `level` of a tool; undefined when it is not known. */
export function loopGuard(level: (tool: string) => Level | undefined): Guard {
  return (state) => {
    const { loop_calls: calls, loop_insist: insist } = numbersOf(state);
    if (calls === 0 || state.trail.length < calls - 1) return undefined;
    const verdict = refusal(state, calls, insist, level) ?? nudge(state, calls, level);
    return verdict && { guard: LOOP, ...verdict };
  };
}

/** Before a call is made: it would be one too many. */
function refusal(state: State, calls: number, insist: number, level: LevelOf): Verdict | undefined {
  const open = state.calls.filter(
    ({ name, status }) => (status === 'proposed' || status === 'prepared') && mayRepeat(state, name, calls - 1),
  );
  if (open.length === 0) return undefined;
  const recent = recentTrail(state);
  const asked = open.map((call) => ({ call, like: wanted(call) }));
  const counted = asked.map(({ call, like }) => ({ call, like, times: repeats(recent, like, level) }));
  const repeated = counted.filter(({ times }) => times >= calls - 1);
  const first = repeated[0];
  if (!first) return undefined;
  const text = TEXT[state.language];
  const refused = recent.filter((entry) => entry.error_code === LOOP && isSame(entry, first.like, level)).length;
  if (insist > 0 && refused >= insist) return { verdict: 'stop', message: text.stop(first.call.name, first.times) };
  const names = [...new Set(repeated.map(({ call }) => call.name))].join(', ');
  return { verdict: 'refuse', message: text.refuse(names, first.times), call_ids: repeated.map(({ call }) => call.id) };
}

/** After the results of a step: one of its calls has now brought nothing new as often as is allowed. */
function nudge(state: State, calls: number, level: LevelOf): Verdict | undefined {
  if (calls < 3 || state.messages.at(-1)?.role !== 'tool') return undefined;
  const recent = recentTrail(state);
  const newest = recent.filter(
    (entry) => entry.step === state.step && entry.error_code !== LOOP && mayRepeat(state, entry.name, calls - 1),
  );
  const found = newest.find((entry) => repeats(recent, entry, level) === calls - 1);
  return found && { verdict: 'nudge', message: TEXT[state.language].nudge(found.name, calls - 1) };
}

/** Nearly every call is new: whether one result of this tool has come often enough is seen without comparing arguments. */
function mayRepeat({ trail }: State, name: string, times: number): boolean {
  return trail.some(({ name: first, result, error_code }, at) => {
    if (first !== name || error_code === LOOP) return false;
    let equal = 1;
    for (let next = at + 1; next < trail.length; next++) {
      const entry = trail[next]!;
      if (entry.result === result && entry.name === name && entry.error_code !== LOOP) equal += 1;
    }
    return equal >= times;
  });
}

type LevelOf = (tool: string) => Level | undefined;
type Wanted = Pick<Trail, 'name' | 'arguments'>;

function wanted({ name, arguments: args }: Call): Wanted {
  return { name, arguments: stableJson(args) };
}

/** How many steps in a row, as far back as nothing changed, have made this call and got the same result. */
function repeats(recent: readonly Trail[], call: Wanted, level: LevelOf): number {
  const steps = new Set<number>();
  let result: string | undefined;
  for (let index = recent.length - 1; index >= 0; index--) {
    const entry = recent[index]!;
    if (entry.error_code === LOOP) continue;
    if (isSame(entry, call, level)) {
      result ??= entry.result;
      if (entry.result !== result) break;
      steps.add(entry.step); // twice in one reply is waste, not insisting
    } else if (entry.success && level(entry.name) !== 'read' && !isRepeat(recent, index)) break;
  }
  return steps.size;
}

/** A change that is made again and gives the same is none: read, write, read, write is a loop, too. */
function isRepeat(recent: readonly Trail[], index: number): boolean {
  const entry = recent[index]!;
  return recent
    .slice(0, index)
    .some(({ name, arguments: args, result }) => name === entry.name && args === entry.arguments && result === entry.result);
}

/** Reading calls also when they differ in trifles only; what acts, and what failed, has to be the very same. */
function isSame(entry: Wanted & Partial<Pick<Trail, 'success' | 'error_code'>>, call: Wanted, level: LevelOf): boolean {
  if (entry.name !== call.name) return false;
  if (entry.arguments === call.arguments) return true;
  const hasFailed = entry.success === false && entry.error_code !== LOOP;
  return !hasFailed && level(call.name) === 'read' && gist(entry) === gist(call);
}

const PAGING = /^(?:page|offset|skip|start|cursor|page_?(?:no|num|number|index)|页码?|第几页|偏移)$/i;

/** Entries of a trail live as long as their run, and are looked at again and again. */
const gists = new WeakMap<Wanted, string>();

/** The arguments without paging, letter case, spaces and punctuation. */
function gist(call: Wanted): string {
  const made = gists.get(call) ?? makeGist(call.arguments);
  gists.set(call, made);
  return made;
}

function makeGist(canonical: string): string {
  const args = JSON.parse(canonical) as JsonObject;
  const kept = Object.entries(args).filter(([name, value]) => !(PAGING.test(name) && /^\d+$/.test(String(value))));
  return stableJson(Object.fromEntries(kept.map(([name, value]) => [name, plain(value)])));
}

function plain(value: Json): Json {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
  if (typeof value !== 'string') return value;
  // Signs that arithmetic, paths and code are made of stay: 2*2 is not 2+2.
  return value
    .normalize('NFKC')
    .toLowerCase()
    .replace(/(?<!\d)[.,:]|[.,:](?!\d)|[\s;!?'"“”‘’`。，、；：！？…()[\]{}【】《》「」]/gu, '');
}

const TEXT = {
  en: {
    nudge: (name: string, times: number) =>
      `${name} was called ${times} times in this way and gave the same result each time. Calling it again will give nothing new: use what you have, try another way, or tell the user what is missing.`,
    refuse: (names: string, times: number) =>
      `Not made: ${names} was already called ${times} times in this way, with the same result each time. Use that result or another way; if there is none, answer with what you have and say what is missing.`,
    stop: (name: string, times: number) =>
      `${name} was called in the same way again and again: ${times} times it gave the same result, then the call was refused, and the model insisted on it.`,
  },
  zh: {
    nudge: (name: string, times: number) =>
      `${name} 已用同样的方式调用 ${times} 次，每次结果都相同，再调用也不会有新内容。请利用已有结果、换一种办法，或告诉用户还缺什么。`,
    refuse: (names: string, times: number) =>
      `未执行：${names} 已用同样的方式调用 ${times} 次，每次结果都相同。请使用已有结果或换一种办法；若没有别的办法，就用已知内容回答，并说明缺少什么。`,
    stop: (name: string, times: number) => `反复以同样的方式调用 ${name}：${times} 次结果都相同，之后的调用被拒绝，模型仍坚持调用。`,
  },
} as const;
