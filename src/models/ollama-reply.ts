/** Reads an answer of Ollama's own API into one Reply: a JSON object a line, or one for the whole answer. */

import type { FinishReason, Json, Reply, Usage } from '../kernel/types.ts';
import type { Delta } from './types.ts';

/** The fields we read, all of them optional. */
export interface OllamaChunk {
  message?: {
    content?: string | null;
    thinking?: string | null;
    tool_calls?: { id?: string; function?: { name?: string; arguments?: Json } }[] | null;
  };
  done?: boolean;
  done_reason?: string;
  prompt_eval_count?: number;
  eval_count?: number;
  error?: Json;
}

export class OllamaReader {
  private readonly reply: Reply = { text: '', calls: [], finish: 'interrupted' };

  /** Nothing of an answer has been read. */
  get empty(): boolean {
    const { text, reasoning, calls } = this.reply;
    return text === '' && !reasoning && calls.length === 0;
  }

  /** Gives what is new to show. */
  add({ message, done, done_reason, prompt_eval_count, eval_count }: OllamaChunk): Delta {
    const { reply } = this;
    const delta: Delta = {};
    if (message?.thinking) {
      delta.reasoning = message.thinking;
      reply.reasoning = (reply.reasoning ?? '') + message.thinking;
    }
    if (message?.content) {
      delta.text = message.content;
      reply.text += message.content;
    }
    // Calls come whole, and of several none need have an id.
    for (const { id, function: { name = '', arguments: input = {} } = {} } of message?.tool_calls ?? [])
      reply.calls.push({ id: id ?? '', name, input: typeof input === 'string' ? input || '{}' : JSON.stringify(input) });
    if (done) {
      reply.finish = finishOf(done_reason, reply.calls.length > 0);
      if (done_reason) reply.finish_raw = done_reason;
      const usage: Usage = {};
      if (prompt_eval_count !== undefined) usage.input_tokens = prompt_eval_count;
      if (eval_count !== undefined) usage.output_tokens = eval_count;
      if (Object.keys(usage).length > 0) reply.usage = usage;
    }
    return delta;
  }

  /** `cut`: why it ended early. */
  end(cut?: string): Reply {
    const calls = this.reply.calls.map((call) => (call.id ? call : { ...call, id: newCallId() }));
    return { ...this.reply, calls, ...(cut !== undefined && { finish: 'interrupted', finish_raw: cut }) };
  }
}

function finishOf(reason: string | undefined, calls: boolean): FinishReason {
  if (reason === undefined || reason === 'stop') return calls ? 'tool-calls' : 'stop';
  return reason === 'length' ? 'length' : 'other'; // load, unload: nothing was asked
}

function newCallId(): string {
  return `call_${Math.random().toString(36).slice(2, 10).padEnd(8, '0')}`;
}

/** Hands over the lines of a body that comes cut anywhere; a line feed is never part of a longer UTF-8 sequence. */
export function lines(onLine: (line: string) => void): (piece: Buffer) => void {
  let unfinished: Buffer[] = [];
  return (piece) => {
    const end = piece.lastIndexOf(10) + 1;
    if (end === 0) {
      unfinished.push(piece);
      return;
    }
    const text = Buffer.concat([...unfinished, piece.subarray(0, end)]).toString();
    unfinished = [piece.subarray(end)];
    for (const line of text.split('\n')) if (line.trim() !== '') onLine(line);
  };
}
