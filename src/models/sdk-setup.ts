/** What the clients that stand on a package of the AI SDK have in common: address, errors, transport, extra body fields. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { HermesError } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/types.ts';
import { checkedURL, checkKey, type EndpointOptions } from './endpoint.ts';
import type { Timeouts } from './http.ts';
import type { Place } from './http-errors.ts';
import { createFetch, withFields } from './own-fetch.ts';

export interface NativeOptions extends EndpointOptions {
  /** Milliseconds; see Timeouts for the defaults. */
  timeouts?: Partial<Timeouts>;
}

/** The address without a slash or `tail` (the path that the client adds itself) at its end. */
export function endpointURL(baseURL: string, tail: string): URL {
  const url = checkedURL(baseURL);
  url.pathname = url.pathname.replace(/\/+$/, '').replace(new RegExp(`/${tail}$`), '');
  return url;
}

export function placeOf(options: EndpointOptions, url: URL): Place {
  checkKey(options);
  const { id, model, apiKey, apiKeySource, siblings, habits } = options;
  const endpoint = `${id.split(':', 1)[0]} at ${url.origin}${url.pathname.replace(/\/$/, '')}`;
  return { endpoint, model, apiKey, apiKeySource, siblings, errors: habits.errors };
}

/** A model that is not there: with the names that are. `url` as the SDK has it, before /models. */
export async function withNames(
  error: HermesError,
  { headers, env }: NativeOptions,
  place: Place,
  url: URL,
  authorization: Record<string, string>,
): Promise<HermesError> {
  if (error.code !== 'model_not_found') return error;
  const { withNearest } = await import('./model-names.ts');
  const list = new URL(`${url.href.replace(/\/$/, '')}/models`);
  return withNearest(error, place, list, Object.entries({ ...authorization, ...headers }).flat(), env);
}

/** Models of one provider on our transport: one for each set of fields that has to stand in the body. */
export function onOwnTransport(
  { env, timeouts }: NativeOptions,
  place: Place,
  make: (fetch: typeof globalThis.fetch) => LanguageModelV4,
): { modelWith(fields: JsonObject): LanguageModelV4; close(): Promise<void> } {
  const wire = createFetch({ place, env, timeouts });
  const models = new Map<string, LanguageModelV4>();
  return {
    modelWith(fields) {
      const key = JSON.stringify(fields);
      let model = models.get(key);
      if (!model) {
        model = make(key === '{}' ? wire.fetch : withFields(wire.fetch, fields));
        models.set(key, model);
      }
      return model;
    },
    close: async () => wire.close(),
  };
}
