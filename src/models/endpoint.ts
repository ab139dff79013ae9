/** What every client of a model behind an address is made from; src/agent opens each of them with it. */

import { HermesError } from '../kernel/errors.ts';
import type { Known } from './knowledge.ts';
import type { Abilities, Habits } from './profile.ts';

export interface EndpointOptions {
  /** provider:model, for logs and errors. */
  id: string;
  /** Of the API that the client speaks, as the profile or the configuration has it. */
  baseURL: string;
  /** The model's name as the endpoint knows it. */
  model: string;
  apiKey?: string;
  /** Where the key came from (OPENAI_API_KEY), for errors. */
  apiKeySource?: string;
  /** Of endpoint and model together, with what was learnt. */
  habits: Habits;
  /** Sent with every request. */
  headers?: Record<string, string>;
  contextWindow?: number;
  /** Where the proxy variables are read; default process.env. */
  env?: NodeJS.ProcessEnv;
  /** For `ChatModel.abilities`: handed over as it is, since it grows with what is learnt. */
  abilities?: Abilities;
  /** Other endpoints that take a key of the same variable (regions, plans), as provider names: for the error about a wrong key. */
  siblings?: readonly string[];
  /** Told what a refusal has taught (a parameter, another address, no tools), to be remembered. */
  onLearn?(fact: Known): void;
}

/** Throws a HermesError of kind usage that repeats no password. */
export function checkedURL(baseURL: string): URL {
  const url = URL.canParse(baseURL) ? new URL(baseURL) : undefined;
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return url;
  const shown = url?.host || baseURL.replace(/[^/]*@/, '');
  throw new HermesError(
    'bad_base_url',
    `base_url has to be a URL like https://host/v1, without a user or password in it; got "${shown}".`,
    { kind: 'usage', next: 'Correct base_url; the key belongs into the variable that api_key_env names.' },
  );
}

/** An example left in .env (你的密钥), a line feed: what cannot stand in a header is named before it is sent. */
export function checkKey({ apiKey, apiKeySource = 'the API key' }: Pick<EndpointOptions, 'apiKey' | 'apiKeySource'>): void {
  if (!apiKey || /^[\x20-\x7e]+$/.test(apiKey)) return;
  const next = `Put the real key into ${apiKeySource}.`;
  throw new HermesError('bad_key', `${apiKeySource} holds characters that no key has.`, { kind: 'usage', next });
}
