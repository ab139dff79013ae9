/**
 * What is known about a provider before the first request: the shape of providers/NAME.json. One file holds all of it;
 * the clients read these habits and know no vendor by name.
 */

import type { JsonObject } from '../kernel/types.ts';

/** Which client speaks to it: chat completions (our own), OpenAI's Responses, Anthropic's Messages, Ollama's own API. */
export type Api = 'chat' | 'responses' | 'anthropic' | 'ollama';

export interface ProviderProfile {
  /** As people write it. */
  title: string;
  /** Among several keys in the environment the lowest is taken. */
  order: number;
  /** Default chat. */
  api?: Api;
  /** Asked when only the provider is named. */
  model?: string;
  /** A server on this machine: no key, looked for at its usual address. */
  local?: true;
  /** Provider name (as in provider:model) -> where it is. The first is the usual one; others are regions and plans. */
  endpoints: Record<string, ProviderEndpoint>;
  habits?: Habits;
  /** Later ones win, key by key. `match` is a regular expression on the model's name. */
  models?: { match: string; api?: Api; habits?: Habits }[];
  /** Where these facts come from, with dates. */
  sources: string[];
}
export interface ProviderEndpoint {
  base_url?: string;
  /** Variables that may hold another base URL. */
  base_url_variables?: string[];
  /** Variables that may hold the key; the first that is set counts. */
  keys: string[];
  api?: Api;
  model?: string;
  /** For people: China, international, coding plan. */
  note?: string;
  habits?: Habits;
}

export type ToolChoiceWord = 'auto' | 'none' | 'required' | 'named';
/** Absent = nothing special: what OpenAI's chat completions do. */
export interface Habits {
  /** Request fields that are never sent (temperature, top_p, seed, ...). */
  refuses?: string[];
  /** The same while it thinks. */
  refuses_thinking?: string[];
  temperature?: { min?: number; max?: number };
  token_field?: 'max_tokens' | 'max_completion_tokens';
  /** The most that the token field may say. */
  max_output_tokens?: number;
  /** Fields of every request, e.g. { reasoning_split: true }. */
  body?: JsonObject;
  system_role?: 'system' | 'developer';
  thinking?: {
    /** What it does when nothing is sent; `always` cannot be turned off. */
    default: 'on' | 'off' | 'always' | 'never';
    /** Request fields that turn it on or off. */
    on?: JsonObject;
    off?: JsonObject;
    /** Our reasoning level -> request fields. */
    efforts?: Record<string, JsonObject>;
  };
  /**
   * The field of a message that holds thinking (`content`: parts of type thinking in it; `reasoning_details`: given back as
   * they came), and whether it goes back: on no message, those with calls, or all. `empty` is sent where there was none.
   */
  reasoning?: { field: string; replay: 'never' | 'calls' | 'all'; empty?: string };
  tool_choice?: { values: ToolChoiceWord[]; thinking?: ToolChoiceWord[]; required?: string }; // `required`: its word for that
  /** It takes `parallel_tool_calls`. */
  parallel_tool_calls?: boolean;
  /** It honours `strict` on tools. */
  strict?: boolean;
  /** false: no function calling at all. */
  tools?: boolean;
  /** Structured answers; default json_schema, also beside tools. */
  json?: {
    format: 'json_schema' | 'json_object' | 'none';
    with_tools?: boolean;
    streamed?: boolean;
    thinking?: boolean;
    /** Keywords that its schemas must not hold. */
    drops?: string[];
  };
  /** Of the prompt's front: by itself, with cache_control markers, or not at all. */
  cache?: 'automatic' | 'markers' | 'none';
  /** false: it sees none. */
  images?: false | { /** Longest edge, pixels. */ max_edge?: number; max_bytes?: number };
  /** The form of a call's id that goes back: exactly nine letters and digits. */
  call_id?: 'nine';
  /** false: no user message may follow a tool result; a short word of the assistant is put between. */
  user_after_tool?: boolean;
  /** Beside the texts that every vendor uses: regular expressions on the body of an error. */
  errors?: { overflow?: string; quota?: string; balance?: string; rate?: string; key?: string; model?: string };
}

/** What one model can do: from its profile, from what was learnt, or measured by `hermes models test`. Absent = not known. */
export interface Abilities {
  /** Function calling. */
  tools?: boolean;
  /** Answers that fit a schema; `with_tools`: also in requests that offer tools; `grammar`: held exactly, by a local runtime. */
  json_schema?: { with_tools: boolean; grammar?: true };
  images?: Habits['images'];
  /** The protocol that worked best; `auto` begins with it. */
  protocol?: string;
}
