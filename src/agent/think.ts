/** The performer that asks the model: render, ask (with retries), read, report. It never throws for what a model or network did. */

import { unlessAborted } from '../kernel/abort.ts';
import { errorData, HermesError } from '../kernel/errors.ts';
import type { Cost, EventData, Fact, Json, Performers, Performing, Reply, State, ToolInfo, Usage } from '../kernel/types.ts';
import { withRetry } from '../models/retry.ts';
import type { AskOptions, ChatModel, Delta } from '../models/types.ts';
import type { Protocol, Reading } from '../protocols/types.ts';
import { offeredTools } from '../tools/shape/read-result.ts';
import { defined } from './defined.ts';
import { cannotSee, withoutImages } from './images.ts';
import { type Attempt, type Recover, sentence } from './recover.ts';

export interface ThinkParts {
  /** The model that the state names. */
  model(id: string): ChatModel;
  protocol(name: string): Protocol | Promise<Protocol>;
  /** All that can be called. */
  tools(): readonly ToolInfo[];
  /** Those of them that this request describes. */
  shown(state: State, tools: readonly ToolInfo[]): readonly ToolInfo[];
  /** Tools that came or went by themselves; asked before `tools`. */
  toolChange(): EventData['run.change'] | undefined;
  /** Default 0.2 when tools are offered (K4), else the model's own. */
  temperature?: number;
  /** Most tokens a reply may have; absent = the model's own limit. */
  maxTokens?: number;
  /** How hard a reasoning model thinks; absent = as the provider has it. */
  reasoning?: NonNullable<AskOptions['reasoning']>;
  /** Somebody listens: the reply is asked for as a stream. */
  streaming: boolean;
  /** What can be done otherwise after this error; absent = nothing. */
  recover: Recover;
  /** What a reply of this model costs, unless its endpoint says so; undefined = not known. */
  cost(model: ChatModel, usage: Usage | undefined): Cost | undefined;
  /** Said beside the first reply that was paid for by an old price. */
  oldPrices(state: State): Fact<'run.note'>[];
  /** Sees each complete request and raw reply (HERMES_DEBUG=1). */
  debug?(state: State, request: AskOptions, reply: Reply | undefined): Promise<void>;
}

export function createThink(parts: ThinkParts): Performers['think'] {
  const ids = new CallIds();
  return async (before, performing) => {
    const attempt: Attempt = {
      state: { ...before, step: before.step + 1 },
      failed: [],
      fallbacks: 0,
      ...defined({ maxTokens: parts.maxTokens }),
    };
    const change = parts.toolChange();
    const all = offeredTools(parts.tools(), attempt.state);
    const tools = parts.shown(attempt.state, all);
    const { step, messages, tokens } = attempt.state;
    const first: Fact[] = [
      ...(change ? [{ event_type: 'run.change' as const, data: change }] : []),
      { event_type: 'step.start', data: { step } },
      {
        event_type: 'context.built',
        data: { messages: messages.length, tokens, tools: all.length, ...(tools === all ? {} : { shown: tools.map(({ name }) => name) }) },
      },
    ];
    const shown = { text: '' };
    for (let facts = first; ; ) {
      const model = parts.model(attempt.state.model);
      const started = performance.now();
      const ms = () => Math.round(performance.now() - started);
      try {
        const { reply, reading } = await think({ parts, model, tools, all, performing, attempt, shown, facts });
        const cost = reply.cost ?? parts.cost(model, reply.usage);
        const end = modelEnd(model.id, reply, reading, { ms: ms(), cost, ids, state: attempt.state });
        const more = reply.finish === 'length' && reading.calls.length === 0 ? [truncated(attempt.state)] : [];
        return await performing.emit(
          end,
          ...more,
          ...(cost && cost.amount > 0 ? parts.oldPrices(attempt.state) : []),
          ...parts.recover.read(reading, model, attempt),
        );
      } catch (error) {
        if (isStoreFailure(error)) throw error;
        const recovery = performing.signal.aborted || shown.text !== '' ? undefined : await parts.recover.failed(error, model, attempt);
        if (!recovery)
          return await performing.emit(
            ...(attempt.untold ?? []),
            failure(model.id, error, { shown: shown.text, ms: ms(), aborted: performing.signal.aborted }),
          );
        facts = [...discarded(error, ms(), (usage) => parts.cost(model, usage)), ...recovery];
      }
    }
  };
}

