import type { Knex } from 'knex';
import { requireFreshSignIn } from '../../../accounts/keys/lasting-access.js';
import { accountForWrite, refusedTransition } from '../../../accounts/read.js';
import { requireGranting } from '../../../accounts/users/grant.js';
import { invalidField } from '../../../base/errors.js';
import { idOf, uuid7, uuidOf } from '../../../base/ids.js';
import { NameTaken } from '../../../db/names.js';
import { runStatement } from '../../../db/pool.js';
import type { ChangesOf } from '../../../db/row.js';
import { deletionOf, insertRecord, lockRecord, saveRecord } from '../../../db/save.js';
import { adminOf, ofWhole, requireAccount, requireSuperadmin } from '../../../graphql/access.js';
import { auditedWrite } from '../../../graphql/author.js';
import type { Context } from '../../../graphql/context.js';
import { changedColumns, newColumns } from '../../../graphql/records/record.js';
import type { Seal } from '../../../mail/outbox.js';
import {
  type CreateIdentityProviderInput,
  IdentityProvider,
  isConfigured,
  providerFields,
  type UpdateIdentityProviderInput,
} from './identity-provider.js';
import { linksOf } from './provider-link.js';
import { reachableProviders } from './read.js';

/** What the writes of providers depend on. */
interface ProviderRules {
  seal: Seal;
  /** Reads the issuer's metadata. @throws DomainError VALIDATION_FAILED when it cannot be read */
  checkIssuer(context: Context, issuer: string): Promise<void>;
}

/** A superadmin lets an account use single sign-on. @throws DomainError NOT_FOUND, CONFLICT, VALIDATION_FAILED */
export async function createProvider(
  context: Context,
  rules: ProviderRules,
  input: CreateIdentityProviderInput,
): Promise<IdentityProvider> {
  requireFreshSignIn(context);
  checkOwn(input.kind, input);
  if (input.issuer) await rules.checkIssuer(context, input.issuer);
  const now = new Date(context.clock());
  const id = idOf('identityProvider', uuid7(now.getTime()));
  return auditedWrite(context, async (trx) => {
    await accountForWrite(trx, context, ofWhole(input), 'alone');
    const values = {
      id,
      ...newColumns(providerFields, input),
      sealedSecret: input.clientSecret ? rules.seal.close(id, input.clientSecret) : null,
      createdAt: now,
      updatedAt: now,
    };
    await requireFreeDomains(trx, Object.assign(new IdentityProvider(), values));
    const provider = await insertRecord(trx, IdentityProvider, values);
    await apply(trx, context, provider, now);
    return provider;
  });
}

/**
 * Changes, deletes or restores an account's single sign-on. Whoever does can sign in as anyone of the account.
 * @throws DomainError NOT_FOUND, FORBIDDEN, VALIDATION_FAILED, CONFLICT, INVALID_TRANSITION
 */
export async function updateProvider(
  context: Context,
  rules: ProviderRules,
  id: string,
  input: UpdateIdentityProviderInput,
): Promise<IdentityProvider> {
  const now = new Date(context.clock());
  requireGranting(context, { role: 'admin', gameIds: null });
  requireFreshSignIn(context);
  if (input.issuer) {
    const known = await reachableProviders(context.db).findById(uuidOf(id));
    if (known) requireAccount(context, ofWhole(known));
    if (known && known.issuer !== input.issuer) await rules.checkIssuer(context, input.issuer);
  }
  const saved = await auditedWrite(context, async (trx) => {
    const provider = await lockRecord(IdentityProvider, reachableProviders(trx), id, 'Identity provider');
    const deletion = deletionOf(provider, input, now, 'Identity provider');
    requireAccount(context, ofWhole(provider));
    if (input.deleted !== undefined) {
      requireSuperadmin(context, 'SUPERADMIN_REQUIRED', 'Only a superadmin can allow or end single sign-on.');
    }
    if (input.domains && provider.kind === 'installation') {
      const sentence = "Only a superadmin can give domains of the installation's issuer to an account.";
      requireSuperadmin(context, 'SUPERADMIN_REQUIRED', sentence);
    }
    checkOwn(provider.kind, input);
    const { clientSecret } = input;
    const changes = changedColumns(providerFields, input);
    // Another issuer must not get the secret of the one before.
    const isMoved = input.issuer !== undefined && input.issuer !== provider.issuer;
    const sealedSecret = clientSecret ? rules.seal.close(id, clientSecret) : isMoved ? null : undefined;
    const all: ChangesOf<IdentityProvider> = { ...changes, ...deletion, sealedSecret };
    await requireFreeDomains(trx, Object.assign(new IdentityProvider(), provider, given(all)));
    await saveRecord(trx, provider, all, now);
    await apply(trx, context, provider, now);
    return provider;
  });
  context.changed(saved.accountId);
  return saved;
}

