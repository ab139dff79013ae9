/**
 * What the guarded fetch refuses: `node bench/ssrf.ts [FILE] [--json]`, default ../shared/data/ssrf/ssrf.json. By classification:
 * each URL is parsed, its name resolved by the file's own hosts, its addresses judged; nothing is connected to.
 */

import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { checkTarget, parseUrl, type Resolved } from '../src/network/target.ts';

const FILE = resolve(import.meta.dirname, '../../shared/data/ssrf/ssrf.json');

interface Material {
  block_urls: string[];
  block_schemes: string[];
  allow_urls: string[];
  hosts_file: string;
}
interface Row {
  group: string;
  url: string;
  /** `allowed`, or the code of the refusal. */
  result: string;
  why: string;
  right: boolean;
}

async function judge(group: string, url: string, hosts: ReadonlyMap<string, Resolved[]>): Promise<Row> {
  const options = { allowHosts: [], resolve: async (host: string) => hosts.get(host) ?? [] };
  let result = 'allowed';
  let why = '';
  try {
    await checkTarget(parseUrl(url), options);
  } catch (error) {
    ({ code: result, message: why } = error as { code: string; message: string });
  }
  // A name that nobody knows is no proof of a refusal.
  const right = group === 'public allowed' ? result === 'allowed' : result !== 'allowed' && result !== 'host_not_found';
  return { group, url, result, why, right };
}

function readHosts(text: string): Map<string, Resolved[]> {
  const hosts = new Map<string, Resolved[]>();
  for (const line of text.trim().split('\n')) {
    const [address = '', ...names] = line.split(/\s+/);
    for (const name of names) hosts.set(name, [...(hosts.get(name) ?? []), { address, family: address.includes(':') ? 6 : 4 }]);
  }
  return hosts;
}

const { values: options, positionals } = parseArgs({ options: { json: { type: 'boolean', default: false } }, allowPositionals: true });
const file = positionals[0] ?? FILE;
if (existsSync(file)) {
  const material: Material = JSON.parse(readFileSync(file, 'utf8'));
  const hosts = readHosts(material.hosts_file);
  const groups: [string, string, string[]][] = [
    ['addresses_refused', 'address refused', material.block_urls],
    ['schemes_refused', 'scheme refused', material.block_schemes],
    ['public_allowed', 'public allowed', material.allow_urls],
  ];
  const figures = [];
  for (const [name, group, urls] of groups) {
    const rows = await Promise.all(urls.map((url) => judge(group, url, hosts)));
    if (!options.json)
      for (const { url, result, why, right } of rows) console.log(`${right ? ' ' : '!'} ${url} -> ${result} ${why}`.trimEnd());
    const value = rows.filter((row) => row.right).length;
    figures.push({ name, value: `${value}/${rows.length}`, goal: `${rows.length}/${rows.length}`, ok: value === rows.length });
  }
  if (options.json) console.log(JSON.stringify(figures));
  else for (const { name, value, goal, ok } of figures) console.log(`${name} ${value} goal ${goal} ${ok ? 'ok' : 'short'}`);
  process.exitCode = figures.every(({ ok }) => ok) ? 0 : 1;
} else {
  console.error(`bench:ssrf: there is no ${file}. Name a file with the fields of ssrf.json: npm run -s bench:ssrf -- FILE`);
  process.exitCode = 2;
}
