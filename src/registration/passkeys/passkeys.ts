import type { Knex } from 'knex';
import type { SignIn } from '../../accounts/keys/console-key.js';
import { endSessions } from '../../accounts/keys/end-session.js';
import { demandsPasskey } from '../../accounts/keys/passkey-demand.js';
import type { KeySettings } from '../../accounts/keys/save.js';
import { loadUser, reachableUsers } from '../../accounts/read.js';
import { requireGranting, requirePerson } from '../../accounts/users/grant.js';
import { User } from '../../accounts/users/user.js';
import { DomainError } from '../../base/errors.js';
import { idOf, uuid7, uuidOf } from '../../base/ids.js';
import { insertRecord, lockRecord, saveRecord } from '../../db/save.js';
import { adminOf, requireAccount, requireSuperadmin } from '../../graphql/access.js';
import { auditedWrite } from '../../graphql/author.js';
import type { Context } from '../../graphql/context.js';
import type { Outbox } from '../../mail/outbox.js';
import { Challenges, wrongPasskey } from './challenges.js';
import { parsedCredential } from './credential.js';
import { requirePasskeyChange } from './demand.js';
import { Passkey, passkeysOf, userHandle } from './passkey.js';
import { passkeysOn, type RelyingParty } from './relying-party.js';
import { passkeysResetMail } from './reset-mail.js';
import { signInWithPasskey } from './sign-in.js';

/** Passkeys of one user. */
const MOST_PASSKEYS = 20;

const RESET_MAIL_MS = 24 * 3_600_000;

interface PasskeysParts {
  party: RelyingParty | undefined;
  keys: KeySettings;
  outbox: Outbox;
  /** Counts a try of a caller without a credential. */
  admitTry(context: Context): Promise<void>;
}

/** The library is loaded by the first use: most processes never need it. */
const library = () => import('@simplewebauthn/server');

/** Adds, uses and removes passkeys. */
export class Passkeys {
  readonly #challenges: Challenges;

  constructor(private readonly parts: PasskeysParts) {
    this.#challenges = new Challenges(parts.keys.keySecret);
  }

  /** @returns JSON for `navigator.credentials.get` */
  async signInOptions({ clock }: Context): Promise<string> {
    const { id: rpID } = passkeysOn(this.parts.party);
    const { generateAuthenticationOptions } = await library();
    const challenge = this.#challenges.issue({ kind: 'sign-in' }, clock());
    const options = { rpID, challenge: new Uint8Array(challenge), userVerification: 'required' } as const;
    return JSON.stringify(await generateAuthenticationOptions(options));
  }

