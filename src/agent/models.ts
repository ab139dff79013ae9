/** From what a caller names to a model that can be asked: an endpoint, a model file, the embedded default, any AI SDK model. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import { HermesError } from '../kernel/errors.ts';
import type { EndpointOptions } from '../models/endpoint.ts';
import type { Timeouts } from '../models/http.ts';
import { type Known, knownOf, learn, type Subject, withoutQuery } from '../models/knowledge.ts';
import { factsOf } from '../models/prices.ts';
import type { Abilities, Api } from '../models/profile.ts';
import { abilitiesOf, customsOf, type Provider, providersOf, siblingsOf } from '../models/profiles.ts';
import { type EndpointChoice, type LocalChoice, type ModelChoice, resolveModel } from '../models/resolve.ts';
import type { ChatModel } from '../models/types.ts';
import { defined } from './defined.ts';
import type { ModelOption, ModelSettings, PullControl } from './types.ts';

export interface OpenedModel {
  model: ChatModel;
  /** Why this model answers, for people; absent when the caller handed it over. */
  reason?: string;
  /** Under which name something can be remembered of it. */
  subject?: Subject;
}

const OPTION_KEY = 'the apiKey option'; // as errors name it

/** `workspace`: where an installed package is looked for; default the current folder. */
export async function openModel(model: ModelOption | undefined, settings: ModelSettings & { workspace?: string }): Promise<OpenedModel> {
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
  for (const note of notes) settings.onNotice?.(note);
  const chat = await openChoice(choice, settings, env);
  return { model: chat, reason, ...defined({ subject: subjectOf(choice, chat) }) };
}

function subjectOf(choice: ModelChoice, { modelId: model }: ChatModel): Subject | undefined {
  if ('package' in choice) return undefined;
  return 'baseURL' in choice ? { baseURL: choice.baseURL, model } : localSubject(model);
}

function localSubject(model: string): Subject {
  return { baseURL: 'local', model };
}

function untrustedPackage(name: string): HermesError {
  return new HermesError('folder_untrusted', `the package ${name} is code of this folder, which is not trusted yet`, {
    kind: 'usage',
    next: 'look at the folder, then add --trust once',
    data: { name },
  });
}

async function openChoice(
  choice: ModelChoice,
  settings: ModelSettings & { workspace?: string },
  env: NodeJS.ProcessEnv,
): Promise<ChatModel> {
  if ('package' in choice) {
    const { openAiSdkModel } = await import('../models/ai-sdk.ts');
    const { contextWindow, timeouts, workspace = process.cwd(), packagesFrom = workspace } = settings;
    if (packagesFrom === null) throw untrustedPackage(choice.package);
    return openAiSdkModel({ ...choice, from: packagesFrom, contextWindow, timeouts, env });
  }
  return choice.provider === 'local'
    ? openLocal(choice as LocalChoice, settings, env)
    : openEndpoint(choice as EndpointChoice, settings, env);
}

/** One of ours comes back as it is. */
export function asKnown(model: Exclude<ModelOption, string>): ChatModel | undefined {
  return 'ask' in model && typeof model.ask === 'function' ? model : undefined;
}

async function foreign(model: LanguageModelV4): Promise<ChatModel> {
  return (await import('../models/ask.ts')).asChatModel(model);
}

/** By its profile, and by what was learnt about it. */
async function openEndpoint(choice: EndpointChoice, settings: ModelSettings, env: NodeJS.ProcessEnv): Promise<ChatModel> {
  const { provider: name, model, baseURL, apiKey, apiKeySource, direct } = choice;
  const facts = factsOf(`${name}:${model}`);
  const { contextWindow = facts.context, timeouts, choice: { language = 'en' } = {} } = settings;
  const { onNotice = (text) => process.emitWarning(text, 'HermesNotice') } = settings;
  const provider = providersOf(env).find((each) => each.name === name) as Provider;
  const known = knownOf({ baseURL, model }, env);
  const { api, habits } = customsOf(provider, model, baseURL);
  const seeing = facts.images === false ? { images: false as const } : {};
  const abilities = { ...seeing, ...abilitiesOf({ ...habits, ...known.habits }, known.abilities) };
  const remember = (fact: Known) => {
    Object.assign(abilities, fact.abilities);
    learn({ baseURL, model }, fact, env);
    if (fact.base_url) onNotice(movedTexts[language](withoutQuery(baseURL), fact.base_url));
  };
  const chat = await openClient(api, {
    id: `${name}:${model}`,
    baseURL: known.base_url ? known.base_url + baseURL.slice(withoutQuery(baseURL).length) : baseURL,
    model,
    habits: { ...habits, ...known.habits },
    abilities,
    siblings: siblingsOf(provider, apiKeySource),
    onLearn: remember,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(apiKeySource === undefined ? {} : { apiKeySource }),
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(timeouts === undefined ? {} : { timeouts }),
    env: direct ? {} : env, // a server on this machine is not asked through a proxy
  });
  chat.learn = (learnt: Abilities) => remember({ abilities: learnt });
  return chat;
}

const movedTexts = {
  en: (given: string, found: string) => `${given} answers at ${found}: write that as base_url; it is remembered until then.`,
  zh: (given: string, found: string) => `${given} 实际在 ${found} 应答：请把 base_url 改为后者；在此之前会记住它。`,
};

/** The client that speaks the API; loaded when it is the one. */
async function openClient(api: Api, options: EndpointOptions & { timeouts?: Partial<Timeouts> }): Promise<ChatModel> {
  switch (api) {
    case 'chat':
      return (await import('../models/openai-compatible.ts')).createOpenAICompatible(options);
    case 'responses':
      return (await import('../models/responses.ts')).createResponses(options);
    case 'anthropic':
      return (await import('../models/anthropic.ts')).createAnthropic(options);
    case 'ollama':
      return (await import('../models/ollama.ts')).createOllama(options);
  }
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
  const { abilities } = knownOf(localSubject(name), env);
  const chat = createLocalModel({ name, file, directory, ...defined({ contextTokens, abilities }) });
  chat.learn = (learnt: Abilities) => learn(localSubject(name), { abilities: learnt }, env);
  return chat;
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
