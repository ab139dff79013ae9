/** Why an address may not be reached on a model's behalf: only global unicast addresses of other machines may. */

import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** What the ranges of ipaddr.js are to people; a range that is not named here is reserved. */
const CLASSES: Readonly<Record<string, string>> = {
  unspecified: 'unspecified',
  loopback: 'loopback',
  private: 'private',
  uniqueLocal: 'private',
  deprecatedSiteLocal: 'private',
  linkLocal: 'link-local',
  carrierGradeNat: 'carrier-grade NAT',
  multicast: 'multicast',
  broadcast: 'broadcast',
};

/** Services of clouds that hand out credentials; those inside the classes above are named all the same. */
const METADATA = new Set([
  '169.254.169.254', // AWS, Google, Azure and most others
  '169.254.170.2', // AWS container credentials
  '100.100.100.200', // Alibaba
  '192.0.0.192', // Oracle
  '168.63.129.16', // Azure's wire server, a public address
  'fd00:ec2::254', // AWS
  'fd20:ce::254', // Google
]);

/**
 * undefined = it may be reached; else its class. `text` in any spelling that an address has (decimal, octal, hexadecimal, zone);
 * what is no address at all is refused, too.
 */
export function addressProblem(text: string): string | undefined {
  const bare = text.replace(/^\[|\]$/g, '');
  if (!ipaddr.isValid(bare)) return 'malformed';
  const address = ipaddr.parse(bare);
  const problem = METADATA.has(address.toString().replace(/%.*/, '')) ? 'cloud metadata' : problemOf(address);
  return problem ?? (isOwn(address) ? "this machine's own" : undefined);
}

function problemOf(address: Address): string | undefined {
  if (!isIPv6(address)) return address.range() === 'unicast' ? undefined : (CLASSES[address.range()] ?? 'reserved');
  const inner = innerAddress(address);
  if (inner) return addressProblem(inner.toString());
  const range = address.range();
  if (range !== 'unicast') return CLASSES[range] ?? 'reserved';
  if ((address.parts[0]! & 0xe000) !== 0x2000) return 'reserved'; // only 2000::/3 is given out
  return isatap(address);
}

/** The IPv4 address that really answers: mapped ones, and NAT64 with the well-known prefix, by which IPv6-only networks reach every IPv4 host. */
function innerAddress(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  const isNat64 = [0x64, 0xff9b, 0, 0, 0, 0].every((part, index) => address.parts[index] === part);
  return isNat64 ? lastIPv4(address) : undefined;
}

/** A tunnel address (…:0:5efe:a.b.c.d) into a network that the IPv4 address in it names. */
function isatap(address: ipaddr.IPv6): string | undefined {
  const [, , , , first, second] = address.parts;
  return (first! & 0xfdff) === 0 && second === 0x5efe ? addressProblem(lastIPv4(address).toString()) : undefined;
}

function lastIPv4({ parts }: ipaddr.IPv6): ipaddr.IPv4 {
  const [high, low] = [parts[6]!, parts[7]!];
  return new ipaddr.IPv4([high >> 8, high & 255, low >> 8, low & 255]);
}

function isIPv6(address: Address): address is ipaddr.IPv6 {
  return address.kind() === 'ipv6';
}

/** A public address of this machine leads to services that listen for its neighbours only. */
function isOwn(address: Address): boolean {
  const text = address.toNormalizedString();
  return Object.values(networkInterfaces()).some((entries) => entries?.some((entry) => normalized(entry.address) === text));
}

function normalized(text: string): string {
  return ipaddr.parse(text).toNormalizedString();
}
