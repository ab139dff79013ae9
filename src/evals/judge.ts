/** The judge: what was expected of a request against what happened. Pure; the path counts, the wording hardly. */

import type { TokenUsage } from '../agent/types.ts';
import type { Json } from '../kernel/types.ts';
import { holdsNumber, mismatch, short } from './match.ts';
import { matchPath } from './path.ts';
import type { AnswerChecks, Ending, Expected, Happened, Limits } from './types.ts';

/** Words by which an answer refuses, or says that it cannot. */
const REFUSES =
  /不能|无法|不可以|不会(?:帮|为|替|执行)|拒绝|抱歉|对不起|不被允许|没有权限|没有成功|未获|cannot|can ?not|can['’]t|won['’]t|unable|not able|not allowed|not permitted|did not work|refuse|sorry|decline/i;
/** Words by which an answer asks for what is missing. */
const ASKS = /[?？]|请(?:问|提供|告诉|说明|确认|补充)|please (?:tell|give|provide|specify|let me know)|(?:which|what) .* (?:do|would) you/i;

/** One line for everything that is not as expected; none = passed. */
export function judge(expected: Expected, happened: Happened): string[] {
  const { outcome, asked, files } = happened;
  const ending = endingProblem(expected.ending, outcome);
  if (ending && outcome.error) return [ending]; // no model, no network: nothing else can be as expected
  const checks = [
    matchPath(outcome.toolCalls, expected.tools),
    ending,
    asksProblem(expected.asks, asked),
    ...answerProblems(expected.answer, outcome.answer),
    ...(expected.highlights ?? []).map((text) => highlightProblem(text, outcome.highlights)),
    expected.output === undefined ? undefined : mismatch(expected.output, outcome.output, 'output'),
    ...Object.entries(expected.files ?? {}).map(([path, content]) => mismatch(content, files[path], path)),
    ...limitProblems(expected.limits, happened),
  ];
  return checks.filter((problem) => problem !== undefined);
}

function endingProblem(endings: readonly Ending[], { status, answer, error }: Happened['outcome']): string | undefined {
  if (endings.some((ending) => endsSo(ending, status, answer))) return undefined;
  const why = error ? ` (${error.code}: ${error.message})` : '';
  return `outcome: expected ${endings.join(' or ')}, got ${status === 'success' ? short(answer) : status}${why}`;
}

function endsSo(ending: Ending, status: string, answer: string): boolean {
  if (ending === 'answer') return status === 'success' && answer.trim() !== '';
  if (ending === 'refusal') return status === 'success' && REFUSES.test(answer);
  if (ending === 'question') return status === 'success' && ASKS.test(answer);
  return ending === status;
}

function asksProblem(expected: readonly string[] | undefined, asked: readonly string[]): string | undefined {
  if (expected === undefined || expected.join() === asked.join()) return undefined;
  return `asks: expected ${expected.join(', ') || 'none'}, got ${asked.join(', ') || 'none'}`;
}

function answerProblems({ contains, not_contains, matches, number, within }: AnswerChecks, answer: string): (string | undefined)[] {
  const text = answer.toLowerCase();
  const has = (part: string) => text.includes(part.toLowerCase());
  const wrong = (expected: string) => `answer: expected ${expected}, got ${short(answer)}`;
  return [
    ...(contains ?? []).map((part) =>
      (typeof part === 'string' ? has(part) : part.some(has)) ? undefined : wrong(`${short(part)} in it`),
    ),
    ...(not_contains ?? []).map((part) => (has(part) ? wrong(`no ${short(part)} in it`) : undefined)),
    ...(matches ?? []).map((pattern) => (new RegExp(pattern, 'isu').test(answer) ? undefined : wrong(`/${pattern}/`))),
    number === undefined || holdsNumber(answer, number, within ?? 0) ? undefined : wrong(`the number ${number}`),
  ];
}

function highlightProblem(text: string, highlights: readonly string[]): string | undefined {
  const fits = highlights.some((one) => one.toLowerCase().includes(text.toLowerCase()));
  return fits ? undefined : `highlights: expected one with ${short(text)}, got ${short(highlights as Json)}`;
}

function limitProblems({ steps, tokens, seconds }: Limits, { outcome, seconds: took }: Happened): (string | undefined)[] {
  const used = tokensOf(outcome.usage);
  const over = (what: string, most: number | undefined, value: number | undefined) =>
    most !== undefined && value !== undefined && value > most ? `${what}: at most ${most}, got ${Math.round(value * 10) / 10}` : undefined;
  return [over('steps', steps, outcome.steps), over('tokens', tokens, used), over('seconds', seconds, took)];
}

/** Input and output together; undefined where the provider gave no figure. */
export function tokensOf({ inputTokens, outputTokens }: TokenUsage): number | undefined {
  return inputTokens === undefined ? undefined : inputTokens + (outputTokens ?? 0);
}
