import { BlockList, isIP, isIPv4 } from 'node:net';

/** Addresses and networks (CIDR) of proxies whose `x-forwarded-for` is trusted. */
export class TrustedProxies {
  readonly #list = new BlockList();
  readonly #none: boolean;

  /** @param entries e.g. `10.0.0.0/8`, `::1`; throws for any other text */
  constructor(entries: string[]) {
    this.#none = entries.length === 0;
    for (const entry of entries) {
      const [address = '', bits] = entry.split('/');
      const family = isIPv4(address) ? 'ipv4' : 'ipv6';
      if (bits === undefined) this.#list.addAddress(address, family);
      else this.#list.addSubnet(address, Number(bits), family);
    }
  }

  /** True if `forwardedFor` may come from an undeclared proxy: the socket's address is then shared by many callers. */
  misses(forwardedFor: string | undefined): boolean {
    return this.#none && !!forwardedFor;
  }

  /** Returns the caller's address: the socket's, or the right-most one in `forwardedFor` that is no trusted proxy. */
  callerAddress(socketAddress: string | undefined, forwardedFor: string | undefined): string | undefined {
    let caller = plain(socketAddress);
    if (this.#none) return caller;
    const hops = forwardedFor?.split(',').map((hop) => plain(withoutPort(hop.trim()))) ?? [];
    while (caller && this.#trusts(caller)) {
      const hop = hops.pop();
      if (!hop || isIP(hop) === 0) break;
      caller = hop;
    }
    return caller;
  }

  #trusts(address: string): boolean {
    return this.#list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
  }
}

/** Returns an IPv4 address that arrived through an IPv6 socket in IPv4 form. */
function plain(address: string | undefined): string | undefined {
  return address?.replace(/^::ffff:(?=\d+\.)/i, '');
}

/** Removes the caller's port, which some proxies add: `203.0.113.9:4711`, `[2001:db8::1]:4711`. */
function withoutPort(hop: string): string {
  return /^\[(.*)\](?::\d{1,5})?$/.exec(hop)?.[1] ?? hop.replace(/(?<=^[\d.]{7,15}):\d{1,5}$/, '');
}
