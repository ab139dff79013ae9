/** What the clients that stand on a package of the AI SDK have in common: address, errors, transport, extra body fields. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import { HermesError } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/types.ts';
import type { EndpointOptions } from './endpoint.ts';
import type { Timeouts } from './http.ts';
import type { Place } from './http-errors.ts';
import { createFetch, withFields } from './own-fetch.ts';

export interface NativeOptions extends EndpointOptions {
  /** Milliseconds; see Timeouts for the defaults. */
  timeouts?: Partial<Timeouts>;
}

/** The address without a slash or `tail` (the path that the client adds itself) at its end. */
export function endpointURL(baseURL: string, tail: string): URL {
  const url = URL.canParse(baseURL) ? new URL(baseURL) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password)
    throw new HermesError(
      'bad_base_url',
      `base_url has to be a URL like https://host/v1, without a user or password in it; got "${url?.host ?? baseURL}".`,
      { kind: 'usage', next: 'Correct base_url; the key belongs into the variable that api_key_env names.' },
    );
  url.pathname = url.pathname.replace(/\/+$/, '').replace(new RegExp(`/${tail}$`), '');
  return url;
}

export function placeOf({ id, model, apiKey, apiKeySource, siblings, habits }: EndpointOptions, url: URL): Place {
  if (apiKey && !/^[\x20-\x7e]+$/.test(apiKey)) throw badKey(apiKeySource);
  const endpoint = `${id.split(':', 1)[0]} at ${url.origin}${url.pathname.replace(/\/$/, '')}`;
  return { endpoint, model, apiKey, apiKeySource, siblings, errors: habits.errors };
}

/** An example left in .env (你的密钥), a line feed: what cannot stand in a header. */
function badKey(source = 'the API key'): HermesError {
  const next = `Put the real key into ${source}.`;
  return new HermesError('bad_key', `${source} holds characters that no key has.`, { kind: 'usage', next });
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
