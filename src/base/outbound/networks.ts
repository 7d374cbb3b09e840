import { BlockList, isIP } from 'node:net';

/** Networks by family: a BlockList of both would let a network of IPv6 admit IPv4 addresses. */
interface Networks {
  ipv4: BlockList;
  ipv6: BlockList;
}

/**
 * Never reached, whatever is allowed: this host's own link, cloud metadata services, and IPv6 networks whose addresses are
 * translated to IPv4 ones, or relayed to them, which comparisons of networks miss.
 */
const NEVER = networksOf([
  '0.0.0.0/8',
  '169.254.0.0/16',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
  'fe80::/10',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
  // IPv4-compatible, -mapped and -translated (SIIT), NAT64, Teredo, 6to4 and its relays.
  '::/96',
  '::ffff:0:0/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '2001::/32',
  '2002::/16',
  '192.88.99.0/24',
]);

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

/** @param networks addresses or CIDRs, which the settings have checked */
export function networksOf(networks: readonly string[]): Networks {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const network of networks) {
    const [address, bits] = network.split('/') as [string, string?];
    const family = familyOf(address);
    lists[family].addSubnet(
      address,
      bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number(bits),
      family,
    );
  }
  return lists;
}

function has(networks: Networks, address: string): boolean {
  const family = familyOf(address);
  return networks[family].check(address, family);
}

/** True if the service may connect to a private address, because the operator allowed its network. */
export function isAllowed(address: string, allowed: Networks): boolean {
  return !isNever(address) && has(allowed, address);
}

/** @param address an IP address */
export function isNever(address: string): boolean {
  if (address === '::1') return false;
  // An address with a zone belongs to a link.
  return address.includes('%') || has(NEVER, address);
}
