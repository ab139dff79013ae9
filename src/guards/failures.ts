/**
 * Repeated failures: a tool that has failed twice in a row is closed, and the model is told which other tools are like it. It opens
 * again for arguments not tried yet once another call has succeeded and may have shown what was wrong. A failure that the tool itself
 * calls final closes it at once, and for good.
 */

import { stableJson } from '../kernel/text.ts';
import type { Call, Guard, State } from '../kernel/types.ts';
import { type GuardNumbers, numbersOf } from './numbers.ts';
import { type Finished, recentCalls } from './recent.ts';

const FAILURES = 'tool_failures';
/** The model's mistakes: nothing ran. */
const BAD_ARGUMENTS = new Set(['invalid_arguments', 'bad_arguments', 'not_an_object', 'no_input', 'unreadable', 'truncated', 'too_large']);
/** Endings that say nothing about the tool. */
const NO_FAILURE = new Set(['cancelled', 'in_doubt', 'denied', 'approval_outdated', 'no_result']);

/** `similar`: other tools that may do the same, best first. */
export function failureGuard(similar: (tool: string) => readonly string[]): Guard {
  return (state) => {
    if (state.calls.length === 0 || state.trail.every(({ success }) => success)) return undefined;
    const open = state.calls.filter(({ status }) => status === 'proposed' || status === 'prepared');
    if (open.length === 0) return undefined;
    const numbers = numbersOf(state);
    const recent = recentCalls(state);
    const closed = open.map((call) => closing(call, recent, numbers)).find((found) => found !== undefined);
    if (!closed) return undefined;
    return { guard: FAILURES, ...verdictOn(closed, { state, recent, open, numbers, others: similar(closed.name) }) };
  };
}

interface Closing {
  name: string;
  why: 'failed' | 'arguments' | 'final';
  times: number;
  /** The error code of a final failure. */
  code: string;
}

/** Why this call is not made. Its arguments are known to be valid once it is prepared. */
function closing({ name, status, arguments: args }: Call, recent: readonly Finished[], numbers: GuardNumbers): Closing | undefined {
  const isOf = status === 'prepared' ? hasFailed : isMistaken;
  const limit = status === 'prepared' ? numbers.tool_failures : numbers.argument_failures;
  if (limit === 0) return undefined;
  const failed = inARow(recent, name, isOf);
  const times = failed.length;
  const final = failed.find((entry) => entry.final);
  if (final) return { name, why: 'final', times, code: final.error_code ?? '' };
  if (times < limit || isOpenAgain(recent, failed, stableJson(args))) return undefined;
  return { name, why: status === 'prepared' ? 'failed' : 'arguments', times, code: '' };
}

function hasFailed({ ran, success, error_code = '' }: Finished): boolean {
  return ran === true && !success && !NO_FAILURE.has(error_code);
}

function isMistaken({ ran, error_code = '' }: Finished): boolean {
  return !ran && BAD_ARGUMENTS.has(error_code);
}

/** The tool's failures since it last succeeded, newest first. Refusals and cancelled calls are passed over. */
function inARow(recent: readonly Finished[], name: string, isOf: (entry: Finished) => boolean): Finished[] {
  const own = recent.filter((entry) => entry.name === name);
  return own
    .slice(own.findLastIndex((entry) => entry.success) + 1)
    .filter(isOf)
    .reverse();
}

function isOpenAgain(recent: readonly Finished[], failed: readonly Finished[], args: string): boolean {
  const isNew = failed.every((entry) => entry.arguments !== args);
  return isNew && recent.slice(recent.indexOf(failed[0]!)).some(({ success }) => success);
}

interface Situation {
  state: State;
  recent: readonly Finished[];
  open: readonly Call[];
  numbers: GuardNumbers;
  others: readonly string[];
}

function verdictOn({ name, why, times, code }: Closing, { state, recent, open, numbers, others }: Situation) {
  const text = TEXT[state.language];
  const refused = recent.filter((entry) => entry.name === name && entry.error_code === FAILURES).length;
  if (numbers.failure_insist > 0 && refused >= numbers.failure_insist) return { verdict: 'stop' as const, message: text.stop(name, times) };
  const call_ids = open.filter((call) => closing(call, recent, numbers)?.name === name).map(({ id }) => id);
  return {
    verdict: 'refuse' as const,
    message: `${why === 'final' ? text.final(name, code) : text[why](name, times)} ${text.instead(others)}`,
    call_ids,
  };
}

const TEXT = {
  en: {
    failed: (name: string, times: number) => `Not made: ${name} has failed ${times} times in a row and is closed for now.`,
    final: (name: string, code: string) => `Not made: ${name} has failed in a way that no further call can mend (${code}) and is closed.`,
    arguments: (name: string, times: number) =>
      `Not made: ${times} calls of ${name} in a row had wrong arguments, and it is closed for now.`,
    instead: (others: readonly string[]) =>
      others.length > 0
        ? `Similar tools: ${others.join(', ')}. If none of them helps, tell the user what does not work and what is missing.`
        : 'No other tool does the same: tell the user what does not work and what is missing.',
    stop: (name: string, times: number) => `${name} was closed after ${times} failures in a row, and the model went on calling it.`,
  },
  zh: {
    failed: (name: string, times: number) => `未执行：${name} 已连续失败 ${times} 次，暂时关闭。`,
    final: (name: string, code: string) => `未执行：${name} 出现了再调用也无法解决的错误（${code}），已关闭。`,
    arguments: (name: string, times: number) => `未执行：${name} 连续 ${times} 次参数有误，暂时关闭。`,
    instead: (others: readonly string[]) =>
      others.length > 0
        ? `类似的工具：${others.join('、')}。如果都帮不上忙，就告诉用户哪里行不通、缺少什么。`
        : '没有其他工具能做同样的事：请告诉用户哪里行不通、缺少什么。',
    stop: (name: string, times: number) => `${name} 连续失败 ${times} 次后已关闭，模型仍继续调用。`,
  },
} as const;
