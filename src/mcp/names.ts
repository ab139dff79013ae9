/** Names of tools as every provider takes them: server__tool, letters, digits, - and _, at most 64, a letter first. */

import { hashOf } from '../tools/define.ts';

const MOST = 64;
const MOST_SERVER = 24;

/**
 * A name for each tool of each server, the same in every process. What cannot be written in these letters (时间), would be too long or
 * would meet another name gets a few digits of a hash.
 */
export function toolNames(servers: readonly { name: string; tools: readonly string[] }[]): Map<string, Map<string, string>> {
  const taken = new Set<string>();
  const prefixes = new Map<string, number>();
  for (const { name } of servers) prefixes.set(prefixOf(name), (prefixes.get(prefixOf(name)) ?? 0) + 1);
  return new Map(
    servers.map(({ name: server, tools }) => {
      const prefix = prefixes.get(prefixOf(server)) === 1 ? prefixOf(server) : short(prefixOf(server), MOST_SERVER, server);
      const names = tools.map((tool): [string, string] => {
        const plain = `${prefix}__${isPlain(tool) ? tool : short(letters(tool) || 'tool', MOST, tool)}`;
        const name = plain.length > MOST || taken.has(plain) ? short(plain, MOST, `${server}\0${tool}`) : plain;
        taken.add(name);
        return [tool, name];
      });
      return [server, new Map(names)];
    }),
  );
}

function prefixOf(server: string): string {
  const plain = letters(server);
  if (plain === server && plain.length <= MOST_SERVER && /^[a-z]/i.test(plain)) return plain;
  return short(/^[a-z]/i.test(plain) ? plain : `mcp_${plain}`.replace(/_$/, ''), MOST_SERVER, isSame(server, plain) ? '' : server);
}

/** "my server" and "my_server" say the same; "时间" and "" do not. */
function isSame(name: string, plain: string): boolean {
  return plain !== '' && plain.length <= MOST_SERVER && /^[\x20-\x7e]+$/.test(name);
}

function isPlain(tool: string): boolean {
  return /^[\w-]+$/.test(tool);
}

function letters(name: string): string {
  return name
    .replace(/[^\w-]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .replace(/__+/g, '_');
}

/** Cut to `most`, with six digits that `of` alone has; an empty `of` adds none. */
function short(name: string, most: number, of: string): string {
  if (of === '') return name.slice(0, most);
  return `${name.slice(0, most - 7)}_${hashOf(of).slice(0, 6)}`;
}
