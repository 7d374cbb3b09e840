import { isIP } from 'node:net';
import type { Addresses } from '../../accounts/addresses.js';
import { DomainError } from '../../base/errors.js';

/** What browsers bind passkeys to. */
export interface RelyingParty {
  /** The host name of the console. */
  id: string;
  origin: string;
}

const OFF =
  'Passkeys are off on this server, because its console has no host name. Its operator can set CONSOLE_URL.';

/**
 * Browsers create passkeys for host names only.
 * @returns undefined: there are no passkeys
 */
export function relyingPartyOf({ consoleRoot }: Addresses): RelyingParty | undefined {
  if (consoleRoot === undefined) return undefined;
  const { hostname, origin } = new URL(consoleRoot);
  const isAddress = isIP(hostname) !== 0 || hostname.startsWith('[');
  return isAddress ? undefined : { id: hostname, origin };
}

/** @throws DomainError FORBIDDEN where they are off */
export function passkeysOn(party: RelyingParty | undefined): RelyingParty {
  if (!party) throw new DomainError('FORBIDDEN', OFF);
  return party;
}
