/** Lists of hosts in settings: `example.com`, `*.example.com` (that and every name below it), `127.0.0.1:8080` (this port only). */

import { HermesError } from '../kernel/errors.ts';

/** Host as a URL writes it: lower case, punycode, [..] around IPv6. Throws a usage error for what is no host. */
export function parseHost(entry: string): { host: string; port: string | undefined; below: boolean } {
  const below = entry.startsWith('*.');
  const rest = below ? entry.slice(2) : entry;
  const url = URL.canParse(`ws://${rest}/`) ? new URL(`ws://${rest}/`) : undefined;
  if (!url || url.username || url.hash || /[/\\?]/.test(rest)) {
    throw new HermesError('bad_host', `"${entry}" is no host`, {
      kind: 'usage',
      next: 'write a host as in example.com, *.example.com, 127.0.0.1:8080 or [::1]:8080',
    });
  }
  const port = /:(\d+)$/.exec(rest)?.[1];
  return { host: bare(url.hostname), port, below };
}

/** Whether a list names the host of this URL. */
export function includesHost(list: readonly string[], url: URL): boolean {
  const host = bare(url.hostname);
  return list.map(parseHost).some((entry) => {
    if (entry.port !== undefined && entry.port !== portOf(url)) return false;
    return host === entry.host || (entry.below && host.endsWith(`.${entry.host}`));
  });
}

export function portOf(url: URL): string {
  return url.port || (url.protocol === 'https:' ? '443' : '80');
}

/** Without the dot that ends a full name. */
function bare(hostname: string): string {
  return hostname.replace(/\.$/, '');
}
