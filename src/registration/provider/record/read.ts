import type { Knex } from 'knex';
import { inLiveAccount } from '../../../accounts/read.js';
import { notFound } from '../../../base/errors.js';
import { uuidOf } from '../../../base/ids.js';
import { recordColumns } from '../../../db/sort.js';
import { accountScope, adminOf, listedRows, ofWhole, requireAccount } from '../../../graphql/access.js';
import { readRecords, type SortedRequest } from '../../../graphql/connection.js';
import type { Context } from '../../../graphql/context.js';
import { recordsById } from '../../../graphql/loader.js';
import { IdentityProvider } from './identity-provider.js';
import type { ProviderLink } from './provider-link.js';

export const reachableProviders = (db: Knex) =>
  IdentityProvider.query(db).whereRaw(inLiveAccount('identity_providers'));

export const liveProviders = (db: Knex) => reachableProviders(db).whereNull('identity_providers.deleted_at');

const providerById = recordsById(IdentityProvider, liveProviders);

/** @throws DomainError NOT_FOUND, FORBIDDEN */
export async function loadProvider(context: Context, id: string): Promise<IdentityProvider> {
  const provider = await context.loaders.of(providerById).load(id);
  if (!provider) throw notFound('Identity provider');
  requireAccount(context, ofWhole(provider));
  return provider;
}

export const SORTABLE_PROVIDERS = recordColumns('identity_providers', 'identityProvider');

interface ProviderFilters {
  accountId?: string | null;
  isDeleted?: boolean | null;
}

/** Single sign-on of the caller's account; a superadmin may name another or see all. */
export function listProviders(context: Context, page: SortedRequest, filters: ProviderFilters) {
  const scope = accountScope(context, filters.accountId);
  const { isDeleted } = filters;
  const rows = listedRows(context, isDeleted, liveProviders, reachableProviders, 'identity_providers');
  if (scope) rows.where('identity_providers.account_id', uuidOf(scope));
  if (adminOf(context).games) rows.whereRaw('false');
  const effective = { account_id: scope, deleted: isDeleted || undefined };
  const list = { type: IdentityProvider, sortable: SORTABLE_PROVIDERS, rows, filters: effective };
  return readRecords(context.db, list, page);
}

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

/** How an account uses single sign-on, if it does. */
export function providerOf(db: Knex, accountId: string) {
  return liveProviders(db).where('account_id', uuidOf(accountId)).first();
}
