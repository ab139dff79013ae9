/**
 * OpenAI's Responses API through @ai-sdk/openai, for the models that refuse tools with thinking on chat completions.
 * Nothing is stored at the provider: thinking comes encrypted and goes back with the next request.
 */

import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import type { HermesError } from '../kernel/errors.ts';
import type { JsonObject, Usage } from '../kernel/types.ts';
import { asChatModel, ownUsage } from './ask.ts';
import { RequestHabits } from './request-habits.ts';
import { endpointURL, type NativeOptions, onOwnTransport, placeOf, withNames } from './sdk-setup.ts';
import type { AskOptions, ChatModel } from './types.ts';

export async function createResponses(options: NativeOptions): Promise<ChatModel> {
  const { id, model: name, apiKey = 'none', headers, contextWindow, abilities } = options;
  const url = endpointURL(options.baseURL, 'responses');
  const place = placeOf(options, url);
  const { createOpenAI } = await import('@ai-sdk/openai');
  // The key is always said: the SDK would take one from the environment to whatever address this is.
  const settings = { baseURL: url.href.replace(/\/$/, ''), apiKey, ...(headers && { headers }) };
  const { modelWith, close } = onOwnTransport(options, place, (fetch) => createOpenAI({ ...settings, fetch }).responses(name));
  const requests = new RequestHabits(options);
  const looseTools = withoutStrictness();
  let summaries = true;

  return asChatModel(modelWith({}), {
    id,
    place,
    endsOnAbort: true,
    contextWindow,
    abilities,
    prepare(asked) {
      const ready = requests.prepare(asked);
      const thinks = requests.thinks(asked);
      const { reasoning_effort, ...fields } = requests.fields(asked); // habits are written for chat completions
      const openai = {
        ...ready.providerOptions?.openai,
        store: false,
        strictJsonSchema: false,
        reasoningSummary: thinks && summaries && !requests.refuses('reasoning_effort') ? 'auto' : null,
        // The SDK knows OpenAI's own models only; of any other it would leave all this out.
        ...(thinks && { forceReasoning: true }),
        ...(reasoning_effort !== undefined && { reasoningEffort: reasoning_effort }),
      };
      ready.providerOptions = { ...ready.providerOptions, openai };
      if (ready.tools) ready.tools = looseTools(ready.tools);
      return { options: ready, model: modelWith(fields) };
    },
    adapt(error, sent, before) {
      // Summaries of the thinking are only for organisations that have proved who they are.
      if (summaries && isAboutSummaries(error)) {
        summaries = false;
        return true;
      }
      return requests.adapt(error, sent, before);
    },
    explain: (error) => withNames(error, options, place, url, { authorization: `Bearer ${apiKey}` }),
    usage: givenUsage,
    close,
  });
}

function isAboutSummaries({ code, message }: HermesError): boolean {
  return (code === 'bad_request' || code === 'forbidden') && /reasoning[ ._]summar/i.test(message);
}

/** Here a tool is strict unless it says otherwise, and a strict one has no optional arguments. */
function withoutStrictness(): (tools: NonNullable<AskOptions['tools']>) => NonNullable<AskOptions['tools']> {
  const known = new WeakMap<object, NonNullable<AskOptions['tools']>>();
  return (tools) => {
    let loose = known.get(tools);
    if (!loose) {
      loose = tools.map((tool) => (tool.type === 'function' ? { strict: false, ...tool } : tool));
      known.set(tools, loose);
    }
    return loose;
  };
}

/** The SDK says 0 where the endpoint said nothing. */
function givenUsage(usage: LanguageModelV4Usage): Usage {
  const { input_tokens_details: input, output_tokens_details: output } = (usage.raw ?? {}) as Record<string, JsonObject | undefined>;
  const all = ownUsage(usage);
  if (input?.cached_tokens == null) delete all.cached_tokens;
  if (output?.reasoning_tokens == null) delete all.reasoning_tokens;
  return all;
}