  /** @throws DomainError INVALID_CODE, USER_SUSPENDED, ACCOUNT_SUSPENDED, VALIDATION_FAILED, RATE_LIMITED */
  async signIn(context: Context, input: { accountId: string; response: string }): Promise<SignIn> {
    const party = passkeysOn(this.parts.party);
    await this.parts.admitTry(context);
    const { verifyAuthenticationResponse: verify } = await library();
    const parts = { verify, party, challenges: this.#challenges, keys: this.parts.keys };
    return signInWithPasskey(parts, context, input);
  }

  /** @returns JSON for `navigator.credentials.create` */
  async newOptions(context: Context): Promise<string> {
    const { id: rpID } = passkeysOn(this.parts.party);
    const { userId } = adminOf(context);
    const user = await loadUser(context, userId);
    await requirePasskeyChange(context.db, context, user, 'adds');
    const { generateRegistrationOptions } = await library();
    const others = await passkeysOf(context.db, userId);
    const options = await generateRegistrationOptions({
      rpID,
      rpName: 'Leaderboards',
      challenge: new Uint8Array(this.#challenges.issue({ kind: 'add', userId }, context.clock())),
      userID: new Uint8Array(userHandle({ accountId: user.accountId, userId })),
      userName: user.email,
      userDisplayName: user.displayName,
      attestationType: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: others.map(({ credentialId, transports }) => ({
        id: credentialId.toString('base64url'),
        transports: transports as never,
      })),
    });
    return JSON.stringify(options);
  }

  /** @throws DomainError INVALID_CODE, FORBIDDEN, CONFLICT, INVALID_TRANSITION (too many), VALIDATION_FAILED */
  async add(context: Context, { name, response }: { name: string; response: string }): Promise<Passkey> {
    const { id: expectedRPID, origin: expectedOrigin } = passkeysOn(this.parts.party);
    const { userId } = adminOf(context);
    const now = new Date(context.clock());
    const use = { kind: 'add', userId } as const;
    const credential = parsedCredential(response, ['clientDataJSON', 'attestationObject']);
    const challenge = this.#challenges.open(use, credential.challenge, now.getTime());
    if (!challenge) throw wrongPasskey();
    const { verifyRegistrationResponse } = await library();
    const expected = { expectedRPID, expectedOrigin, expectedChallenge: credential.challenge };
    const verified = await verifyRegistrationResponse({
      response: credential.json as never,
      ...expected,
      requireUserVerification: true,
    }).catch(() => undefined);
    if (!verified?.verified) throw wrongPasskey();
    const { credential: made, credentialBackedUp } = verified.registrationInfo;
    return auditedWrite(context, async (trx) => {
      const user = await lockRecord(User, reachableUsers(trx), userId, 'User');
      await requirePasskeyChange(trx, context, user, 'adds');
      if ((await passkeysOf(trx, userId)).length >= MOST_PASSKEYS) {
        throw new DomainError(
          'INVALID_TRANSITION',
          `A user can have ${MOST_PASSKEYS} passkeys. Remove one first.`,
        );
      }
      await this.#challenges.use(trx, challenge, user.accountId, now);
      return insertRecord(trx, Passkey, {
        id: idOf('passkey', uuid7(now.getTime())),
        accountId: user.accountId,
        userId,
        name: name.trim(),
        credentialId: Buffer.from(made.id, 'base64url'),
        publicKey: Buffer.from(made.publicKey),
        signCount: made.counter,
        transports: credential.transports,
        isSynced: credentialBackedUp,
        lastUsedAt: null,
        createdAt: now,
        updatedAt: now,
      });
    });
  }

  /** Renames one's own passkey. @throws DomainError NOT_FOUND, FORBIDDEN */
  rename(context: Context, { id, name }: { id: string; name: string }): Promise<Passkey> {
    return this.#changeOwn(context, id, { name: name.trim() });
  }

  /** Removes one's own passkey for good. @throws DomainError NOT_FOUND, FORBIDDEN */
  remove(context: Context, id: string): Promise<Passkey> {
    return this.#changeOwn(context, id, { deletedAt: new Date(context.clock()) });
  }

  async #changeOwn(
    context: Context,
    id: string,
    changes: Partial<Pick<Passkey, 'name' | 'deletedAt'>>,
  ): Promise<Passkey> {
    return auditedWrite(context, async (trx) => {
      const user = await lockRecord(User, reachableUsers(trx), adminOf(context).userId, 'User');
      const account = await requirePasskeyChange(trx, context, user);
      const passkey = await lockRecord(Passkey, Passkey.query(trx).whereNull('deleted_at'), id, 'Passkey');
      requireAccount(context, { accountId: passkey.accountId });
      if (passkey.userId !== adminOf(context).userId) {
        throw new DomainError(
          'FORBIDDEN',
          'This passkey belongs to another user. An administrator can reset the passkeys of a user.',
        );
      }
      await saveRecord(trx, passkey, changes, new Date(context.clock()));
      if (demandsPasskey(account, user) && !(await passkeysOf(trx, user.id).first())) {
        throw new DomainError(
          'INVALID_TRANSITION',
          'Your account requires a passkey. Add another one before you remove this one.',
        );
      }
      return passkey;
    });
  }

  /**
   * Removes all passkeys of another user and ends its sessions; the user gets a mail.
   * @throws DomainError NOT_FOUND, FORBIDDEN, INVALID_TRANSITION (one's own)
   */
  async reset(context: Context, id: string): Promise<User> {
    const now = new Date(context.clock());
    const reset = await auditedWrite(context, async (trx) => {
      const user = await lockRecord(User, reachableUsers(trx).whereNull('users.deleted_at'), id, 'User');
      requireAccount(context, { accountId: user.accountId });
      if (user.id === adminOf(context).userId) {
        throw new DomainError(
          'INVALID_TRANSITION',
          'You cannot reset your own passkeys. Remove single ones, or ask another administrator.',
        );
      }
      requirePerson(context, user);
      requireGranting(context, user);
      if (user.superAdmin) {
        requireSuperadmin(context, 'FORBIDDEN', "Only a superadmin can reset a superadmin's passkeys.");
      }
      await resetPasskeys(trx, this.parts.outbox, user, now);
      return user;
    });
    context.changed(reset.id);
    return reset;
  }
}

/** @param user locked */
export async function resetPasskeys(
  trx: Knex.Transaction,
  outbox: Outbox,
  user: User,
  now: Date,
): Promise<void> {
  for (const passkey of await passkeysOf(trx, user.id))
    await saveRecord(trx, passkey, { deletedAt: now }, now);
  await saveRecord(trx, user, { passkeysDueFrom: now }, now);
  await endSessions(trx, user.id, now);
  const [recipient, accountId] = [user.email, uuidOf(user.accountId)];
  const mail = { kind: 'passkeys-reset', recipient, accountId, about: uuid7(now.getTime()) };
  const expiresAt = new Date(now.getTime() + RESET_MAIL_MS);
  await outbox.put(trx, { ...passkeysResetMail(user.displayName), ...mail, expiresAt }, now);
}
