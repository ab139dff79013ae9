/** Which addresses and URLs may be reached, by classification alone: nothing is connected to. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { addressProblem } from '../../src/network/address.ts';
import { includesHost, parseHost } from '../../src/network/hosts.ts';
import { checkTarget, parseUrl } from '../../src/network/target.ts';

const data = resolve(import.meta.dirname, '../../../shared/data/ssrf/ssrf.json');
const noData = !existsSync(data) && 'shared/data/ssrf is not here';

/** The classes, each with addresses at its edges. */
const REFUSED: Record<string, string[]> = {
  loopback: [
    '127.0.0.1',
    '127.255.255.255',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '127.1',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '64:ff9b::7f00:1',
  ],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fec0::1', '::ffff:10.0.0.1', '64:ff9b::192.168.0.1'],
  'link-local': ['169.254.1.1', 'fe80::1', 'fe80::1%eth0'],
  'cloud metadata': ['169.254.169.254', '::ffff:a9fe:a9fe', '64:ff9b::a9fe:a9fe', '100.100.100.200', '168.63.129.16', 'fd00:ec2::254'],
  'carrier-grade NAT': ['100.64.0.1', '100.127.255.255'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
  broadcast: ['255.255.255.255'],
  unspecified: ['0.0.0.0', '0.1.2.3', '::'],
  reserved: [
    ...['192.0.2.1', '198.51.100.1', '203.0.113.1', '198.18.0.1', '198.19.255.255', '192.88.99.1', '240.0.0.1', '192.0.0.8'],
    ...['2001:db8::1', '100::1', '2002:7f00:1::', '2001:0:4136:e378:8000:63bf:80ff:fffe', '64:ff9b:1::8.8.8.8', '4000::1'],
    ...['3fff::1', '5f00::1', '2001:2::1'],
  ],
  malformed: ['', 'example.com', '::::', '1.2.3.4.5', '999.1.1.1', '127..1'],
};
const ALLOWED = [
  '8.8.8.8',
  '172.15.0.1',
  '172.32.0.1',
  '100.63.255.255',
  '100.128.0.1',
  '169.253.1.1',
  '198.17.255.255',
  '223.255.255.255',
].concat(['2606:4700:4700::1111', '240e::1', '64:ff9b::8.8.8.8', '::ffff:8.8.8.8', '2a00:1450:4001:1:0:5efe:808:808']);

test('only global unicast addresses may be reached; each refusal names its class', () => {
  for (const [problem, addresses] of Object.entries(REFUSED)) {
    for (const address of addresses) assert.equal(addressProblem(address), problem, address);
  }
  for (const address of ALLOWED) assert.equal(addressProblem(address), undefined, address);
  assert.equal(addressProblem('2a00:1450:4001:1:0:5efe:7f00:1'), 'loopback', 'a tunnel into a private network');
});

test('no address of this machine may be reached, whatever its class', () => {
  const own = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  for (const { address } of own) assert.notEqual(addressProblem(address), undefined, address);
});

const nowhere = { allowHosts: [], resolve: async () => [] };
const codeOf = (promise: Promise<unknown>) => promise.then(() => 'allowed').catch((error: { code: string }) => error.code);
const check = async (text: string, options: Parameters<typeof checkTarget>[1] = nowhere) => checkTarget(parseUrl(text), options);

test('a URL is judged by where it leads: scheme, credentials, port, name, every spelling of an address', async () => {
  const resolving = (...addresses: string[]) => ({
    allowHosts: [],
    resolve: async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  });
  const expected: [string, string, Parameters<typeof checkTarget>[1]?][] = [
    ['file:///etc/passwd', 'scheme_refused'],
    ['data:text/html,x', 'scheme_refused'],
    ['//127.0.0.1/', 'bad_url'],
    ['http://[fe80::1%25lo]/', 'bad_url'],
    ['http://user:pass@example.com/', 'credentials_in_url'],
    ['http://①②⑦.⓪.⓪.①/', 'address_refused'],
    ['http://127。0。0。1/', 'address_refused'],
    ['http://%31%32%37.0.0.1/', 'address_refused'],
    ['http://0x7f.1/', 'address_refused'],
    ['http://127.0.0.1./', 'address_refused'],
    ['http://LOCALHOST./', 'address_refused'],
    ['http://metadata.google.internal/', 'address_refused'],
    ['http://printer.local/', 'address_refused'],
    ['http://93.184.216.34:22/', 'port_refused'],
    ['http://93.184.216.34:8080/', 'allowed'],
    ['http://gone.test/', 'host_not_found'],
    ['http://bücher.example/', 'allowed', resolving('93.184.216.34')],
    ['http://half.test/', 'address_refused', resolving('93.184.216.34', '10.0.0.1')],
    ['http://six.test/', 'address_refused', resolving('::1')],
    ['http://scoped.test/', 'address_refused', resolving('fe80::1%lo')],
    ['http://inner.test:22/', 'allowed', { ...resolving('10.0.0.1'), allowHosts: ['inner.test'] }],
    ['http://inner.test:22/', 'port_refused', { ...resolving('10.0.0.1'), allowHosts: ['inner.test:23', '*.other.test'] }],
  ];
  for (const [url, code, options] of expected) assert.equal(await codeOf(check(url, options)), code, url);
  await assert.rejects(check('http://meta.test/', resolving('169.254.169.254')), {
    message: 'meta.test leads to 169.254.169.254, which is refused: cloud metadata address',
  });
});

test('lists of hosts: names, names below, ports, addresses; what is no host is an error', () => {
  const list = ['example.com', '*.corp.example', '127.0.0.1:8080', '[::1]', 'bücher.example', 'web.test:80'];
  const named = [
    'http://example.com/',
    'https://EXAMPLE.com./x',
    'http://a.b.corp.example/',
    'http://corp.example/',
    'http://127.0.0.1:8080/',
  ];
  for (const url of [...named, 'http://[::1]:9/', 'http://xn--bcher-kva.example/', 'http://web.test/'])
    assert.ok(includesHost(list, new URL(url)), url);
  for (const url of [
    'http://sub.example.com/',
    'http://example.com.evil.test/',
    'http://evilcorp.example/',
    'http://127.0.0.1/',
    'https://web.test/',
  ])
    assert.ok(!includesHost(list, new URL(url)), url);
  for (const wrong of ['http://example.com', 'a b', '', 'example.com/path', 'user@example.com'])
    assert.throws(() => parseHost(wrong), { code: 'bad_host' }, wrong);
});

test('all of the collected addresses', { skip: noData }, async () => {
  const { block_urls, block_schemes, allow_urls, openclaw, hosts_file } = JSON.parse(readFileSync(data, 'utf8'));
  const hosts = new Map<string, string>();
  for (const line of hosts_file.trim().split('\n')) {
    const [address, ...names] = line.split(' ');
    for (const name of names) hosts.set(name, address);
  }
  const resolveThere = async (host: string) => (hosts.has(host) ? [{ address: hosts.get(host) as string, family: 4 }] : []);
  const options = { allowHosts: [], resolve: resolveThere };
  for (const url of [...block_urls, ...block_schemes]) {
    const code = await codeOf(check(url, options));
    assert.ok(!['allowed', 'host_not_found'].includes(code), `${url}: ${code}`);
  }
  for (const url of allow_urls) assert.equal(await codeOf(check(url, options)), 'allowed', url);
  for (const address of [...openclaw.private_ips, ...openclaw.malformed_ipv6]) assert.ok(addressProblem(address), address);
});