interface Thinking {
  parts: ThinkParts;
  model: ChatModel;
  tools: readonly ToolInfo[];
  /** Also those that are not shown: a call of them is a call. */
  all: readonly ToolInfo[];
  performing: Performing;
  attempt: Attempt;
  /** What people have seen of the reply. */
  shown: { text: string };
  /** Told before the model is asked. */
  facts: readonly Fact[];
}

/** One usable reply of this model in this protocol: tried again while that can help and nothing of it has been shown. */
async function think(thinking: Thinking): Promise<{ reply: Reply; reading: Reading }> {
  const { parts, model, tools, all, performing, attempt, facts, shown } = thinking;
  const { state } = attempt;
  const known = parts.protocol(state.protocol);
  const protocol = known instanceof Promise ? await known : known;
  const temperature = parts.temperature ?? (tools.length > 0 ? 0.2 : undefined);
  await performing.emit(...facts, {
    event_type: 'model.start',
    data: { model: model.id, protocol: protocol.name, ...defined({ temperature }) },
  });
  // What a protocol asks for itself (rails for tiny models) wins over the settings.
  const request: AskOptions = {
    ...defined({ temperature, maxOutputTokens: attempt.maxTokens, reasoning: parts.reasoning }),
    ...protocol.render(attempt.blind || cannotSee(model, protocol.name) ? withoutImages(state) : state, tools),
    abortSignal: performing.signal,
  };
  const onDelta = parts.streaming ? deltas(protocol, performing, shown) : undefined;
  return withRetry(
    async () => {
      if (parts.debug) await parts.debug(state, request, undefined);
      const asked = model.ask(request, onDelta);
      const reply = await (model.endsOnAbort ? asked : unlessAborted(asked, performing.signal));
      if (parts.debug) await parts.debug(state, request, reply);
      if (performing.signal.aborted)
        return { reply: { ...reply, finish: 'interrupted', calls: [] }, reading: { text: reply.text, calls: [] } };
      const read = protocol.read(reply, state, all);
      const reading = read instanceof Promise ? await read : read;
      refuseUnusable(model.id, reply, reading);
      return { reply, reading };
    },
    {
      signal: performing.signal,
      mayRetry: () => shown.text === '',
      onRetry: (error, wait) => tellRetry(error, wait, thinking),
    },
  );
}

/** Passes on what people may see of the reply while it is written. */
function deltas(protocol: Protocol, performing: Performing, shown: { text: string }): (delta: Delta) => void {
  const visible = protocol.visible?.();
  return (delta) => {
    if (delta.reasoning) performing.delta({ event_type: 'model.delta', data: { reasoning: delta.reasoning } });
    if (!delta.text) return;
    shown.text += delta.text;
    const text = visible ? visible(delta.text) : delta.text;
    if (text) performing.delta({ event_type: 'model.delta', data: { text } });
  };
}

/** People see why it takes longer. */
function tellRetry(error: HermesError, waitMs: number, { parts, model, attempt, performing }: Thinking): void {
  const seconds = Math.max(1, Math.round(waitMs / 1000));
  const { language } = attempt.state;
  const why = sentence(error.message);
  const message = { en: `${why} Trying again in ${seconds} s.`, zh: `${why} ${seconds} 秒后重试。` }[language];
  const told: Fact = { event_type: 'run.note', data: { level: 'warning', code: 'retry', message } };
  performing.emit(...discarded(error, 0, (usage) => parts.cost(model, usage)), told).catch(() => undefined); // told or not
}

/** A reply that nobody can use was paid for all the same. */
function discarded(error: unknown, ms: number, costOf: (usage: Usage) => Cost | undefined): Fact<'perform.end'>[] {
  const usage = error instanceof HermesError ? (error.data.usage as Usage | undefined) : undefined;
  if (!usage) return [];
  const { code } = error as HermesError;
  return [
    { event_type: 'perform.end', data: { name: 'discarded_reply', result: { code }, ms, usage, ...defined({ cost: costOf(usage) }) } },
  ];
}

