/**
 * Which model answers. The first that is there: the option, the configuration, a key in the environment, a server on
 * this machine, a model file, the embedded default. The reason is for people, and stands in run.start.
 */

import { HermesError, nearest } from '../kernel/errors.ts';
import { ownersOf } from './prices.ts';
import { servedModels } from './probe.ts';
import { type Provider, providersOf } from './profiles.ts';

/** A model behind an endpoint. */
export interface EndpointChoice {
  provider: string;
  model: string;
  baseURL: string;
  apiKey?: string;
  /** The variable that the key came from. */
  apiKeySource?: string;
  /** A server on this machine at its usual address: to be asked past any proxy, as the probe was. */
  direct?: true;
  reason: string;
  /** What was passed over and why, for people. */
  notes: string[];
}
/** A model inside this process; without `model` the embedded default is meant, which may have to be pulled. */
export interface LocalChoice {
  provider: 'local';
  /** A name or a path, as `findModel` takes it. */
  model?: string;
  reason: string;
  notes: string[];
}
/** A model of an installed package of the AI SDK, which is named as the provider. */
export interface PackageChoice {
  provider: string;
  package: string;
  model: string;
  /** Absent: the package has its own. */
  baseURL?: string;
  apiKey?: string;
  apiKeySource?: string;
  reason: string;
  notes: string[];
}
export type ModelChoice = EndpointChoice | LocalChoice | PackageChoice;

export interface ResolveOptions {
  /** --model, or the library's `model`. */
  option?: string;
  /** Section [model] of the configuration. */
  config?: { provider?: string; model?: string; base_url?: string; api_key_env?: string };
  /** Environment and .env together, also where HERMES_PROVIDERS is read. A variable that is set to nothing is not set. */
  env: NodeJS.ProcessEnv;
  /** Names of the model files that are here. */
  localModels?: () => Promise<readonly string[]>;
  /** What a local server serves; undefined = no such server. Default: asked on its usual port, 300 ms at most. */
  probe?: (baseURL: string) => Promise<string[] | undefined>;
  /** Of the reason and the notes; default en. */
  language?: 'zh' | 'en';
}

const probeMs = 300;

export async function resolveModel(options: ResolveOptions): Promise<ModelChoice> {
  const { option, env } = options;
  const say = texts[options.language ?? 'en'];
  if (option) return named(parseModelName(option, env), say.option, options);
  const inConfig = configured(options);
  if (inConfig) return named(inConfig, say.config, options);

  const notes: string[] = [];
  const withKey = providersOf(env).flatMap((provider) => {
    const key = keyOf(provider, env);
    return key ? [{ provider, key }] : [];
  });
  // A provider without a usual model is taken only when no other has a key, and then asks for a name.
  const first = withKey.find(({ provider }) => provider.model) ?? withKey[0];
  if (first) return named({ provider: first.provider.name }, say.key(first.key.name), options, notes);
  return (await answeringServer(options, notes)) ?? (await inProcess(options, notes));
}

export interface ModelName {
  provider: string;
  model?: string;
}

/** `provider:model`, split at the first colon; a provider alone stands for its usual model. */
export function parseModelName(name: string, env?: NodeJS.ProcessEnv): ModelName {
  const colon = name.indexOf(':');
  const provider = colon < 0 ? name : name.slice(0, colon);
  const model = colon < 0 ? '' : name.slice(colon + 1);
  const known = ['local', ...providersOf(env).map((each) => each.name)];
  if (known.includes(provider) || isPackage(provider)) return model ? { provider, model } : { provider };
  const near = nearest(provider, known);
  const meant = ownersOf(name)[0] ?? (near && `${near}:${model || 'MODEL'}`);
  throw usage(
    'unknown_provider',
    `expected a model as provider:model, got "${name}": there is no provider "${provider}"`,
    meant ? `did you mean "${meant}"?` : `providers: ${known.join(', ')}`,
  );
}

