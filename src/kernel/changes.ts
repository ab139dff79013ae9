/** What single facts mean for the state: the details behind `change` in kernel.ts. All pure. */

import { closedCall, denial, expired, unanswered } from './report.ts';
import { estimateTokens, fingerprint, stableJson } from './text.ts';
import type {
  AssistantMessage,
  Call,
  Cost,
  ErrorData,
  FilePart,
  KeptResult,
  Message,
  RunEvent,
  RunStart,
  Source,
  State,
  ToolMessage,
  Trail,
  Usage,
  UserMessage,
} from './types.ts';

/** What every run begins with. All keys are there from the beginning: states of one shape are copied several times faster. */
const NONE = Object.freeze([]) as readonly never[];
const LISTS = {
  calls: NONE,
  pending: NONE,
  highlights: NONE,
  waiting: NONE,
  ledger: NONE,
  in_doubt: NONE,
  sources: NONE,
  kept: NONE,
  trail: NONE,
};
const UNSET = { answer: undefined, answer_by: undefined, problem: undefined, error: undefined, stop: undefined, abort: undefined };
const COUNTS = { step: 0, thinking: false, usage: {}, work_ms: 0, overflow: false, trips: {}, results: {} };
const MONEY = { cost: undefined, unpriced: false };
export const FRESH = { ...LISTS, ...UNSET, ...COUNTS, ...MONEY, limit: undefined, outcome: undefined, parent_id: undefined };

/** What a fork in the middle of a step keeps besides the messages. */
export function goingOn({ calls, pending, answer, problem, ledger, trail, highlights }: State): Partial<State> {
  return { calls, pending, answer, problem, ledger, trail, highlights };
}

/** A history that a new run may start from: no call without its result, except in a fork that goes on with them. */
export function settle(before: State, going: boolean): State {
  if (!going) {
    return openCalls(before).reduce((state, call) => {
      const { event_type, data } = closedCall(state, call);
      const content = event_type === 'call.reject' ? data.message : data.shaped;
      return closeCall(state, call.id, content, { success: false, error_code: 'cancelled', ms: 0 });
    }, before);
  }
  const calls = before.calls.map((call): Call => {
    if (call.status === 'asked' || call.status === 'allowed') return { ...call, status: 'prepared' };
    return call.status === 'started' ? { ...call, status: 'in_doubt' } : call;
  });
  return { ...before, calls };
}

export function openCalls(state: State): Call[] {
  return state.calls.filter((call) => call.status !== 'done');
}

export function withStatus(state: State, status: Call['status']): Call[] | undefined {
  let found: Call[] | undefined; // most looks find nothing, and make nothing
  for (const call of state.calls) {
    if (call.status !== status) continue;
    found ??= [];
    found.push(call);
  }
  return found;
}

export function replied(state: State, data: RunEvent<'model.end'>['data']): State {
  const used = spent(state, data.usage, data.cost);
  const step = state.thinking ? state.step : state.step + 1; // every reply is a step, also of a performer that announced none
  if (data.error) return { ...state, ...used, thinking: false, step, error: data.error, overflow: data.error.code === 'context_overflow' };
  const calls = data.calls.map((proposed): Call => {
    const call: Call = { id: proposed.id, name: proposed.name, status: 'proposed', arguments: proposed.arguments };
    if (proposed.problem) call.problem = proposed.problem;
    if (proposed.decided_by) call.decided_by = proposed.decided_by;
    if (proposed.ask !== undefined) call.ask = proposed.ask;
    return call;
  });
  const message: AssistantMessage = { role: 'assistant', content: data.text };
  if (data.reasoning !== undefined) message.reasoning = data.reasoning;
  if (data.extra !== undefined) message.extra = data.extra;
  if (calls.length > 0) message.calls = data.calls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args }));
  const said = data.text !== '' || calls.length > 0; // an interrupted reply may have said nothing
  const known = data.usage?.input_tokens;
  const changed: State = { ...state, ...used, thinking: false, step, calls };
  if (said) changed.messages = [...state.messages, message];
  changed.tokens =
    known === undefined ? state.tokens + messageTokens(message) : known + (data.usage?.output_tokens ?? messageTokens(message));
  if (state.trips.compact) changed.trips = { ...state.trips, compact: 0 };
  if (data.highlights?.length) changed.highlights = [...state.highlights, ...data.highlights];
  if (data.problem) changed.problem = data.problem;
  if (calls.length === 0) {
    changed.answer = data.text;
    changed.answer_by = data.decided_by ?? 'model';
  }
  return changed;
}

