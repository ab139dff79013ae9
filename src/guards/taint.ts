/**
 * The gate behind the rules: what may happen after text of strangers has entered a run. It looks at where texts came from and at what a
 * call does, never at what a text says, so that no wording opens it. The gate is the run: a yes to one call says nothing about the next.
 */

import type { Call, Json, Permission, Rules, Source, State } from '../kernel/types.ts';
import { numbersOf } from './numbers.ts';
import { explainOrigins } from './repeats.ts';

/** Sources named in a reason; the question lists them all. */
const NAMED = 3;
const TEXT = {
  en: {
    taint: (sources: string) =>
      `untrusted text has entered this run (${sources}); what has consequences needs your word, whatever the rules allow`,
    leak: (sources: string, own: string) =>
      `untrusted text (${sources}) and private data (${own}) have entered this run, and this call carries its arguments out of this machine`,
    more: (n: number) => ` and ${n} more`,
    comma: ', ',
  },
  zh: {
    taint: (sources: string) => `不可信的文本已进入本次运行（${sources}）；有后果的操作须经你同意，规则允许也不例外`,
    leak: (sources: string, own: string) => `不可信的文本（${sources}）和私有数据（${own}）都已进入本次运行，而此调用会把参数发往外部`,
    more: (n: number) => ` 等，另有 ${n} 个`,
    comma: '、',
  },
} as const;

/** The rules with the gate and the wishes of hooks and tools (`call.ask`) on top of them. A deny stays a deny. */
export function withGate(permit: Rules['permit']): Pick<Rules, 'permit' | 'question'> {
  return {
    permit(state, call) {
      const permission = permit(state, call);
      if (permission.decision === 'deny') return permission;
      const gated = gate(state, call);
      if (gated?.decision === 'deny') return gated;
      const reasons = [gated?.reason, call.ask].filter((reason) => reason !== undefined);
      if (reasons.length === 0) return permission;
      return { decision: 'ask', reason: reasons.join('; '), by: gated ? 'gate' : 'hook' };
    },
    question: explainOrigins,
  };
}

/** What the origins say about a call; undefined = nothing. */
function gate(state: State, call: Call): Permission | undefined {
  const untrusted = state.sources.filter((source) => source.untrusted);
  if (untrusted.length === 0) return undefined;
  const numbers = numbersOf(state);
  const text = TEXT[state.language];
  const own = state.sources.filter((source) => source.private);
  if (numbers.leak && own.length > 0 && leavesThisMachine(state, call)) {
    const reason = text.leak(named(untrusted, state), named(own, state));
    return { decision: numbers.leak_refused ? 'deny' : 'ask', reason, by: 'gate' };
  }
  if (!numbers.taint || call.level === 'read') return undefined;
  return { decision: 'ask', reason: text.taint(named(untrusted, state)), by: 'gate' };
}

/** A call that only looks carries nothing out when all that it says is the person's own. */
function leavesThisMachine(state: State, call: Call): boolean {
  if (call.level === 'dangerous' || call.level === undefined) return true;
  return call.outward === true && (call.level === 'write' || !isUsersOwn(state, call));
}

function named(sources: readonly Source[], { language }: State): string {
  const text = TEXT[language];
  const names = [...new Set(sources.map(({ name, from }) => (from === undefined ? name : `${name}: ${from}`)))];
  return names.slice(-NAMED).join(text.comma) + (names.length > NAMED ? text.more(names.length - NAMED) : '');
}

/**
 * Every argument of a call that only looks stands word for word in what the person wrote, and so does its name where the schema leaves
 * that to the model: it carries nothing out that they have not said. A sub-agent's request was written by a model, so that it counts for nothing.
 */
function isUsersOwn(state: State, { arguments: args, free_names: names = [] }: Call): boolean {
  if (state.parent_id !== undefined) return false;
  const said = state.messages.flatMap((message) => (message.role === 'user' ? [message.content] : []));
  return [...Object.values(args), ...names].every((value) => [value].flat().every((one: Json) => said.some((text) => stands(one, text))));
}

/** As whole words; lists and objects within lists never do. */
function stands(value: Json, text: string): boolean {
  if (typeof value === 'boolean' || value === null) return true;
  if (typeof value !== 'string' && typeof value !== 'number') return false;
  const wanted = String(value);
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    if (!joined(text, at) && !joined(text, at + wanted.length)) return true;
  }
  return false;
}

/** A letter or digit stands on both sides of this place, and not between two Han characters, which have no spaces between words. */
function joined(text: string, at: number): boolean {
  const [before = '', after = ''] = [text.slice(0, at).match(/.$/su)?.[0], text.slice(at).match(/^./su)?.[0]];
  if (/\p{Script=Han}/u.test(before + after)) return false;
  return /[\p{L}\p{N}]/u.test(before) && /[\p{L}\p{N}]/u.test(after);
}