/** Packages of the AI SDK's providers are called @ai-sdk/google, @openrouter/ai-sdk-provider, ai-sdk-ollama, ollama-ai-provider-v2. */
function isPackage(name: string): boolean {
  return /^(@[\w.-]+\/[\w.-]+|ai-sdk[\w.-]*|[\w.-]+-provider[\w.-]*)$/.test(name);
}

function configured({ config: { provider, model, base_url } = {}, env }: ResolveOptions): ModelName | undefined {
  if (provider) return { ...parseModelName(`${provider}:`, env), ...(model && { model }) };
  if (base_url) return { provider: 'openai-compatible', ...(model && { model }) };
  return model ? parseModelName(model, env) : undefined;
}

// ---- a provider that is known ------------------------------------------------------------------------------

async function named(name: ModelName, reason: string, options: ResolveOptions, notes: string[] = []): Promise<ModelChoice> {
  if (name.provider === 'local')
    return name.model ? { provider: 'local', model: name.model, reason, notes } : inProcess(options, notes, reason);
  const provider = providersOf(options.env).find((known) => known.name === name.provider);
  if (!provider) return packaged(name, reason, options, notes);
  const settings = settingsFor(provider, options);
  const { base_url: unnamed, provider: owner } = options.config ?? {};
  // Said only where the address was meant for nobody in particular: that of another provider is no riddle.
  if (unnamed && !owner && !settings.base_url) notes.push(texts[options.language ?? 'en'].unused(provider.name));
  const baseURL = settings.base_url ?? baseURLFrom(provider, options.env);
  if (!baseURL) throw usage('base_url_missing', `${provider.name} needs an address`, 'set base_url in [model], or HERMES_MODEL_BASE_URL');
  const usual = baseURL === provider.baseURL;
  const served = provider.local && !name.model ? await servedBy(provider, baseURL, options) : undefined;
  const key = keyOf(provider, options.env, settings.api_key_env);
  if (!key && usual && provider.keys.length > 0)
    throw usage(
      'key_missing',
      `${provider.name} needs a key: ${provider.keys[0]} is not set`,
      `set ${provider.keys[0]} in the environment or in .env`,
    );
  const model = name.model ?? (usual ? provider.model : undefined) ?? served?.[0];
  if (!model)
    throw usage('model_missing', `which model of ${provider.name}?`, `name it: --model ${provider.name}:MODEL, or model in [model]`);
  return {
    provider: provider.name,
    model,
    baseURL: baseURL.replace(/\/+$/, ''),
    ...(key && { apiKey: key.value, apiKeySource: key.name }),
    ...(provider.local && usual && { direct: true as const }),
    reason,
    notes,
  };
}

function packaged({ provider, model }: ModelName, reason: string, options: ResolveOptions, notes: string[]): PackageChoice {
  if (!model) throw usage('model_missing', `which model of ${provider}?`, `name it: --model ${provider}:MODEL, or model in [model]`);
  const { base_url, api_key_env } = settingsFor({ name: provider }, options);
  const key = keyOf({ keys: [] }, options.env, api_key_env);
  return {
    provider,
    package: provider,
    model,
    ...(base_url && { baseURL: base_url }),
    ...(key && { apiKey: key.value, apiKeySource: key.name }),
    reason,
    notes,
  };
}

/** Address and key of the configuration belong to the provider that it names, and to no other. */
function settingsFor(provider: Pick<Provider, 'name'>, options: ResolveOptions): { base_url?: string; api_key_env?: string } {
  return (configured(options)?.provider ?? 'openai-compatible') === provider.name ? (options.config ?? {}) : {};
}

function baseURLFrom(provider: Provider, env: NodeJS.ProcessEnv): string | undefined {
  return provider.baseURLVariables.map((name) => env[name]).find(Boolean) ?? provider.baseURL;
}

