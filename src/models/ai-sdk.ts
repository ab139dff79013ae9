/** Any provider of the AI SDK that is installed beside the configuration, by the name of its package. Nothing of it is bundled. */

import { existsSync, readFileSync } from 'node:fs';
import { createRequire, findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { HermesError } from '../kernel/errors.ts';
import { asChatModel } from './ask.ts';
import type { Timeouts } from './http.ts';
import type { Place } from './http-errors.ts';
import { createFetch } from './own-fetch.ts';
import type { ChatModel } from './types.ts';

export interface SdkPackage {
  /** e.g. @ai-sdk/google */
  package: string;
  /** As the provider knows it. */
  model: string;
  /** The folder from which the package is looked up, as a module there would. */
  from: string;
  /** Without these the package reads its own variables. */
  apiKey?: string;
  apiKeySource?: string;
  baseURL?: string;
  contextWindow?: number;
  /** Milliseconds; see Timeouts for the defaults. */
  timeouts?: Partial<Timeouts>;
  /** Where the proxy variables are read, and the key that the package misses; default process.env. */
  env?: NodeJS.ProcessEnv;
}

export async function openAiSdkModel(options: SdkPackage): Promise<ChatModel> {
  const { package: name, model: modelId, apiKey, apiKeySource, baseURL, contextWindow, env } = options;
  const exports = await load(name, options.from);
  const place: Place = {
    endpoint: baseURL && URL.canParse(baseURL) ? `${name} at ${new URL(baseURL).origin}` : name,
    model: modelId,
    apiKey,
    apiKeySource,
  };
  const wire = createFetch({ place, env, timeouts: options.timeouts });
  const modelWith = (key: string | undefined) => {
    const settings = { ...(key && { apiKey: key }), ...(baseURL && { baseURL }), fetch: wire.fetch };
    return makeModel(name, providerOf(name, exports, settings), modelId);
  };
  let model = modelWith(apiKey);
  let foundKey = apiKey;
  return asChatModel(model, {
    id: `${name}:${modelId}`,
    place,
    contextWindow,
    prepare: (asked) => ({ options: asked, model }),
    adapt(error) {
      // The package looks into the environment of the process; ours has the variables of .env, too.
      const variable = error.code === 'key_missing' && !foundKey ? /\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)\b/.exec(error.message)?.[1] : undefined;
      const found = variable && env?.[variable];
      if (!found) return false;
      foundKey = found;
      model = modelWith(found);
      return true;
    },
    close: async () => wire.close(),
  });
}

// ---- the package ----------------------------------------------------------------------------------------------

async function load(name: string, from: string): Promise<Record<string, unknown>> {
  const file = entryOf(name, join(from, 'package.json'));
  if (!file) {
    throw new HermesError('package_missing', `${name} is not installed (looked for from ${from})`, {
      kind: 'usage',
      next: `npm install ${name}`,
    });
  }
  try {
    return (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  } catch (error) {
    throw new HermesError('package_broken', `${name} cannot be loaded: ${(error as Error).message}`, {
      kind: 'usage',
      next: `npm install ${name}`,
      cause: error,
    });
  }
}

/** The file that `import` of this name takes there; undefined when it is not installed. */
function entryOf(name: string, parent: string): string | undefined {
  try {
    return createRequire(parent).resolve(name);
  } catch {
    // Not there, or made for `import` only, which `require` does not find.
  }
  const manifest = manifestOf(name, parent);
  if (!manifest) return undefined;
  const { exports, module, main } = JSON.parse(readFileSync(manifest, 'utf8')) as Record<string, unknown>;
  const root = typeof exports === 'object' && exports !== null && '.' in exports ? exports['.'] : exports;
  const entry = importTarget(root) ?? module ?? main ?? 'index.js';
  const file = join(dirname(manifest), String(entry));
  return existsSync(file) ? file : undefined;
}

function manifestOf(name: string, parent: string): string | undefined {
  try {
    return findPackageJSON(name, pathToFileURL(parent));
  } catch {
    return undefined; // there is none
  }
}

/** Of conditions the first that Node knows counts. */
function importTarget(target: unknown): string | undefined {
  if (typeof target === 'string') return target;
  if (typeof target !== 'object' || target === null) return undefined;
  for (const [condition, inner] of Object.entries(target)) {
    const found = ['node', 'import', 'module-sync', 'default'].includes(condition) ? importTarget(inner) : undefined;
    if (found) return found;
  }
  return undefined;
}

// ---- its provider ---------------------------------------------------------------------------------------------

interface Provider {
  (model: string): unknown;
  languageModel?(model: string): unknown;
}

/** `createAcme(settings)`, or the ready `acme`. Of several the one that the package is named after. */
function providerOf(name: string, exports: Record<string, unknown>, settings: object): Provider {
  const words = name.toLowerCase().replace(/[^a-z0-9]/g, '');
  const makers = Object.keys(exports).filter((key) => /^create[A-Z]/.test(key) && typeof exports[key] === 'function');
  makers.sort((a, b) => named(b, words) - named(a, words));
  for (const key of makers) {
    const provider = (exports[key] as (settings: object) => unknown)(settings);
    if (isProvider(provider)) return provider;
  }
  const ready = Object.values(exports).find((value) => isProvider(value) && 'languageModel' in value);
  if (ready) return ready as Provider;
  throw new HermesError('not_a_provider', `${name} exports no provider of the AI SDK (createNAME, or an object with languageModel)`, {
    kind: 'usage',
    next: 'Name the package of a provider, such as @ai-sdk/google.',
  });
}

/** How many letters of `createAcme` the package's name holds. */
function named(maker: string, words: string): number {
  const suffix = maker.slice('create'.length).toLowerCase();
  return words.includes(suffix) ? suffix.length : 0;
}

function isProvider(value: unknown): value is Provider {
  return typeof value === 'function' || (typeof value === 'object' && value !== null && 'languageModel' in value);
}

function makeModel(name: string, provider: Provider, modelId: string): LanguageModelV4 {
  const model = (typeof provider.languageModel === 'function' ? provider.languageModel(modelId) : provider(modelId)) as
    | { specificationVersion?: string }
    | undefined;
  if (model?.specificationVersion !== 'v4') throw otherVersion(name, model?.specificationVersion);
  return model as LanguageModelV4;
}

function otherVersion(name: string, version: string | undefined): HermesError {
  return new HermesError(
    'package_too_old',
    `${name} gives a model of another version of the AI SDK (${version ?? 'before v2'}); v4 is needed, as packages for \`ai\` 7 give it`,
    { kind: 'usage', next: `npm install ${name}@latest` },
  );
}