/** A reply that carries neither answer nor call, or that ended in a way nobody knows (K4), is an error with a name. */
function refuseUnusable(model: string, reply: Reply, reading: Reading): void {
  const data: Record<string, Json> = reply.usage ? { usage: { ...reply.usage } } : {};
  const empty = reading.calls.length === 0 && reading.text.trim() === '' && !reading.problem;
  if (reply.finish === 'content-filter' && empty) {
    throw new HermesError('content_filter', `${model} refused to answer: its content filter stopped the reply`, {
      kind: 'model',
      data,
      next: 'rephrase the request, or use another model (--model)',
    });
  }
  if (reply.finish === 'other' || reply.finish === 'error') {
    throw new HermesError(
      'unknown_finish_reason',
      `${model} ended its reply with an unknown finish reason: ${reply.finish_raw ?? 'none'}`,
      {
        kind: 'model',
        data,
        next: 'try again, or use another model (--model)',
      },
    );
  }
  if (reply.finish === 'interrupted') {
    const cause = reply.finish_raw ? `: ${reply.finish_raw}` : '';
    throw new HermesError('stream_cut', `the reply of ${model} ended in the middle${cause}`, {
      kind: 'model',
      data,
      retryable: true,
      next: 'try again',
    });
  }
  if (!empty) return;
  const cut = reply.finish === 'length';
  throw new HermesError(
    cut ? 'max_tokens' : 'empty_reply',
    `${model} sent an empty reply${cut ? ': its token limit was used up before the answer' : ''}`,
    {
      kind: 'model',
      data,
      retryable: !cut,
      next: cut ? 'raise max_tokens in [model]' : 'try again, or use another model (--model)',
    },
  );
}

function modelEnd(
  model: string,
  reply: Reply,
  reading: Reading,
  { ms, cost, ids, state }: { ms: number; cost: Cost | undefined; ids: CallIds; state: State },
): Fact<'model.end'> {
  const calls = reading.calls.length > 0 ? ids.unique(reading.calls, state) : reading.calls;
  const data: EventData['model.end'] = { model, text: reading.text, calls, finish: reply.finish, ms };
  const reasoning = reading.reasoning ?? reply.reasoning;
  if (reasoning) data.reasoning = reasoning;
  if (reply.text !== reading.text && reply.text !== '') data.raw = reply.text;
  if (reply.finish_raw !== undefined) data.finish_raw = reply.finish_raw;
  if (reply.usage !== undefined) data.usage = reply.usage;
  if (cost !== undefined) data.cost = cost;
  if (reading.decided_by !== undefined) data.decided_by = reading.decided_by;
  if (reading.highlights !== undefined) data.highlights = reading.highlights;
  if (reading.problem !== undefined) data.problem = reading.problem;
  if (reply.extra !== undefined) data.extra = reply.extra;
  return { event_type: 'model.end', data };
}

function failure(
  model: string,
  error: unknown,
  { shown, ms, aborted }: { shown: string; ms: number; aborted: boolean },
): Fact<'model.end'> {
  const base = { model, text: shown, calls: [], ms };
  if (aborted) return { event_type: 'model.end', data: { ...base, finish: 'interrupted' } };
  return { event_type: 'model.end', data: { ...base, finish: 'error', error: errorData(error) } };
}

function truncated(state: State): Fact<'run.note'> {
  const message = { en: 'The answer was cut off at max_tokens.', zh: '回答在 max_tokens 处被截断。' }[state.language];
  return { event_type: 'run.note', data: { level: 'warning', code: 'answer_truncated', message } };
}

function isStoreFailure(error: unknown): boolean {
  return error instanceof HermesError && error.kind === 'store';
}

/** Call ids are unique in a run, whatever the provider sends: results and idempotency keys hang on them. */
class CallIds {
  #used: Set<string> | undefined;

  unique<T extends { id: string }>(calls: T[], state: State): T[] {
    this.#used ??= new Set(
      state.messages.flatMap((message) => (message.role === 'assistant' ? (message.calls ?? []) : [])).map((call) => call.id),
    );
    const used = this.#used;
    return calls.map((call, index) => {
      let id = call.id || `call_${state.step}_${index + 1}`;
      for (let n = 2; used.has(id); n++) id = `${call.id || 'call'}_${state.step}_${index + 1}${n > 2 ? `_${n}` : ''}`;
      used.add(id);
      return id === call.id ? call : { ...call, id };
    });
  }
}
