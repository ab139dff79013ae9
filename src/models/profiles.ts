/** The providers that are known: providers/*.json, one file each, and those of the folder that HERMES_PROVIDERS names. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HermesError } from '../kernel/errors.ts';
import { ofPackage } from '../package.ts';
import type { Abilities, Api, Habits, ProviderProfile } from './profile.ts';
import { problemOf } from './profile-check.ts';

/** One endpoint of a profile, as provider:model names it. */
export interface Provider {
  name: string;
  title: string;
  api: Api;
  /** Absent: the configuration has to give one. */
  baseURL?: string;
  baseURLVariables: readonly string[];
  /** Variables that may hold the key; the first that is set counts. None: no key is needed. */
  keys: readonly string[];
  /** Asked when only the provider is known; absent: a model has to be named. */
  model?: string;
  /** A server on this machine, looked for at its usual address. */
  local?: true;
  /** For people: China, international, coding plan. */
  note?: string;
  profile: ProviderProfile;
}

const cache = new Map<string, readonly Provider[]>();

/** In the order in which keys found in the environment, and local servers that answer, are taken. Read once a process. */
export function providersOf(env: NodeJS.ProcessEnv = process.env): readonly Provider[] {
  const own = env.HERMES_PROVIDERS ?? '';
  let providers = cache.get(own);
  if (!providers) {
    const shipped = profilesIn(ofPackage('providers'), () => undefined); // a test has checked them
    const profiles = own === '' ? shipped : new Map([...shipped, ...profilesIn(own, problemOf)]); // by file: one's own replaces the shipped
    providers = [...profiles.values()].sort((a, b) => a.order - b.order).flatMap(endpointsOf);
    cache.set(own, providers);
  }
  return providers;
}

/** File name -> profile. A file that cannot be used is named: a provider that is silently missing would be a riddle. */
function profilesIn(folder: string, check: typeof problemOf): Map<string, ProviderProfile> {
  const profiles = new Map<string, ProviderProfile>();
  let file = folder;
  try {
    for (const name of readdirSync(folder)) {
      if (!name.endsWith('.json')) continue;
      file = join(folder, name);
      const profile = JSON.parse(readFileSync(file, 'utf8')) as ProviderProfile;
      const problem = check(profile);
      if (problem) throw new Error(problem);
      profiles.set(name, profile);
    }
  } catch (error) {
    throw new HermesError('bad_profile', `${file}: ${(error as Error).message}`, {
      kind: 'usage',
      next: 'mend that file, or point HERMES_PROVIDERS to a folder of good profiles (see docs/providers.md)',
    });
  }
  return profiles;
}

function endpointsOf(profile: ProviderProfile): Provider[] {
  return Object.entries(profile.endpoints).map(([name, endpoint]) => ({
    name,
    title: endpoint.note ? `${profile.title}, ${endpoint.note}` : profile.title,
    api: endpoint.api ?? profile.api ?? 'chat',
    ...(endpoint.base_url && { baseURL: endpoint.base_url }),
    baseURLVariables: endpoint.base_url_variables ?? [],
    keys: endpoint.keys,
    ...modelOf(endpoint.model ?? profile.model),
    ...(profile.local && { local: true as const }),
    ...(endpoint.note && { note: endpoint.note }),
    profile,
  }));
}

function modelOf(model: string | undefined): { model?: string } {
  return model === undefined ? {} : { model };
}

/**
 * How a model of this provider is asked. At an address that is not the provider's own (a gateway) the API that only
 * some of its models need is not taken for granted.
 */
export function customsOf(provider: Provider, model: string, baseURL = provider.baseURL): { api: Api; habits: Habits } {
  const { profile, name } = provider;
  const rules = (profile.models ?? []).filter(({ match }) => new RegExp(match, 'i').test(model));
  const habits = Object.assign({}, profile.habits, profile.endpoints[name]?.habits, ...rules.map((rule) => rule.habits)) as Habits;
  const own = baseURL === provider.baseURL ? rules.findLast((rule) => rule.api)?.api : undefined;
  return { api: own ?? provider.api, habits };
}

/** What a model can do, as far as its habits say so; what was learnt stands above. */
export function abilitiesOf({ tools, images, json }: Habits, learnt: Abilities = {}): Abilities {
  return {
    ...(tools !== undefined && { tools }),
    ...(images !== undefined && { images }),
    ...(json?.format === 'json_schema' && { json_schema: { with_tools: json.with_tools !== false } }),
    ...learnt,
  };
}

/**
 * Regions and plans that are asked with a key of the same variable: a key of one is refused by the others. The same
 * vendor's address for another API takes the same key.
 */
export function siblingsOf(provider: Provider, variable: string | undefined): string[] {
  if (variable === undefined) return [];
  return endpointsOf(provider.profile)
    .filter(({ api, baseURL, keys }) => api === provider.api && baseURL !== provider.baseURL && keys.includes(variable))
    .map(({ name, note }) => (note ? `${name} (${note})` : name));
}
