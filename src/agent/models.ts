/** From what a caller names to a model that can be asked: an endpoint, a model file, the embedded default, any AI SDK model. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import { HermesError } from '../kernel/errors.ts';
import { createOpenAICompatible } from '../models/openai-compatible.ts';
import { type EndpointChoice, type LocalChoice, resolveModel } from '../models/resolve.ts';
import type { ChatModel } from '../models/types.ts';
import type { ModelOption, ModelSettings, PullControl } from './types.ts';

export interface OpenedModel {
  model: ChatModel;
  /** Why this model answers, for people; absent when the caller handed it over. */
  reason?: string;
  /** What was passed over and why. */
  notes?: string[];
}

const OPTION_KEY = 'apiKey option';

export async function openModel(model: ModelOption | undefined, settings: ModelSettings): Promise<OpenedModel> {
  if (model !== undefined && typeof model !== 'string') return { model: asKnown(model) ?? (await foreign(model as LanguageModelV4)) };
  const env = { ...(settings.env ?? process.env) };
  if (settings.apiKey !== undefined) env[OPTION_KEY] = settings.apiKey;
  const apiKeyEnv = settings.apiKey === undefined ? settings.apiKeyEnv : OPTION_KEY;
  const provider = model?.split(':', 1)[0];
  const own = {
    ...(provider && { provider }),
    ...(settings.baseURL && { base_url: settings.baseURL }),
    ...(apiKeyEnv && { api_key_env: apiKeyEnv }),
  };
  const choice = await resolveModel({
    ...(model === undefined ? {} : { option: model }),
    config: settings.baseURL || apiKeyEnv ? own : (settings.choice?.config ?? {}),
    ...(settings.choice?.language ? { language: settings.choice.language } : {}),
    env,
    localModels: async () => {
      const { listModels, modelsDirectory } = await import('../models/catalogue.ts');
      return (await listModels(modelsDirectory(env))).map(({ name }) => name);
    },
  });
  const { reason, notes } = choice;
  return {
    model:
      choice.provider === 'local' ? await openLocal(choice as LocalChoice, settings, env) : endpoint(choice as EndpointChoice, settings),
    reason,
    notes,
  };
}

/** One of ours comes back as it is. */
export function asKnown(model: Exclude<ModelOption, string>): ChatModel | undefined {
  return 'ask' in model && typeof model.ask === 'function' ? model : undefined;
}

async function foreign(model: LanguageModelV4): Promise<ChatModel> {
  return (await import('../models/ask.ts')).asChatModel(model);
}

function endpoint(
  { provider, model, baseURL, apiKey, apiKeySource, direct }: EndpointChoice,
  { contextWindow, timeouts, env }: ModelSettings,
): ChatModel {
  return createOpenAICompatible({
    id: `${provider}:${model}`,
    baseURL,
    model,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(apiKeySource === undefined ? {} : { apiKeySource }),
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(timeouts === undefined ? {} : { timeouts }),
    ...(direct ? { env: {} } : env === undefined ? {} : { env }), // a server on this machine is not asked through a proxy
  });
}

/** The named file, or the embedded default, which is pulled when it is not there and when that is allowed. */
async function openLocal({ model }: LocalChoice, { pull, contextWindow }: ModelSettings, env: NodeJS.ProcessEnv): Promise<ChatModel> {
  const { EMBEDDED_DEFAULT, findModel, listModels, modelsDirectory } = await import('../models/catalogue.ts');
  const directory = modelsDirectory(env);
  const wanted = model ?? EMBEDDED_DEFAULT.name;
  const here = (await listModels(directory)).some(({ name }) => name === wanted);
  const pulled = !here && wanted === EMBEDDED_DEFAULT.name ? await pullDefault(directory, env, pull, model === undefined) : undefined;
  const { name, file, entry } = await findModel(directory, pulled ?? wanted);
  const { ensureRuntime, hasRuntime } = await import('../models/runtime.ts');
  if (!hasRuntime(directory) && pull) await ensureRuntime(directory, pull.signal ? { signal: pull.signal } : {});
  const { createLocalModel } = await import('../models/local.ts');
  const contextTokens = contextWindow ?? entry?.contextTokens;
  return createLocalModel({ name, file, directory, ...(contextTokens === undefined ? {} : { contextTokens }) });
}

/** Gives the name of what was pulled: where nobody asked for the default, a hub may have something better. */
async function pullDefault(directory: string, env: NodeJS.ProcessEnv, pull: PullControl | undefined, mayChoose: boolean): Promise<string> {
  if (!pull) {
    throw new HermesError('no_model', 'no model is there: no key is set, no local server answers, and no model file has been pulled', {
      kind: 'usage',
      next: 'set a key (for example DEEPSEEK_API_KEY), name a model, or run `hermes models pull default`',
    });
  }
  const { EMBEDDED_DEFAULT } = await import('../models/catalogue.ts');
  const { carryOut, planPull, smallOnHub } = await import('../models/pull.ts');
  const { hasRuntime, RUNTIME_BYTES } = await import('../models/runtime.ts');
  const better = mayChoose && pull.prefer ? await smallOnHub({ env, signal: pull.signal }) : undefined;
  const plan = better && (await pull.prefer?.(better)) ? better : await planPull(EMBEDDED_DEFAULT);
  await pull.announce(plan, hasRuntime(directory) ? 0 : RUNTIME_BYTES);
  await carryOut(plan, { directory, env, onProgress: pull.progress, signal: pull.signal });
  return plan.name;
}
