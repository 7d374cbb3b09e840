import { BlockList, isIPv4 } from 'node:net';

const INNER = new BlockList();
for (const network of [
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '100.64.0.0/10',
]) {
  const [address, bits] = network.split('/');
  INNER.addSubnet(address!, Number(bits), 'ipv4');
}
for (const [address, bits] of [
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const) {
  INNER.addSubnet(address, bits, 'ipv6');
}

const bare = (address: string) => address.replace(/%.*$/, '');

/** True for an address of the public internet, false for this machine or a private network. */
export function isPublic(address: string): boolean {
  return !INNER.check(bare(address), isIPv4(address) ? 'ipv4' : 'ipv6');
}

/** Returns the unit that limits count: the IPv4 address itself, or the 64-bit network of one IPv6 subscriber. */
export function subscriberOf(address: string): string {
  return isIPv4(address) ? address : firstGroups(address, 4);
}

/** Returns what one organization or attacker commonly has: the /24 of an IPv4 address, the /48 of an IPv6 address. */
export function networkOf(address: string): string {
  return isIPv4(address) ? address.replace(/\.\d+$/, '') : firstGroups(address, 3);
}

/** The first 16-bit groups of an IPv6 address. */
function firstGroups(address: string, count: number): string {
  const [head = '', tail] = bare(address).split('::');
  const before = head.split(':').filter((group) => group !== '');
  const after = tail?.split(':').filter((group) => group !== '') ?? [];
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  const groups = [...before, ...zeros, ...after].slice(0, count);
  return groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':');
}

/** The known location of an address. */
export interface GeoPlace {
  city: string | null;
  /** Two-letter ISO code, upper case. */
  country: string | null;
  /** IANA name. */
  timezone: string | null;
}

export const NOWHERE: GeoPlace = { city: null, country: null, timezone: null };
