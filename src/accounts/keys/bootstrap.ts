import type { Knex } from 'knex';
import { canonicalEmail } from '../../base/email-address.js';
import { SetupError } from '../../base/errors.js';
import { idOf, NIL_UUID, uuid7, uuidOf } from '../../base/ids.js';
import { NOWHERE } from '../../base/ip-address.js';
import { slugify } from '../../base/slug.js';
import { freeSlug, insertRecord, saveRecord } from '../../db/save.js';
import { auditedWrite, workOf } from '../../graphql/author.js';
import { Account } from '../account.js';
import { insertUser } from '../users/save.js';
import { User } from '../users/user.js';
import { ApiKey, prefixOf } from './api-key.js';
import { insertKey, type KeySettings } from './save.js';
import { hasSuperadminKey, lockSuperadmins } from './superadmin-key.js';

const BOOTSTRAP_KEY_NAME = 'Administration';

/** Minimum length in characters; the first 14 are public, the others must withstand guessing. */
export const SHORTEST_KEY = 32;

interface Superadmin {
  email: string;
  /** The whole API key; undefined: one is generated. */
  key?: string;
}

/**
 * Creates an account, an owner with superadmin rights and a key, if no superadmin has a usable key without expiry. A
 * superadmin of that address that has no key, is suspended, or whose account is suspended or deleted, gets access again
 * with a new key instead.
 * @returns the whole key, or undefined when there is such a key already
 * @throws SetupError when the given key is unfit, or the address is that of a user without superadmin rights
 */
export async function bootstrap(
  db: Knex,
  settings: KeySettings,
  superadmin: Superadmin,
  now: Date,
): Promise<string | undefined> {
  return auditedWrite({ db, ...workOf('operator', 'start', now) }, async (trx) => {
    await lockSuperadmins(trx);
    if (await hasSuperadminKey(trx)) return undefined;
    if (superadmin.key !== undefined) await refuseUnfit(trx, superadmin.key);
    const email = canonicalEmail(superadmin.email);
    if (email === undefined) throw new SetupError('SUPERADMIN_EMAIL is not a valid email address.');
    const user = (await reactivated(trx, email, now)) ?? (await created(trx, email, now));
    const input = { ...user, name: 'Superadmin' };
    return (await insertKey(trx, settings, input, now, superadmin.key)).key;
  });
}

async function refuseUnfit(trx: Knex.Transaction, key: string): Promise<void> {
  if (key.length < SHORTEST_KEY || !/^[\x21-\x7e]+$/.test(key)) {
    throw new SetupError(
      `SUPERADMIN_API_KEY must be at least ${SHORTEST_KEY} printable characters without spaces. Unset it to have a key generated.`,
    );
  }
  if (await ApiKey.query(trx).where('prefix', prefixOf(key)).first()) {
    throw new SetupError(
      'SUPERADMIN_API_KEY starts with the same characters as a key that was used before. Choose another ' +
        'one, or unset it to have a key generated.',
    );
  }
}

interface Owner {
  accountId: string;
  userId: string;
}

/**
 * Never gives a tenant's user superadmin rights: otherwise registering the address first would give control of the
 * service.
 */
async function reactivated(trx: Knex.Transaction, email: string, now: Date): Promise<Owner | undefined> {
  const user = await User.query(trx)
    .whereRaw('lower(email) = lower(?)', [email])
    .whereNull('deleted_at')
    .first();
  if (!user) return undefined;
  if (!user.superAdmin) {
    throw new SetupError(
      'There is no superadmin, and SUPERADMIN_EMAIL belongs to a user who is not one. Set SUPERADMIN_EMAIL to another address.',
    );
  }
  const account = await Account.query(trx).findById(uuidOf(user.accountId)).throwIfNotFound();
  // While the account was deleted, another account may have taken its name and slug.
  const free = await freeNames(trx, account.name, account.slug, uuidOf(account.id));
  await saveRecord(trx, account, { ...free, status: 'active', deletedAt: null }, now);
  await saveRecord(trx, user, { status: 'active' }, now);
  return { accountId: account.id, userId: user.id };
}

/** @param own the account itself, which may keep its name and slug; a bare uuid */
async function freeNames(trx: Knex.Transaction, name: string, slug: string, own = NIL_UUID) {
  const others = () => Account.query(trx).whereNull('deleted_at').whereNot('id', own);
  const free = await freeSlug(others(), slug);
  const taken = await others().where('name', name).first();
  // A name ends at 100 characters, a slug at 50.
  return { name: taken ? `${[...name].slice(0, 45).join('')} (${free})` : name, slug: free };
}

async function created(trx: Knex.Transaction, email: string, now: Date): Promise<Owner> {
  const account = await insertRecord(trx, Account, {
    id: idOf('account', uuid7(now.getTime())),
    ...(await freeNames(trx, BOOTSTRAP_KEY_NAME, slugify(BOOTSTRAP_KEY_NAME, 'account'))),
    ...NOWHERE,
    passkeysDemandedAt: null,
    passkeyHours: 24,
    status: 'active',
    createdAt: now,
    updatedAt: now,
  });
  const input = { accountId: account.id, email, displayName: 'Superadmin', superAdmin: true };
  const user = await insertUser(trx, { ...input, status: 'active', emailVerifiedAt: null }, now);
  return { accountId: account.id, userId: user.id };
}
