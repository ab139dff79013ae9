/** Reads the answer of a chat-completions endpoint, whole or chunk by chunk, into one Reply. */

import type { Cost, FinishReason, Json, JsonObject, Reply, Usage } from '../kernel/types.ts';
import { extraKey, type MessageExtra } from './openai-messages.ts';
import { readCost, readUsage, type WireUsage } from './openai-usage.ts';
import type { Delta } from './types.ts';

/** The fields we read, all of them optional: endpoints differ, and what is missing is not an error. */
export interface Completion {
  choices?: { delta?: WireMessage; message?: WireMessage; finish_reason?: string | null; usage?: WireUsage }[];
  usage?: WireUsage | null;
  x_groq?: { usage?: WireUsage };
  error?: unknown;
  /** MiniMax's way to refuse under status 200. */
  base_resp?: { status_code?: number };
}
interface WireMessage {
  content?: string | { type?: string; text?: string; thinking?: { text?: string }[] }[] | null;
  refusal?: string | null;
  reasoning_content?: string | null;
  reasoning?: string | null;
  reasoning_details?: JsonObject[] | null;
  extra_content?: Json;
  tool_calls?: WireCall[] | null;
}
interface WireCall {
  index?: number | null;
  id?: string | null;
  function?: { name?: string | null; arguments?: string | JsonObject | null };
  /** Google's thought signatures. */
  extra_content?: Json;
}
/** Vendors' words for the few ways an answer ends; an unknown one becomes `other`. */
const finishReasons: Record<string, FinishReason> = {
  stop: 'stop',
  eos: 'stop',
  end_turn: 'stop',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  length: 'length',
  max_tokens: 'length',
  model_length: 'length',
  model_context_window_exceeded: 'length',
  content_filter: 'content-filter',
  sensitive: 'content-filter',
  refusal: 'content-filter',
  abort: 'interrupted',
  error: 'error',
  network_error: 'error',
  insufficient_system_resource: 'error',
};

/** Fields of a piece of thinking whose texts are parts of one. */
const joined = new Set(['text', 'summary']);

interface OpenCall {
  index: number | undefined;
  id: string;
  name: string;
  input: string;
  extra?: Json;
}

export class ReplyReader {
  private text = '';
  private reasoning = '';
  private reasoningField: string | undefined;
  private details: JsonObject[] | undefined;
  private extraContent: Json | undefined;
  private readonly calls: OpenCall[] = [];
  private finish: string | undefined;
  private usage: Usage | undefined;
  private cost: Cost | undefined;
  /** What came since the last `takeDelta`. */
  private newText = '';
  private newReasoning = '';

  /** Nothing of an answer has been read. */
  get empty(): boolean {
    return this.text === '' && this.reasoning === '' && this.calls.length === 0;
  }

  add(completion: Completion): void {
    const choice = completion.choices?.[0];
    const usage = completion.usage ?? choice?.usage ?? completion.x_groq?.usage;
    if (usage) {
      this.usage = readUsage(usage);
      this.cost = readCost(usage) ?? this.cost;
    }
    if (!choice) return;
    const message = choice.delta ?? choice.message;
    if (message) this.addMessage(message);
    if (typeof choice.finish_reason === 'string') this.finish = choice.finish_reason;
  }

  private addMessage(message: WireMessage): void {
    const { content } = message;
    if (typeof content === 'string') this.addText(content);
    else if (Array.isArray(content)) {
      for (const part of content) {
        if (part.type === 'thinking') this.addReasoning((part.thinking ?? []).map((piece) => piece.text ?? '').join(''), 'content');
        else this.addText(part.text ?? '');
      }
    }
    if (message.reasoning_content) this.addReasoning(message.reasoning_content, 'reasoning_content');
    else if (message.reasoning) this.addReasoning(message.reasoning, 'reasoning');
    if (message.reasoning_details) this.addDetails(message.reasoning_details, !message.reasoning_content && !message.reasoning);
    if (message.extra_content !== undefined) this.extraContent = message.extra_content;
    if (message.refusal) this.addText(message.refusal);
    if (message.tool_calls) for (const call of message.tool_calls) this.addCall(call);
  }

  private addText(text: string): void {
    this.text += text;
    this.newText += text;
  }

  private addReasoning(text: string, field: string): void {
    this.reasoningField = field;
    this.reasoning += text;
    this.newReasoning += text;
  }

