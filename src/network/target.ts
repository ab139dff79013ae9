/** What may be asked for at all: a URL and, once its name is resolved, the addresses it leads to. */

import { lookup } from 'node:dns/promises';
import { HermesError } from '../kernel/errors.ts';
import { addressProblem } from './address.ts';
import { includesHost, portOf } from './hosts.ts';

export interface Resolved {
  address: string;
  family: number;
}
export interface TargetOptions {
  /** Hosts that may be reached whatever their address and port; see hosts.ts. */
  allowHosts: readonly string[];
  /** All addresses of a name. */
  resolve(host: string): Promise<Resolved[]>;
}

/** Names that mean this machine or this network, whatever a name service says. */
const LOCAL_NAMES = /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/;

export function systemResolve(host: string): Promise<Resolved[]> {
  return lookup(host, { all: true });
}

export function parseUrl(text: string): URL {
  if (!URL.canParse(text)) throw refusal('bad_url', `"${text.slice(0, 200)}" is no web address`, 'write a whole one: https://host/path');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw refusal('scheme_refused', `${url.protocol} addresses are not fetched`, 'only http:// and https:// are');
  if (url.username || url.password)
    throw refusal('credentials_in_url', 'the address holds a user name or password', 'send an authorization header');
  return url;
}

/** The addresses that may be connected to for this URL. Throws when one of them may not: no answer is taken in parts. */
export async function checkTarget(url: URL, { allowHosts, resolve }: TargetOptions): Promise<Resolved[]> {
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const isAllowed = includesHost(allowHosts, url);
  if (!isAllowed) {
    checkPort(url);
    if (LOCAL_NAMES.test(host)) throw addressRefused(host, undefined, 'local name');
  }
  const addresses = isAddress(url.hostname) ? [{ address: host, family: host.includes(':') ? 6 : 4 }] : await resolved(host, resolve);
  for (const { address } of isAllowed ? [] : addresses) {
    const problem = addressProblem(address);
    if (problem) throw addressRefused(host, address, problem);
  }
  return addresses;
}

/** A URL has already turned every spelling of an IPv4 address into four decimal numbers. */
function isAddress(hostname: string): boolean {
  return hostname.startsWith('[') || /^\d+\.\d+\.\d+\.\d+\.?$/.test(hostname);
}

function checkPort(url: URL): void {
  const port = portOf(url);
  if (port === '80' || port === '443' || Number(port) >= 1024) return;
  throw refusal('port_refused', `port ${port} of ${url.hostname} is refused: below 1024 only 80 and 443 are fetched from`, ALLOW);
}

const ALLOW = 'if this host is meant, its owner can name it in allow_hosts of the tool';

function addressRefused(host: string, address: string | undefined, problem: string): HermesError {
  const leadsTo = address === undefined || address === host ? '' : ` leads to ${address}, which`;
  const message = `${host}${leadsTo} is refused: ${problem} ${address === undefined ? '' : 'address'}`.trimEnd();
  // What a cloud tells its own machines is never meant.
  return refusal('address_refused', message, problem === 'cloud metadata' ? 'use another address' : ALLOW);
}

async function resolved(host: string, resolve: TargetOptions['resolve']): Promise<Resolved[]> {
  let addresses: Resolved[] = [];
  let cause: unknown;
  try {
    addresses = await resolve(host);
  } catch (error) {
    cause = error;
  }
  if (addresses.length > 0) return addresses;
  const isGone = cause === undefined || (cause as NodeJS.ErrnoException).code === 'ENOTFOUND';
  throw new HermesError('host_not_found', `${host} ${isGone ? 'does not exist' : 'cannot be looked up now'}, so it cannot be checked`, {
    kind: 'tool',
    next: 'check the name; behind a proxy that alone can look names up, name the host in allow_hosts of the tool',
    retryable: !isGone,
    cause,
  });
}

export function refusal(code: string, message: string, next: string): HermesError {
  return new HermesError(code, message, { kind: 'tool', next });
}
