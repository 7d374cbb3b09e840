import type { Knex } from 'knex';
import { uuidOf } from '../../base/ids.js';
import { insertEntry } from '../../db/audit.js';
import { changeRecords } from '../../db/save.js';
import { authorOf } from '../../graphql/author.js';
import type { Context } from '../../graphql/context.js';
import { User } from '../users/user.js';
import type { ApiKey } from './api-key.js';
import { endOldest } from './end-session.js';
import { insertKey, type KeySettings } from './save.js';
import type { SignInMethod } from './sign-in-method.js';

/** Lifetime of a key of the console. */
const SIGN_IN_MS = 12 * 3_600_000;

/** A sign-in to the console. Only it carries the whole key. */
export interface SignIn {
  apiKey: ApiKey;
  /** Prefixed ids of the keys that it ended. */
  ended: string[];
}

/**
 * Makes a key of the console for a user that proved to be the one, and ends the oldest ones beyond five.
 * @param user locked and active
 * @param method null: none of those that people use
 */
export async function makeConsoleKey(
  trx: Knex.Transaction,
  context: Context,
  keys: KeySettings,
  user: User,
  method: SignInMethod | null,
  now: Date,
  lifetimeMs = SIGN_IN_MS,
): Promise<SignIn> {
  const ended = await endOldest(trx, user.id, now);
  const { ip, userAgent } = context;
  const apiKey = await insertKey(
    trx,
    keys,
    { ...newKey(user, now, lifetimeMs), signedIn: { method, ip, userAgent } },
    now,
  );
  await changeRecords(User.query(trx).where('id', uuidOf(user.id)), { signedInAt: now });
  await noteSignIn(trx, context, user, apiKey);
  return { apiKey, ended };
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Named by the day of the sign-in, in UTC: "console, 24 Nov". */
function newKey({ id, accountId }: User, now: Date, lifetimeMs: number) {
  const name = `console, ${now.getUTCDate()} ${MONTHS[now.getUTCMonth()]}`;
  const expiresAt = new Date(now.getTime() + lifetimeMs);
  return { accountId, userId: id, name, expiresAt };
}

async function noteSignIn(
  trx: Knex.Transaction,
  { clock, ip }: Context,
  { accountId, id: userId, superAdmin }: User,
  { id, name, signedInWith: method }: ApiKey,
): Promise<void> {
  const caller = {
    kind: 'admin',
    accountId,
    userId,
    keyId: id,
    superAdmin,
    role: 'viewer',
    rights: [],
    games: null,
  } as const;
  const act = { action: 'signed_in', subjectId: id, before: null, after: { name, method } };
  await insertEntry(
    trx,
    { ...act, accountId: uuidOf(accountId), gameId: null },
    authorOf({ caller, clock, ip }),
  );
}
