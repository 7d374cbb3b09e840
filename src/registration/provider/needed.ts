import type { Knex } from 'knex';
import { uuidOf } from '../../base/ids.js';
import { linkOf } from './enter.js';
import type { Beginning, Person } from './flow.js';
import type { Needed } from './issuer/said.js';
import { liveProviders, providerOfLink } from './record/read.js';

/**
 * What a sign-in depends on: an address only of somebody whom neither a connection nor an invitation nor a session has proven,
 * groups only where they have roles. Of the installation's issuer, only the address will say which account decides.
 */
export async function neededOf(db: Knex, person: Person, beginning: Beginning): Promise<Needed> {
  if (beginning.linking !== null) return { address: false, groups: false };
  const link = await linkOf(db, person);
  const address = !link && !beginning.isInvited;
  if (!link && person.providerId === null) return { address, groups: true };
  const provider = link
    ? await providerOfLink(db, link)
    : await liveProviders(db).findById(uuidOf(person.providerId!));
  return { address, groups: (provider?.groupRoles.length ?? 0) > 0 };
}
