/** The lists of hosts in a tool's own settings [tools.NAME]. */

import { HermesError } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/types.ts';
import { parseHost, portOf } from '../network/hosts.ts';

/**
 * `allow_hosts`: reached whatever their address and port (a server in the own network). `trusted_hosts`: what they send was not
 * written by strangers, so it does not make the run untrusted.
 */
const HOST_LISTS = ['allow_hosts', 'trusted_hosts'] as const;
type HostLists = Record<(typeof HOST_LISTS)[number], readonly string[]>;

/** Throws a usage error that names the setting. The hosts of addresses in the settings `url` and `*_url` are allowed: the user wrote them. */
export function hostLists(settings: JsonObject, tool?: string): HostLists {
  const [allow_hosts, trusted_hosts] = HOST_LISTS.map((name) => listOf(settings, name, tool)) as [string[], string[]];
  return { allow_hosts: [...allow_hosts, ...ownHosts(settings)], trusted_hosts };
}

function ownHosts(settings: JsonObject): string[] {
  const addresses = Object.entries(settings).flatMap(([name, value]) => (name === 'url' || name.endsWith('_url') ? [value] : []));
  return addresses.flatMap((address) => {
    if (typeof address !== 'string' || !URL.canParse(address)) return [];
    const url = new URL(address);
    return url.hostname === '' ? [] : [`${url.hostname}:${portOf(url)}`];
  });
}

function listOf(settings: JsonObject, name: string, tool: string | undefined): string[] {
  const list = settings[name] ?? [];
  try {
    if (!Array.isArray(list) || !list.every((entry) => typeof entry === 'string')) throw new Error('expected a list of hosts');
    for (const entry of list) parseHost(entry);
    return list;
  } catch (error) {
    const place = tool === undefined ? name : `[tools.${tool}] ${name}`;
    const next = (error as HermesError).next ?? `write ${name} = ["example.com"]`;
    throw new HermesError('bad_setting', `${place}: ${(error as Error).message}`, { kind: 'usage', next });
  }
}
