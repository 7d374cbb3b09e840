import type { Knex } from 'knex';
import { wholeAccountReads } from '../../../accounts/whole-account.js';
import { uuidOf } from '../../../base/ids.js';
import { isCell } from '../../../db/names.js';
import { IdentityProvider } from './identity-provider.js';
import type { ProviderLink } from './provider-link.js';

export const {
  sortable: SORTABLE_PROVIDERS,
  reachable: reachableProviders,
  live: liveProviders,
  load: loadProvider,
  list: listProviders,
} = wholeAccountReads(IdentityProvider, 'identityProvider', 'Identity provider');

/** The same as it is for a person who came by a connection; undefined: by an issuer that is no longer the account's. */
export async function providerOfLink(
  db: Knex,
  { providerId, accountId }: Pick<ProviderLink, 'providerId' | 'accountId'>,
): Promise<IdentityProvider | undefined> {
  const provider = await providerOf(db, accountId);
  const isIts = providerId === null ? provider?.kind === 'installation' : provider?.id === providerId;
  return isIts ? provider : undefined;
}

/** How the account of a domain uses the installation's issuer. @param domain in lowercase */
export function installationProviderOf(db: Knex, domain: string) {
  return liveProviders(db)
    .where('kind', 'installation')
    .whereRaw('domains @> ?::text[]', [[domain]])
    .first();
}

/** True if an account signs its users in with an issuer of its own; of cells, which serve one page, each may have such an account. */
export async function hasOwnIssuer(db: Knex): Promise<boolean> {
  if (isCell(db)) return true;
  return (await liveProviders(db).where('kind', 'own').whereNotNull('issuer').first()) !== undefined;
}

/** How an account uses single sign-on, if it does. */
export function providerOf(db: Knex, accountId: string) {
  return liveProviders(db).where('account_id', uuidOf(accountId)).first();
}
