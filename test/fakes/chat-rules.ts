/** What one vendor documents of its chat completions, as far as it differs from vendor to vendor. */

import type { JsonObject } from '../../src/kernel/types.ts';
import type { Counted } from './types.ts';

export type ChoiceWord = 'auto' | 'none' | 'required' | 'any' | 'named';

export interface ChatRules {
  /** Request fields beside model, messages, tools, stream and stream_options; `any`: whatever comes is passed over. */
  fields: readonly string[] | 'any';
  /** Fields that are refused while it thinks. */
  thinkingRefuses?: readonly string[];
  /** Is thinking on for this request? */
  thinks(body: JsonObject): boolean;
  /** The form of thinking in a message; absent: it is not shown. */
  thinking?: ThinkingForm;
  /** How thinking has to come back. */
  replay: Replay;
  toolChoice: readonly ChoiceWord[];
  /** Where fewer are taken while it thinks. */
  thinkingToolChoice?: readonly ChoiceWord[];
  /** `strict` on functions is taken. */
  strictTools?: true;
  formats: readonly ('json_schema' | 'json_object')[];
  /** Everything that needs a look at the whole request; gives the vendor's words. */
  wrong?(body: JsonObject, thinks: boolean): string | undefined;
  /** Further fields of assistant messages. */
  messageFields?: readonly string[];
  /** Also `developer`. */
  developer?: true;
  /** Absent: it sees none. `data`: no addresses. */
  images?: 'any' | 'data';
  /** cache_control in content and tools. */
  markers?: true;
  callId(n: number): string;
  /** Signs calls (Gemini): comes back unchanged on the call. */
  signs?: true;
  usage(counted: Counted): JsonObject;
  stream?: StreamHabits;
  /** Before the JSON of a whole answer. */
  blankLines?: true;
  /** How an answer with calls ends; default tool_calls. */
  toolFinish?: string;
}

/** A field of text; a field and details beside it; content parts; tags in the text unless `split` is asked for. */
export type ThinkingForm =
  | { kind: 'field'; field: 'reasoning_content' | 'reasoning' }
  | { kind: 'details'; field: 'reasoning_content' | 'reasoning'; format: string; signed: boolean; unless?: string }
  | { kind: 'parts' };

export interface Replay {
  /** On all assistant messages (blank where there was none), on those with calls, wherever it likes, nowhere. */
  on: 'every' | 'calls' | 'optional' | 'never';
  /** The message field; `content` for parts. */
  field?: string;
}

export interface StreamHabits {
  /** A line before the first event. */
  comment?: string;
  /** Of calls: left out, or 0 for all. */
  index?: 'missing' | 'zero';
  /** Calls come in one piece. */
  wholeCalls?: true;
  /** The signature of a call comes in a piece of its own. */
  loneSignature?: true;
  /** The name comes with the first piece of arguments. */
  lateName?: true;
  /** Later pieces of a call carry its id: again, or as "". */
  laterIds?: 'repeated' | 'blank';
  /** The role of every piece is "". */
  emptyRoles?: true;
  /** Where usage stands; default: in a last event without choices. */
  usage?: 'choice' | 'finish' | 'x_groq';
}

/** prompt_tokens and the like; `cached` says where cached tokens stand. */
export function openaiUsage({ input, output, reasoning }: Counted, more: JsonObject = {}): JsonObject {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    ...(reasoning > 0 && { completion_tokens_details: { reasoning_tokens: reasoning } }),
    ...more,
  };
}

export function detailed(counted: Counted): JsonObject {
  return openaiUsage(counted, { prompt_tokens_details: { cached_tokens: counted.cached } });
}

export const callIdOpenAI = (n: number): string => `call_${String(n).padStart(24, 'Ab3')}`;
