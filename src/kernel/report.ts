/** What the kernel makes by code, in the language of the run: the outcome, its report, and the result of a call that never ran. */

import { cut, stableJson } from './text.ts';
import type { Call, CallQuestion, ErrorData, Fact, Outcome, Rules, State, Status, Verdict } from './types.ts';

const steps = (n: number) => (n === 1 ? '1 step' : `${n} steps`);

const TEXT = {
  en: {
    cancelled: 'Not run: the run was stopped before this call.',
    inDoubt:
      'Unknown: this call had started before the program was interrupted, and it is not known whether it took effect. Do not repeat it; check first, or tell the user.',
    denied: 'Denied: this call was not allowed, and nothing was done.',
    reason: 'Reason: ',
    expired: 'nobody answered the question in time; ask the user whether it is still wanted',
    unanswered:
      'Nobody has answered this question. Go on with the most likely assumption, and say in your answer which one you made; do not ask again.',
    ended: {
      max_steps: (n: number) => `Stopped after ${steps(n)}, the limit of this run (max_steps).`,
      timeout: (n: number) => `Stopped after ${steps(n)}: the time for this run is used up (max_seconds).`,
      cancelled: (n: number) => `Cancelled after ${steps(n)}.`,
      stopped_by_guard: (n: number) => `Stopped by a guard after ${steps(n)}.`,
      error: (n: number) => `Ended by an error after ${steps(n)}.`,
    },
    done: 'Done: ',
    nothing: 'no tool call has succeeded.',
    stuck: 'Stuck at: ',
    left: 'Left: ',
    leftText: (request: string) => `the request is not answered yet: ${request}`,
    ask: 'A clearer request would name the exact input, ask for one thing at a time, or allow more steps (--max-steps).',
    failed: 'failed',
    tooLarge: (tokens: number, window: number, place: string) =>
      `The request would need about ${tokens} tokens, and the model's window has ${window}. The largest part is ${place}.`,
    tooLargeNext: 'Send less, begin a new session, or use a model with a larger window.',
    roles: { user: 'your message', assistant: "the model's reply", tool: 'a result', note: 'a note' },
    times: (n: number) => (n > 1 ? ` (${n} times)` : ''),
  },
  zh: {
    cancelled: '未执行：运行在此调用之前已停止。',
    inDoubt: '未知：程序中断前此调用已开始，无法确定是否已生效。不要重复调用；请先核实，或告知用户。',
    denied: '被拒绝：此调用未获许可，没有执行任何操作。',
    reason: '原因：',
    expired: '询问已过期，无人答复；请先问用户是否仍需要',
    unanswered: '没有人回答这个问题。请按最可能的假设继续，并在回答中说明你做了什么假设；不要再问。',
    ended: {
      max_steps: (n: number) => `已执行 ${n} 步，达到本次运行的步数上限（max_steps），停止。`,
      timeout: (n: number) => `已执行 ${n} 步，本次运行的时间已用完（max_seconds），停止。`,
      cancelled: (n: number) => `已执行 ${n} 步，运行被取消。`,
      stopped_by_guard: (n: number) => `已执行 ${n} 步，被防护规则停止。`,
      error: (n: number) => `已执行 ${n} 步，因错误结束。`,
    },
    done: '已完成：',
    nothing: '没有成功的工具调用。',
    stuck: '卡在：',
    left: '未完成：',
    leftText: (request: string) => `请求尚未得到回答：${request}`,
    ask: '更清楚的请求可以写明确切的输入、一次只问一件事，或允许更多步数（--max-steps）。',
    failed: '失败',
    tooLarge: (tokens: number, window: number, place: string) =>
      `请求约需 ${tokens} 个 token，而模型的窗口只有 ${window}。最大的部分是${place}。`,
    tooLargeNext: '请缩短内容、开始新的会话，或换用窗口更大的模型。',
    roles: { user: '你的消息', assistant: '模型的回复', tool: '工具结果', note: '提示' },
    times: (n: number) => (n > 1 ? `（${n} 次）` : ''),
  },
} as const;

/** The one result of a call that will not run any more. */
export function closedCall(state: State, call: Call): Fact<'call.reject' | 'tool.end'> {
  const text = TEXT[state.language];
  if (call.status !== 'in_doubt' && call.status !== 'started') {
    return { event_type: 'call.reject', data: { call_id: call.id, name: call.name, code: 'cancelled', message: text.cancelled } };
  }
  const error = { code: 'in_doubt', message: text.inDoubt };
  return {
    event_type: 'tool.end',
    data: { call_id: call.id, name: call.name, result: { success: false, error }, shaped: text.inDoubt, ms: 0 },
  };
}

/** A guard's refusal: the calls that it names are not made, and its words are their result. */
export function refused(state: State, verdict: { guard: string } & Verdict): Fact<'call.reject'>[] {
  if (verdict.verdict !== 'refuse') return [];
  const { call_ids, guard, message } = verdict;
  return state.calls
    .filter((call) => call_ids.includes(call.id) && call.status !== 'done')
    .map(({ id, name }) => ({ event_type: 'call.reject', data: { call_id: id, name, code: guard, message } }));
}

