/** What every client of a model behind an address is made from; src/agent opens each of them with it. */

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
