import type { Knex } from 'knex';
import { Account } from '../accounts/account.js';
import type { Addresses } from '../accounts/addresses.js';
import type { ApiKey } from '../accounts/keys/api-key.js';
import { makeConsoleKey } from '../accounts/keys/console-key.js';
import { demandsPasskey } from '../accounts/keys/passkey-demand.js';
import { insertKey, type KeySettings } from '../accounts/keys/save.js';
import { refuseProviderOnly } from '../accounts/provider-only.js';
import { insertAccount } from '../accounts/save-account.js';
import { claimEmail } from '../accounts/users/address.js';
import { insertUser } from '../accounts/users/save.js';
import { User } from '../accounts/users/user.js';
import { DomainError, invalidField } from '../base/errors.js';
import { uuidOf } from '../base/ids.js';
import type { GeoPlace } from '../base/ip-address.js';
import { auditedTransaction } from '../db/audit.js';
import { changeRecords } from '../db/save.js';
import { authorOf } from '../graphql/author.js';
import type { Context } from '../graphql/context.js';
import type { Outbox } from '../mail/outbox.js';
import { hashToken, VerificationCode, type VerificationType } from './codes/code.js';
import { activateInvited, usableCode } from './codes/invited.js';
import { displayNameOf } from './codes/names.js';
import type { CompleteRegistrationInput } from './inputs.js';
import { checkJamCode, redeemJamCode } from './jam/save.js';
import { welcomeMail } from './messages.js';

/** Name of the API key of a registration. */
const FIRST_KEY = 'Registration';

/** A completed registration or accepted invitation: the user, its account and its key. Ids are prefixed. */
export interface CompletedRegistration {
  type: VerificationType;
  email: string;
  accountId: string;
  accountName: string;
  accountSlug: string;
  userId: string;
  displayName: string;
  /** The whole key; it is returned only here. */
  apiKey: string;
  apiKeyId: string;
  /** True: the key is a sign-in to the console. */
  isSession: boolean;
}

function registrationOf(
  { type, email }: VerificationCode,
  account: Account,
  user: User,
  key: ApiKey,
): CompletedRegistration {
  return {
    // Codes of the console have no token.
    type: type as VerificationType,
    email,
    accountId: account.id,
    accountName: account.name,
    accountSlug: account.slug,
    userId: user.id,
    displayName: user.displayName,
    apiKey: key.key!,
    apiKeyId: key.id,
    isSession: key.isConsole,
  };
}

/** Dependencies of completing a registration. */
interface Completing {
  outbox: Outbox;
  keys: KeySettings;
  registration: RegistrationPolicy;
  addresses: Addresses;
}

/** A welcome mail is given up after this time. */
const WELCOME_MS = 24 * 3_600_000;

/**
 * Creates account, owner and API key of a verified address, or activates an invited user; uses up the token and the jam
 * code, if one is given. One transaction.
 * @throws DomainError INVALID_TOKEN (unknown, expired, used), VALIDATION_FAILED, INVALID_SLUG, INVALID_CODE (jam code),
 * CONFLICT (email, account's name or slug), ACCOUNT_SUSPENDED, FORBIDDEN (only invited people can register)
 */
export async function completeRegistration(
  completing: Completing,
  context: Context,
  input: CompleteRegistrationInput,
): Promise<CompletedRegistration> {
  const { outbox, keys, registration, addresses } = completing;
  const now = new Date(context.clock());
  const place = context.place();
  const author = authorOf(context);
  return auditedTransaction(context.db, author, async (trx) => {
    const code = await usableCode(trx, hashToken(keys.keySecret, input.verificationToken), now);
    const invited = code?.type === 'invite';
    if (!invited && input.accountName == null) throw invalidField(['accountName'], 'is required', 'missing');
    if (!code) throw invalidRegistrationToken();
    // Its code was sent before this was the setting.
    if (!invited && registration !== 'open') throw closedRegistration();
    const jamCode = invited ? '' : (input.jamCode?.trim() ?? '');
    if (jamCode) await checkJamCode(trx, jamCode, now);
    const done = invited
      ? await acceptInvitation(trx, context, keys, code, input, now)
      : await register(trx, keys, code, place, input, now);
    author.userId = uuidOf(done.userId);
    const used = VerificationCode.query(trx).where('id', code.id);
    await changeRecords(used, { completedAt: now, updatedAt: now });
    const expiresAt = new Date(now.getTime() + WELCOME_MS);
    const mail = {
      kind: 'welcome',
      recipient: code.email,
      accountId: uuidOf(done.accountId),
      about: code.id,
      expiresAt,
    };
    const signIn = addresses.studio('console/');
    await outbox.put(trx, { ...welcomeMail({ ...done, signIn }), ...mail }, now);
    // Last: it locks the jam code's row, and other registrations with that code wait for the commit.
    if (jamCode) await redeemJamCode(trx, jamCode, done.accountId, now);
    return done;
  });
}

/** The setting REGISTRATION: who can register. */
export type RegistrationPolicy = 'open' | 'invited' | 'closed';

export function closedRegistration(): DomainError {
  return new DomainError(
    'FORBIDDEN',
    'Registration is closed on this server. Ask its operator for an account.',
  );
}

function invalidRegistrationToken(): DomainError {
  return new DomainError(
    'INVALID_TOKEN',
    'Invalid verification token: it has expired or was already used. Verify the address again.',
  );
}

async function register(
  trx: Knex.Transaction,
  keys: KeySettings,
  code: VerificationCode,
  place: GeoPlace,
  input: CompleteRegistrationInput,
  now: Date,
): Promise<CompletedRegistration> {
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

/**
 * Activates an invited user: its address is proven, and it gets a key or, as wanted and where passkeys are demanded, a session.
 * The account and jam code of the request are ignored.
 * @throws DomainError INVALID_TOKEN (no longer invited), ACCOUNT_SUSPENDED, FORBIDDEN (only single sign-on)
 */
async function acceptInvitation(
  trx: Knex.Transaction,
  context: Context,
  keys: KeySettings,
  code: VerificationCode,
  input: CompleteRegistrationInput,
  now: Date,
): Promise<CompletedRegistration> {
  const { account, user } = await activateInvited(trx, code, input.displayName, now);
  await refuseProviderOnly(trx, account.id);
  const made = { accountId: account.id, userId: user.id, name: FIRST_KEY };
  const key =
    input.signIn || demandsPasskey(account, user)
      ? (await makeConsoleKey(trx, context, keys, user, 'code', now)).apiKey
      : await insertKey(trx, keys, made, now);
  return registrationOf(code, account, user, key);
}