function keyOf(provider: Pick<Provider, 'keys'>, env: NodeJS.ProcessEnv, own?: string): { name: string; value: string } | undefined {
  const name = own ?? provider.keys.find((key) => env[key]);
  const value = name && env[name];
  if (own && !value) throw usage('key_missing', `api_key_env names ${own}, which is not set`, `set ${own} in the environment or in .env`);
  return name && value ? { name, value } : undefined;
}

// ---- what is on this machine -------------------------------------------------------------------------------

async function answeringServer(options: ResolveOptions, notes: string[]): Promise<EndpointChoice | undefined> {
  const say = texts[options.language ?? 'en'];
  for (const { provider, baseURL, models } of await localServers(options)) {
    const address = new URL(baseURL).host;
    const [model] = models;
    if (model) return { provider: provider.name, model, baseURL, direct: true, reason: say.server(provider.title, address), notes };
    notes.push(say.noModel(provider.title, address));
  }
  return undefined;
}

/** The servers of this machine that answer, with what they serve. All are asked at once; they come in the order of the profiles. */
export async function localServers(
  options: Pick<ResolveOptions, 'env' | 'probe'>,
): Promise<{ provider: Provider; baseURL: string; models: string[] }[]> {
  const servers = distinctServers(providersOf(options.env));
  const answers = await Promise.all(servers.map(({ provider, baseURL }) => servedBy(provider, baseURL, options)));
  return servers.flatMap((server, index) => {
    const models = answers[index];
    return models ? [{ ...server, models }] : [];
  });
}

/** One for each address: a server that speaks two APIs is asked by the first of them. */
function distinctServers(providers: readonly Provider[]): { provider: Provider; baseURL: string }[] {
  const byHost = new Map<string, { provider: Provider; baseURL: string }>();
  for (const provider of providers) {
    if (!provider.local || !provider.baseURL) continue;
    const { host } = new URL(provider.baseURL);
    if (!byHost.has(host)) byHost.set(host, { provider, baseURL: provider.baseURL });
  }
  return [...byHost.values()];
}

/** Ollama lists its models at /v1, too. */
function servedBy({ api }: Provider, baseURL: string, options: Pick<ResolveOptions, 'probe'>): Promise<string[] | undefined> {
  const { probe = (url) => servedModels(url, probeMs) } = options;
  return probe(api === 'ollama' ? `${baseURL.replace(/\/+$/, '')}/v1` : baseURL);
}

async function inProcess(options: ResolveOptions, notes: string[], reason?: string): Promise<LocalChoice> {
  const say = texts[options.language ?? 'en'];
  const model = (await options.localModels?.())?.[0];
  if (model) return { provider: 'local', model, reason: reason ?? say.file(model), notes };
  return { provider: 'local', reason: reason ?? say.embedded, notes };
}

function usage(code: string, message: string, next: string): HermesError {
  return new HermesError(code, message, { kind: 'usage', next });
}

const texts = {
  en: {
    option: 'chosen with --model',
    config: 'chosen in the configuration',
    key: (name: string) => `${name} is set`,
    server: (title: string, address: string) => `${title} answers at ${address}`,
    file: (name: string) => `no key, no local server; the model file ${name} is here`,
    embedded: 'no key, no local server, no model file: the embedded default',
    noModel: (title: string, address: string) => `${title} answers at ${address}, but serves no model`,
    unused: (name: string) => `base_url is not used: it goes with ${name} only where provider = "${name}" stands beside it`,
  },
  zh: {
    option: '由 --model 指定',
    config: '由配置指定',
    key: (name: string) => `已设置 ${name}`,
    server: (title: string, address: string) => `${title} 在 ${address} 应答`,
    file: (name: string) => `没有密钥，也没有本地服务；本机有模型文件 ${name}`,
    embedded: '没有密钥、本地服务和模型文件：使用内置默认模型',
    noModel: (title: string, address: string) => `${title} 在 ${address} 应答，但没有可用的模型`,
    unused: (name: string) => `未使用 base_url：须同时设置 provider = "${name}"，才会用于 ${name}`,
  },
};