export function tripped(state: State, data: RunEvent<'guard.trip'>['data']): State {
  const trips = countTrip(state, data.guard);
  if (data.verdict === 'refuse') return { ...state, trips }; // the calls got their results by call.reject
  if (data.verdict === 'stop') return { ...state, trips, stop: { guard: data.guard, message: data.message } };
  if (data.verdict === 'nudge') {
    const note: Message = { role: 'note', content: data.message };
    return {
      ...state,
      trips,
      messages: [...state.messages, note],
      tokens: state.tokens + messageTokens(note),
      answer: undefined,
      problem: undefined,
    };
  }
  const messages = [...state.messages.slice(0, -1), { role: 'assistant' as const, content: data.answer }];
  return { ...state, trips, messages, answer: data.answer, answer_by: 'rail' };
}

/** `ts`: when the answer was recorded; after the question's end it means no. */
export function approvalAnswered(state: State, data: RunEvent<'approval.answer'>['data'], ts: string): State {
  const question = state.waiting.find((waiting) => waiting.approval_id === data.approval_id);
  if (!question) return state;
  const answered: State = { ...state, waiting: state.waiting.filter((waiting) => waiting !== question) };
  return question.calls.reduce((before, { call_id, wants }) => {
    if (wants) return wordsGiven(before, call_id, data, question.expires !== undefined && ts > question.expires);
    if (question.expires !== undefined && ts > question.expires)
      return closeCall(before, call_id, expired(before), { success: false, error_code: 'approval_expired', ms: 0 });
    if (data.decision === 'approve')
      return withCall(before, call_id, (call) =>
        call.status === 'asked' ? { ...call, status: 'allowed', ...(data.by === 'rule' ? {} : { approved: true }) } : call,
      );
    const code = data.by === 'nobody' ? 'nobody_to_ask' : 'denied';
    return closeCall(before, call_id, denial(before, data.note ?? ''), { success: false, error_code: code, ms: 0 });
  }, answered);
}

/** Without words the call is over, and the model goes on without them. */
function wordsGiven(state: State, id: string, data: RunEvent<'approval.answer'>['data'], isLate: boolean): State {
  const { decision, note = '', by } = data;
  if (decision === 'approve' && note.trim() !== '' && !isLate) {
    return withCall(state, id, (call) => (call.status === 'asked' ? { ...call, status: 'allowed', approved: true, answer: note } : call));
  }
  const isNobody = by === 'nobody' || isLate;
  const code = isNobody ? 'nobody_to_ask' : 'not_answered';
  return closeCall(state, id, unanswered(state, isNobody ? '' : note), { success: false, error_code: code, ms: 0 });
}

export function withCall(state: State, id: string, edit: (call: Call) => Call): State {
  return { ...state, calls: state.calls.map((call) => (call.id === id && call.status !== 'done' ? edit(call) : call)) };
}

/** The one result of a call. When it was the last open one, all results enter the messages in call order (K3). */
export function closeCall(
  state: State,
  id: string,
  content: string,
  record: { success: boolean; error_code?: string; ms: number; ran?: true; final?: true },
): State {
  const open = state.calls.find((call) => call.id === id && call.status !== 'done');
  if (!open) return state;
  const calls = state.calls.map((call): Call => (call === open ? { ...call, status: 'done', content, success: record.success } : call));
  const trail = [...state.trail.slice(-49), trailOf(state, open, content, record)];
  const outward = record.ran && (open.level === 'dangerous' || open.outward) ? { outward: true as const } : {};
  const { final: _, ...kept } = record;
  const ledger = [...state.ledger, { name: open.name, arguments: open.arguments, ...kept, ...outward }];
  const waiting = state.waiting
    .map((question) => ({ ...question, calls: question.calls.filter(({ call_id }) => call_id !== id) }))
    .filter((question) => question.calls.length > 0);
  if (calls.some((call) => call.status !== 'done')) return { ...state, calls, ledger, trail, waiting };
  const results = calls.map(
    (call): ToolMessage => ({
      role: 'tool',
      call_id: call.id,
      name: call.name,
      content: call.content ?? '',
      success: call.success ?? false,
      ...(call.untrusted ? { untrusted: true } : {}),
      ...(call.private ? { private: true } : {}),
    }),
  );
  const tokens = results.reduce((sum, message) => sum + messageTokens(message), state.tokens);
  return { ...state, calls: [], ledger, trail, waiting, messages: [...state.messages, ...results], tokens };
}