  /** Pieces of one entry (same type and index) become one again: their texts joined, everything else as it came. */
  private addDetails(pieces: JsonObject[], shown: boolean): void {
    this.details ??= [];
    for (const piece of pieces) {
      if (shown && typeof piece.text === 'string') this.addReasoning(piece.text, 'reasoning_details');
      const last = this.details.at(-1);
      const goesOn = last !== undefined && piece.type === last.type && piece.index === last.index && piece.data === undefined;
      if (!goesOn) this.details.push({ ...piece });
      else for (const key in piece) last[key] = joined.has(key) ? `${last[key] ?? ''}${piece[key] ?? ''}` : (piece[key] as Json);
    }
  }

  private addCall(wire: WireCall): void {
    const id = wire.id ?? '';
    const name = wire.function?.name ?? '';
    const given = wire.function?.arguments ?? '';
    const input = typeof given === 'string' ? given : JSON.stringify(given);
    let call = this.callOf(wire, id, name, input);
    if (!call) {
      call = { index: wire.index ?? undefined, id, name, input: '' };
      this.calls.push(call);
    }
    call.id ||= id;
    call.name ||= name;
    call.input += input;
    if (wire.extra_content !== undefined) call.extra = wire.extra_content;
  }

  /**
   * The call that a piece goes on with. Endpoints leave the index out, give all calls the index 0, repeat id and
   * name in each piece or send them late: a new call is one with an index of its own, with an id and a name that
   * differ from those seen, or with a name again after complete arguments.
   */
  private callOf(wire: WireCall, id: string, name: string, input: string): OpenCall | undefined {
    const index = wire.index ?? undefined;
    const call =
      this.calls.findLast((known) => id !== '' && known.id === id && (index === undefined || known.index === index)) ??
      (index === undefined ? this.calls.at(-1) : this.calls.findLast((known) => known.index === index));
    if (!call || name === '' || call.name === '') return call;
    const otherId = id !== '' && call.id !== '' && id !== call.id;
    const nextOne = (id === '' || id === call.id) && input !== '' && isJson(call.input);
    return otherId || nextOne ? undefined : call;
  }

  /** What has come since the last time, for whoever shows it. */
  takeDelta(): Delta | undefined {
    if (this.newText === '' && this.newReasoning === '') return undefined;
    const delta: Delta = {};
    if (this.newReasoning !== '') delta.reasoning = this.newReasoning;
    if (this.newText !== '') delta.text = this.newText;
    this.newText = this.newReasoning = '';
    return delta;
  }

  /** The reply, with how it ended: `whole` as one complete JSON text, with `done` after [DONE], `cut` early for that reason. */
  reply(end: { whole?: boolean; done?: boolean; cut?: string }): Reply {
    const raw = end.cut ?? this.finish;
    const extra = this.extra();
    return {
      text: this.text,
      ...(this.reasoning !== '' && { reasoning: this.reasoning }),
      calls: this.calls.map(({ id, name, input }) => ({ id: id || newCallId(), name, input: input || '{}' })),
      ...(this.usage && { usage: this.usage }),
      ...(this.cost && { cost: this.cost }),
      finish: end.cut !== undefined ? 'interrupted' : finishOf(this.finish, this.calls.length > 0, end),
      ...(raw !== undefined && { finish_raw: raw }),
      ...(extra && { extra }),
    };
  }

  private extra(): JsonObject | undefined {
    const signed = this.calls.flatMap((call, position) => (call.extra === undefined ? [] : [[String(position), call.extra] as const]));
    const extra: MessageExtra = {};
    if (this.reasoningField === 'reasoning' || this.reasoningField === 'content') extra.reasoning_field = this.reasoningField;
    if (this.details) extra.reasoning_details = this.details;
    if (this.extraContent !== undefined) extra.extra_content = this.extraContent;
    if (signed.length > 0) extra.calls = Object.fromEntries(signed);
    return Object.keys(extra).length > 0 ? { [extraKey]: extra as JsonObject } : undefined;
  }
}

/** A stream without a finish reason was cut; a whole answer without one is complete. xAI gives '' with calls. */
function finishOf(raw: string | undefined, calls: boolean, end: { whole?: boolean; done?: boolean }): FinishReason {
  if (raw === undefined || raw === '') {
    if (end.whole || (raw === '' && calls && end.done)) return calls ? 'tool-calls' : 'stop';
    return 'interrupted';
  }
  const finish = Object.hasOwn(finishReasons, raw) ? (finishReasons[raw] as FinishReason) : 'other';
  return finish === 'stop' && calls ? 'tool-calls' : finish; // Gemini and Ollama say stop
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false; // arguments that are not complete yet
  }
}

/** Nine letters and digits: the one form that every vendor takes. */
function newCallId(): string {
  return Math.random().toString(36).slice(2, 11).padEnd(9, '0');
}
