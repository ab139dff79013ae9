/**
 * What a fake endpoint is made from. The facts in vendors/ come from the vendors' own documents and not from the profiles
 * of src: the two are written apart, so that they can disagree.
 */

import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { JsonObject } from '../../src/kernel/types.ts';

/** One reply of the model behind the endpoint, before an API gives it a form. */
export interface Said {
  text?: string;
  /** Shown only when the request has thinking on. */
  reasoning?: string;
  calls?: { name: string; arguments: JsonObject }[];
}
/** A reply, or what happens instead of it (`cut` and `silent`: after half of the reply). */
export type Turn = Said & { fault?: 'cut' | 'silent' | 'rate' };

/** What is out of the ordinary with an endpoint. */
export interface Conditions {
  /** Requests to this model are answered with the vendor's words for a quota that is used up. */
  exhausted?: string;
  /** Bytes of prompt that fit; a longer one is answered with the vendor's words for that. */
  window?: number;
  /** A request field that this model does not take after all, and what the vendor says then. */
  refuses?: { field: string; message: string };
}

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: JsonObject;
}
/** An answer other than the model's. */
export interface Refusal {
  status: number;
  message: string;
  /** The vendor's code for it. */
  code?: string | number;
  headers?: Record<string, string>;
  /** In place of what the vendor's usual shape would give. */
  body?: unknown;
}

/** A part of a prompt in the order in which a model reads it; `marked`: a cache marker stands at its end. */
export interface Block {
  text: string;
  marked?: boolean;
}
export interface Counted {
  input: number;
  output: number;
  /** Of the output. */
  reasoning: number;
  /** Of the input. */
  cached: number;
  /** Of the input: newly kept at a marker. */
  written: number;
}

/** One API (chat completions, Messages, ...) with one vendor's rules. A new one for each server: it remembers what it has said. */
export interface Engine {
  /** Path of the requests that ask the model. */
  path: string;
  /** Why the vendor would not take this request. */
  refuse(request: Received): Refusal | undefined;
  /** The prompt of a request that was taken. */
  blocks(request: Received): Block[];
  /** Gives the answer its form; whole unless the request wants a stream. */
  answer(request: Received, said: Said, counted: Counted): Answer;
  /** Requests beside that path (lists of models); undefined = 404. */
  other?(path: string, body: JsonObject): unknown;
}
export interface Answer {
  type: string;
  /** Pieces of the body in order; a fault comes after half of them. */
  pieces: string[];
}

export type Scenario =
  | 'plain'
  | 'streamed'
  | 'one tool'
  | 'parallel tools'
  | 'thinking'
  | 'wrong parameter'
  | 'schema'
  | 'cached prefix'
  | 'cut stream'
  | 'silent stream'
  | 'overflow'
  | 'rate limit'
  | 'daily quota'
  | 'image';

export interface Vendor {
  /** As in provider:model. */
  provider: string;
  /** Of the table, where one provider has several rows. */
  title?: string;
  model: string;
  /** Where another model of the vendor is the one that sees. */
  imageModel?: string;
  /** Base URL behind host and port. */
  base: string;
  engine(conditions: Conditions): Engine;
  /** How the key comes; absent: none is asked for. */
  key?: 'authorization' | 'x-api-key';
  /** The body of a refusal; absent: { error: { message, type, code } }. */
  shape?(refusal: Refusal): unknown;
  overflow?: Refusal;
  /** Absent with `quota`: a server that knows no limits. */
  rate?: Refusal;
  quota?: Refusal & { /** The code of the error that it has to become. */ expect: string };
  /** Markers: only what stands before a cache_control that an earlier request had, too. Absent: the vendor documents none. */
  cache?: 'automatic' | 'markers';
  /** Thinking comes as text that a person can read; false: only signatures, or nothing. */
  showsThinking: boolean;
  /** A field that this model is made to refuse although its vendor documents it; default temperature, where that is ever sent. */
  refusedNow?: { field: string; message: string };
  /** It cuts prompts that are too long instead of refusing them: the client has to know the window. */
  silentOverflow?: true;
  /** Scenarios that the vendor's documents rule out, with the reason. */
  cannot?: Partial<Record<Scenario, string>>;
}

export type Writer = Pick<ServerResponse, 'write' | 'end' | 'destroy'>;
