/** The way out of a sandbox: a proxy on a socket file that lets through to named hosts only. */

import { includesHost } from '../network/hosts.ts';
import { type OpenProxy, openProxy as openCheckedProxy } from '../network/proxy.ts';
import { checkTarget, type Resolved, systemResolve } from '../network/target.ts';

/**
 * `hosts`: see src/network/hosts.ts. Private addresses are reached only where an entry names them with a port, or as an address.
 * Only its owner may use the socket; as a command can run under another user, the folder around it has to keep others out.
 */
export function openProxy(file: string, hosts: readonly string[]): Promise<OpenProxy> {
  return openCheckedProxy((url) => addressOf(url, hosts), file);
}

async function addressOf(url: URL, hosts: readonly string[]): Promise<Resolved> {
  if (!includesHost(hosts, url)) throw new Error(`${url.host} is none of the hosts that may be reached: ${hosts.join(', ')}`);
  const allowHosts = hosts.filter((host) => /:\d+$|^[\d.]+$|^\[/.test(host));
  const [address] = await checkTarget(url, { allowHosts, resolve: systemResolve });
  return address!;
}