function trailOf(
  state: State,
  { id, name, arguments: args }: Call,
  content: string,
  record: { success: boolean; error_code?: string; final?: true },
): Trail {
  const { success, error_code, final } = record;
  const base = { call_id: id, name, arguments: stableJson(args), result: fingerprint(content), success, step: state.step };
  return error_code === undefined ? base : { ...base, error_code, ...(final ? { final } : {}) };
}

/** What the trail keeps of a tool's error. */
export function failedAs({ code, final }: ErrorData): { error_code: string; final?: true } {
  return final === true ? { error_code: code, final } : { error_code: code };
}

/** A result has come: what it brings into the run, and what it cost (a sub-agent's use is its caller's). */
export function entered(state: State, data: RunEvent<'tool.end'>['data']): State {
  const call = state.calls.find(({ id, status }) => id === data.call_id && status !== 'done');
  const paid = data.usage || data.cost ? { ...state, ...spent(state, data.usage, data.cost) } : state;
  const untrusted = call?.untrusted || data.untrusted ? { untrusted: true as const } : {};
  const isPrivate = call?.private || data.private ? { private: true as const } : {};
  const marks = { ...untrusted, ...isPrivate };
  const known = call && data.handle !== undefined ? { ...paid, kept: [...paid.kept, keptOf(state, call, data.handle, marks)] } : paid;
  if (!call || (!untrusted.untrusted && !isPrivate.private)) return known;
  const from = data.from === undefined ? {} : { from: data.from };
  const source: Source = { call_id: call.id, name: call.name, ...marks, ...from };
  return withCall({ ...known, sources: [...known.sources, source] }, call.id, (one) => ({ ...one, ...marks }));
}

/** Files that a person gives are their own, so that they do not leave unseen; what they say, others may have written. */
export function attached(messages: readonly UserMessage[]): Source[] {
  const names = messages.flatMap(({ files = [] }) => files.map(({ name }) => name));
  return names.map((from) => ({ call_id: '', name: 'attachment', untrusted: true, private: true, from }));
}

/** What a run begins with: of the runs before it, of the run that made its request, and of files. */
export function broughtIn({ sources = [], input }: RunStart, before?: State): Source[] {
  return [...(before?.sources ?? []), ...sources, ...attached([...(before?.pending ?? []), ...(input ? [input] : [])])];
}

function keptOf({ run_id }: State, { id, name }: Call, handle: string, marks: Pick<KeptResult, 'untrusted' | 'private'>): KeptResult {
  return { handle, call_id: id, run_id, name, ...marks };
}

/** Another model does not get foreign thinking or signatures. */
export function forModel(messages: readonly Message[], same: boolean): readonly Message[] {
  if (same) return messages;
  return messages.map((message) => {
    if (message.role !== 'assistant') return message;
    const { reasoning: _reasoning, extra: _extra, ...kept } = message;
    return kept;
  });
}

export function countTrip(state: State, name: string): Record<string, number> {
  return { ...state.trips, [name]: (state.trips[name] ?? 0) + 1 };
}

/** Tokens and money of one reply. Costs add up in one currency: an amount in another one is not known in the first. */
export function spent(state: State, usage?: Usage, cost?: Cost): Pick<State, 'usage' | 'cost' | 'unpriced'> {
  if (!usage && !cost) return { usage: state.usage, cost: state.cost, unpriced: state.unpriced };
  const adds = cost !== undefined && (state.cost === undefined || state.cost.currency === cost.currency);
  const total = adds ? { amount: (state.cost?.amount ?? 0) + cost.amount, currency: cost.currency } : state.cost;
  return {
    usage: usage ? addUsage(state.usage, usage) : state.usage,
    cost: total,
    unpriced: state.unpriced || !adds || cost.partial === true,
  };
}

function addUsage(sum: Usage, more: Usage): Usage {
  const total: Usage = { ...sum };
  for (const key of Object.keys(more) as (keyof Usage)[]) {
    if (more[key] !== undefined) total[key] = (sum[key] ?? 0) + more[key];
  }
  return total;
}

export function messageTokens(message: Message): number {
  let tokens = estimateTokens(message.content) + 4;
  if (message.role === 'assistant') for (const call of message.calls ?? []) tokens += estimateTokens(stableJson(call.arguments)) + 8;
  if (message.role === 'user') for (const file of message.files ?? []) tokens += fileTokens(file);
  return tokens;
}

/** Providers count an image by its size on the screen; 1,500 is about the most that one costs after their scaling. */
function fileTokens(file: FilePart): number {
  return file.media_type.startsWith('image/') ? 1500 : estimateTokens(file.data);
}