/** One question for all calls of a step that a person has to say yes or no to, and one for each that wants their words. */
export function questions(
  state: State,
  rules: Rules,
  asked: readonly Call[],
  reasons: ReadonlyMap<string, string>,
): Fact<'approval.ask'>[] {
  const groups = [asked.filter((call) => !call.wants), ...asked.filter((call) => call.wants).map((call) => [call])];
  return groups
    .filter((calls) => calls.length > 0)
    .map((calls, index) => question(state, rules, calls, reasons, `${state.run_id}.${state.seq + index}`));
}

function question(
  state: State,
  rules: Rules,
  asked: readonly Call[],
  reasons: ReadonlyMap<string, string>,
  approval_id: string,
): Fact<'approval.ask'> {
  const calls = asked.map((call): CallQuestion => {
    const { id, name, level = 'dangerous', arguments: args, hash = '', preview, wants } = call;
    const reason = reasons.get(id);
    const more = {
      ...(reason === undefined ? {} : { reason }),
      ...(preview === undefined ? {} : { preview }),
      ...(wants ? { wants } : {}),
    };
    return { call_id: id, name, level, arguments: args, hash, ...more, ...rules.question?.(state, call) };
  });
  const { approval_ms } = rules;
  const expires = approval_ms === undefined ? {} : { expires: new Date(Date.parse(state.last_ts) + approval_ms).toISOString() };
  return { event_type: 'approval.ask', data: { approval_id, calls, ...expires } };
}

/** What the model reads in place of a result when a call was not allowed. */
export function denial(state: State, reason: string): string {
  const text = TEXT[state.language];
  return reason === '' ? text.denied : `${text.denied} ${text.reason}${reason}`;
}

/** The same, of a question that nobody answered in its time. */
export function expired(state: State): string {
  return denial(state, TEXT[state.language].expired);
}

/** What the model reads in place of the words that it wanted. `note`: what a person said instead. */
export function unanswered(state: State, note: string): string {
  const text = TEXT[state.language];
  return note === '' ? text.unanswered : `${text.unanswered} ${text.reason}${note}`;
}

/** The structured outcome of a state (K7). A run that ends early answers with its report. */
export function outcomeOf(state: State, status: Status, more: Partial<Outcome> = {}): Outcome {
  return {
    status,
    answer: state.answer ?? lastSaid(state),
    highlights: [...state.highlights],
    steps: state.step,
    usage: state.usage,
    ...(state.cost ? { cost: state.unpriced ? { ...state.cost, partial: true as const } : state.cost } : {}),
    tool_calls: [...state.ledger],
    ...(state.in_doubt.length > 0 ? { in_doubt: [...state.in_doubt] } : {}),
    ...more,
  };
}

/** The last complete or broken-off answer of this run, for one that ended before it was final. */
function lastSaid(state: State): string {
  const last = state.messages.slice(state.own_from).findLast((message) => message.role === 'assistant');
  return last && !last.calls ? last.content : '';
}

/** The error of a history that does not fit and cannot get smaller: it names what takes the place. */
export function tooLarge(state: State): ErrorData {
  const text = TEXT[state.language];
  const largest = state.messages.reduce((most, message) => (message.content.length > most.content.length ? message : most));
  const place = `${text.roles[largest.role]} "${cut(largest.content, 60)}" (${largest.content.length})`;
  const message = text.tooLarge(state.tokens, state.limits.context_tokens ?? 0, place);
  return { code: 'context_too_large', message, next: text.tooLargeNext };
}

/** Where the run is stuck, what it did, what is left, what a clearer request would say (K2). Made by code, never by a model. */
export function report(state: State, status: Exclude<Status, 'success' | 'waiting_for_approval'>): string {
  const text = TEXT[state.language];
  const done = state.ledger.filter((record) => record.success).map((record) => shortCall(record.name, record.arguments));
  const last = state.ledger.at(-1);
  const repeats = last
    ? state.ledger.filter((record) => shortCall(record.name, record.arguments) === shortCall(last.name, last.arguments)).length
    : 0;
  const request = state.messages.slice(state.own_from).find((message) => message.role === 'user');
  const stuck = state.error?.message ?? state.stop?.message ?? state.abort?.error?.message;
  const lines = [
    text.ended[status](state.step),
    `${text.done}${done.length > 0 ? counted(done, text.times).join('; ') : text.nothing}`,
    ...(stuck ? [`${text.stuck}${stuck}`] : []),
    ...(!stuck && last
      ? [
          `${text.stuck}${shortCall(last.name, last.arguments)}${last.success ? '' : ` ${text.failed} (${last.error_code})`}${text.times(repeats)}`,
        ]
      : []),
    ...(request ? [`${text.left}${text.leftText(cut(request.content, 200))}`] : []),
    ...(status === 'max_steps' || status === 'timeout' ? [text.ask] : []),
  ];
  return lines.join('\n');
}

function shortCall(name: string, args: unknown): string {
  return cut(`${name}(${stableJson(args)})`, 160);
}

function counted(items: string[], times: (n: number) => string): string[] {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return [...counts].map(([item, n]) => item + times(n));
}
