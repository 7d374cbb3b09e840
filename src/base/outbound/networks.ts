import { BlockList, isIP } from 'node:net';

/**
 * Never reached, whatever is allowed: this host's own link, cloud metadata services, and spellings of IPv4 addresses as
 * IPv6 ones, which comparisons of networks miss.
 */
const NEVER = networksOf([
  '0.0.0.0/8',
  '169.254.0.0/16',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
  '::/96',
  'fe80::/10',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '2002::/16',
]);

/** `::ffff:0:0/96`, in any spelling. A BlockList compares such addresses with its IPv4 networks. */
const MAPPED = new BlockList();
MAPPED.addSubnet('0.0.0.0', 0, 'ipv4');

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

/** @param networks addresses or CIDRs, which the settings have checked */
export function networksOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address, bits] = network.split('/') as [string, string?];
    const family = familyOf(address);
    list.addSubnet(address, bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number(bits), family);
  }
  return list;
}

/** True if the service may connect to a private address, because the operator allowed its network. */
export function isAllowed(address: string, allowed: BlockList): boolean {
  return !isNever(address) && allowed.check(address, familyOf(address));
}

/** @param address an IP address */
export function isNever(address: string): boolean {
  if (address === '::1') return false;
  // An address with a zone belongs to a link.
  if (address.includes('%')) return true;
  if (isIP(address) === 6 && MAPPED.check(address, 'ipv6')) return true;
  return NEVER.check(address, familyOf(address));
}
