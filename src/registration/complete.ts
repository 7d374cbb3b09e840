import type { Knex } from 'knex';
import { insertKey, type KeySettings } from '../accounts/keys/save.js';
import { insertAccount } from '../accounts/save-account.js';
import { claimEmail } from '../accounts/users/address.js';
import { insertUser } from '../accounts/users/save.js';
import { DomainError, invalidField } from '../base/errors.js';
import type { Place } from '../base/ip-address.js';
import { changeRecords } from '../db/save.js';
import type { Context } from '../graphql/context.js';
import type { Outbox } from '../mail/outbox.js';
import { acceptInvitation } from './accept-invitation.js';
import { VerificationCode } from './codes/code.js';
import { hashToken } from './codes/secrets.js';
import { displayNameOf } from './display-name.js';
import type { RegisterCompleteInput } from './inputs.js';
import { checkJamCode, redeemJamCode } from './jam/redeem.js';
import { welcomeMail } from './messages.js';
import { FIRST_KEY, type Registration, registrationOf } from './registration.js';

/** Dependencies of completing a registration. */
export interface Completing {
  outbox: Outbox;
  keys: KeySettings;
}

/** A welcome mail is given up after this time. */
const WELCOME_MILLIS = 24 * 3_600_000;

/**
 * Creates account, owner and API key of a verified address, or activates an invited user; uses up the token and the jam
 * code, if one is given. One transaction.
 * @throws DomainError INVALID_TOKEN (unknown, expired, used), VALIDATION_FAILED, INVALID_SLUG, INVALID_CODE (jam code),
 * CONFLICT (email, account's name or slug), ACCOUNT_SUSPENDED
 */
export async function completeRegistration(
  completing: Completing,
  context: Context,
  input: RegisterCompleteInput,
): Promise<Registration> {
  const { outbox, keys } = completing;
  const now = new Date(context.clock());
  const place = context.place();
  return context.db.transaction(async (trx) => {
    const code = await usableCode(trx, hashToken(keys.keySecret, input.verificationToken), now);
    const invited = code?.type === 'invite';
    if (!invited && input.accountName == null) throw invalidField(['accountName'], 'is required', 'missing');
    if (!code) throw invalidToken();
    const jamCode = invited ? '' : (input.jamCode?.trim() ?? '');
    if (jamCode) await checkJamCode(trx, jamCode, now);
    const done = invited
      ? await acceptInvitation(trx, keys, code, input, now)
      : await register(trx, keys, code, place, input, now);
    const used = VerificationCode.query(trx).where('id', code.id);
    await changeRecords(used, { completedAt: now, updatedAt: now });
    const expiresAt = new Date(now.getTime() + WELCOME_MILLIS);
    const mail = { kind: 'welcome', recipient: code.email, about: code.id, expiresAt };
    await outbox.put(trx, { ...welcomeMail(done), ...mail }, now);
    // Last: it locks the jam code's row, and other registrations with that code wait for the commit.
    if (jamCode) await redeemJamCode(trx, jamCode, done.accountId, now);
    return done;
  });
}

function invalidToken(): DomainError {
  return new DomainError(
    'INVALID_TOKEN',
    'The verification token is not valid: it has expired or was used. Verify the address again',
  );
}

/** Locked: a token is used once. */
async function usableCode(
  trx: Knex.Transaction,
  tokenHash: Buffer,
  now: Date,
): Promise<VerificationCode | undefined> {
  const code = await VerificationCode.query(trx).where('token_hash', tokenHash).forUpdate().first();
  return code && code.completedAt === null && code.tokenExpiresAt! > now ? code : undefined;
}

async function register(
  trx: Knex.Transaction,
  keys: KeySettings,
  code: VerificationCode,
  place: Place,
  input: RegisterCompleteInput,
  now: Date,
): Promise<Registration> {
  const named = { name: input.accountName!, slug: input.accountSlug };
  await claimEmail(trx, code.email, now);
  const account = await insertAccount(trx, named, place, now);
  const displayName = displayNameOf(input.displayName, code.email);
  const owner = { accountId: account.id, email: code.email, displayName };
  const user = await insertUser(
    trx,
    { ...owner, superAdmin: false, status: 'active', emailVerifiedAt: now },
    now,
  );
  const key = await insertKey(trx, keys, { accountId: account.id, userId: user.id, name: FIRST_KEY }, now);
  return registrationOf(code, account, user, key);
}