const given = (changes: object) =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));

type OwnFields = Pick<UpdateIdentityProviderInput, 'scopes'> & {
  issuer?: string | null;
  clientId?: string | null;
  clientSecret?: string | null;
};

function checkOwn(kind: string, input: OwnFields | CreateIdentityProviderInput): void {
  const given = (['issuer', 'clientId', 'clientSecret'] as const).find((name) => input[name] != null);
  if (kind === 'own' || !given) return;
  throw invalidField([given], "is not allowed with the installation's issuer, which the settings describe");
}

const DOMAIN_LOCK = 0x6c_62_6964;

const OTHERS = `
  select from identity_providers p where p.kind = 'installation' and p.deleted_at is null and p.id <> ?::uuid
    and p.domains && ?::text[] limit 1`;

/** A domain of the installation's issuer leads to one account. @throws the error of a name that is taken */
async function requireFreeDomains(trx: Knex.Transaction, provider: IdentityProvider): Promise<void> {
  if (provider.kind === 'own' || provider.deletedAt || provider.domains.length === 0) return;
  await runStatement(trx, 'select pg_advisory_xact_lock(?)', [DOMAIN_LOCK]);
  const { rows } = await runStatement(trx, OTHERS, [uuidOf(provider.id), [...provider.domains]]);
  if (rows.length > 0) throw new NameTaken('provider_domain');
}

const CLOSE_OTHERS = 'update accounts set provider_only = ? where id = ? and provider_only <> ?';

/** Counted from the last sign-in. */
const STOP_KEYS = `
  update users u set keys_stop_at = ?::timestamptz + ?::int * interval '1 day' - (?::timestamptz - coalesce(
      (select max(l.signed_in_at) from provider_links l where l.user_id = u.id and l.deleted_at is null), ?::timestamptz))
  where u.account_id = ? and u.deleted_at is null
    and (u.keys_stop_at is not null or exists (select from provider_links l where l.user_id = u.id and l.deleted_at is null))`;

/** What other parts of the service read at each request is kept with accounts and users. */
async function apply(
  trx: Knex.Transaction,
  context: Context,
  provider: IdentityProvider,
  now: Date,
): Promise<void> {
  const isLive = !provider.deletedAt;
  const isOnly = isLive && provider.onlyProvider;
  const account = uuidOf(provider.accountId);
  if (isOnly) await refuseLockingOut(trx, context, provider);
  await runStatement(trx, CLOSE_OTHERS, [isOnly, account, isOnly]);
  const days = isLive ? provider.keyDays : null;
  await runStatement(trx, STOP_KEYS, [now, days, now, now, account]);
}

/** Whoever turns other ways to sign in off must have one left. */
async function refuseLockingOut(
  trx: Knex.Transaction,
  context: Context,
  provider: IdentityProvider,
): Promise<void> {
  const { superAdmin, userId } = adminOf(context);
  if (provider.kind === 'own' && !isConfigured(provider)) {
    throw refusedTransition(
      'Set issuer, client id and client secret before you turn other ways to sign in off.',
    );
  }
  if (superAdmin || (await linksOf(trx, userId).first())) return;
  throw refusedTransition('Connect your own user with single sign-on first, under "Your sign-ins".');
}
