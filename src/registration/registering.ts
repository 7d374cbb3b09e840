import type { Addresses } from '../accounts/addresses.js';
import type { SignIn } from '../accounts/keys/console-key.js';
import { requireFreshSignIn } from '../accounts/keys/lasting-access.js';
import type { KeySettings } from '../accounts/keys/save.js';
import { accountForWrite } from '../accounts/read.js';
import { givenEmail, lockEmail } from '../accounts/users/address.js';
import { givenGames, requireGranting } from '../accounts/users/grant.js';
import { insertUser } from '../accounts/users/save.js';
import type { User } from '../accounts/users/user.js';
import { uuidOf } from '../base/ids.js';
import { isPublic, subscriberOf } from '../base/ip-address.js';
import { Limit, SHARED_ADDRESS } from '../base/limits.js';
import type { Log } from '../base/log.js';
import { adminOf } from '../graphql/access.js';
import { auditedWrite } from '../graphql/author.js';
import type { Context, CountWrite } from '../graphql/context.js';
import type { Outbox } from '../mail/outbox.js';
import { reportEvent } from '../outbox/report.js';
import { type Issuing, issueCode, issueInvite } from './codes/issue.js';
import { displayNameOf } from './codes/names.js';
import { type Try, type VerifiedCode, verifyCode } from './codes/verify.js';
import {
  type CompletedRegistration,
  closedRegistration,
  completeRegistration,
  type RegistrationPolicy,
} from './complete.js';
import type {
  CompleteRegistrationInput,
  InviteUserInput,
  SignInInput,
  VerifyRegistrationInput,
} from './inputs.js';
import { signIn } from './sign-in.js';

/** Called for every completed registration and accepted invitation, after the commit. Its errors are logged. */
export type OnCompleted = (registration: CompletedRegistration, context: Context) => void | Promise<void>;

interface RegisteringParts {
  outbox: Outbox;
  log: Log;
  keys: KeySettings;
  registration: RegistrationPolicy;
  countWrite: CountWrite;
  addresses: Addresses;
  onCompleted?: OnCompleted | undefined;
}

/** The network that limits of an address count; empty where it is not known. */
function networkOf({ ip }: Context): string {
  return ip === undefined ? '' : subscriberOf(ip);
}

/** The operations of registration, with their rate limits. */
export class Registering {
  readonly #limits = new RegistrationLimits();

  constructor(private readonly parts: RegisteringParts) {}

  get #issuing() {
    const { outbox, keys, registration, addresses } = this.parts;
    return { outbox, keySecret: keys.keySecret, invitedOnly: registration !== 'open', addresses };
  }

  /** @throws DomainError FORBIDDEN */
  #requireOpen(): void {
    if (this.parts.registration === 'closed') throw closedRegistration();
  }

  /**
   * Sends a registration's code.
   * @throws DomainError FORBIDDEN (closed), VALIDATION_FAILED, RATE_LIMITED
   */
  async sendRegistrationCode(context: Context, email: string): Promise<string> {
    this.#requireOpen();
    return this.#sendCode(context, email, undefined, 'registration');
  }

  /**
   * Does the same work for every mail address.
   * @returns the token of the request
   * @throws DomainError VALIDATION_FAILED, RATE_LIMITED
   */
  async #sendCode(
    context: Context,
    email: string,
    token: string | undefined,
    purpose: Parameters<typeof issueCode>[4],
  ): Promise<string> {
    const { db, clock } = context;
    await this.parts.countWrite(context);
    await this.#limits.code(context.ip);
    const address = givenEmail(email);
    const requester = { network: networkOf(context), token };
    return db.transaction((trx) =>
      issueCode(trx, this.#issuing, address, requester, purpose, new Date(clock())),
    );
  }

  /** @param token of the last request of the same browser, whose code ends. @see #sendCode */
  sendSignInCode(context: Context, email: string, token?: string | null): Promise<string> {
    return this.#sendCode(context, email, token ?? undefined, 'sign_in');
  }

  /** @throws DomainError VALIDATION_FAILED, INVALID_CODE, RATE_LIMITED */
  async signIn(context: Context, input: SignInInput): Promise<SignIn> {
    await this.admitTry(context);
    return signIn(context, this.parts.keys, this.#tryOf(context, input, true));
  }

  /** @throws DomainError FORBIDDEN (closed), VALIDATION_FAILED, INVALID_CODE, RATE_LIMITED */
  async verify(context: Context, input: VerifyRegistrationInput): Promise<VerifiedCode> {
    this.#requireOpen();
    await this.admitTry(context);
    return verifyCode(context.db, this.#tryOf(context, input, false));
  }

  #tryOf(context: Context, { email, code, requestToken }: SignInInput, signIn: boolean): Try {
    const { keySecret } = this.parts.keys;
    const [token, now] = [requestToken ?? undefined, new Date(context.clock())];
    return { keySecret, email: givenEmail(email), code, token, network: networkOf(context), now, signIn };
  }

  /** Counts a try of another way to sign in. @throws DomainError RATE_LIMITED */
  async admitTry(context: Context): Promise<void> {
    await this.parts.countWrite(context);
    await this.#limits.try(context.ip);
  }

  /** @throws DomainError FORBIDDEN (closed), RATE_LIMITED, and those of {@link completeRegistration} */
  async complete(context: Context, input: CompleteRegistrationInput): Promise<CompletedRegistration> {
    this.#requireOpen();
    await this.admitTry(context);
    const registration = await completeRegistration(this.parts, context, input);
    await this.#afterCompletion(registration, context);
    return registration;
  }

  /** @throws DomainError NOT_FOUND, FORBIDDEN, CONFLICT, RATE_LIMITED, PASSKEY_REQUIRED */
  async invite(context: Context, input: InviteUserInput): Promise<User> {
    this.#requireOpen();
    requireFreshSignIn(context);
    await this.#limits.invitation(adminOf(context).accountId);
    return inviteUser(this.#issuing, context, input);
  }

  /** An error of the listener does not undo the registration. */
  async #afterCompletion(registration: CompletedRegistration, context: Context): Promise<void> {
    try {
      await this.parts.onCompleted?.(registration, context);
    } catch (error) {
      const { accountId } = registration;
      this.parts.log.error({ err: error, accountId }, 'a listener for completed registrations failed');
    }
  }
}

/**
 * Creates an invited user of the account and sends the code.
 * @throws DomainError VALIDATION_FAILED, NOT_FOUND, FORBIDDEN, CONFLICT (email)
 */
async function inviteUser(issuing: Issuing, context: Context, input: InviteUserInput): Promise<User> {
  const now = new Date(context.clock());
  const accountId = input.accountId ?? adminOf(context).accountId;
  const email = givenEmail(input.email);
  return auditedWrite(context, async (trx) => {
    await lockEmail(trx, email);
    await accountForWrite(trx, context, { accountId }, 'alone');
    const gameIds = await givenGames(trx, accountId, input.gameIds);
    const role = input.role ?? 'admin';
    requireGranting(context, { role, gameIds });
    const displayName = displayNameOf(input.displayName, email);
    const state = { superAdmin: false, status: 'invited', emailVerifiedAt: null } as const;
    const invitedBy = uuidOf(adminOf(context).userId);
    const invited = { accountId, email, displayName, role, gameIds, invitedBy, ...state };
    const user = await insertUser(trx, invited, now);
    await issueInvite(trx, issuing, email, now);
    await reportEvent(trx, { accountId, type: 'user.invited', subject: { user_id: user.id }, at: now });
    return user;
  });
}

const HOUR_SECONDS = 3_600;

/**
 * Codes that one network address may request in an hour: 200 guests of a jam behind one address, and a hundred retries.
 */
export const MOST_CODES = 300;
/** Codes and tokens that one network address may try. */
const MOST_TRIES_OF_ADDRESS = 900;
/** Invitations of one account. */
const MOST_INVITATIONS = 100;

/** Counts by address, and those that are perhaps a proxy's by themselves. */
function byAddress(times: number): (ip: string | undefined) => Promise<void> {
  const own = new Limit(times, HOUR_SECONDS);
  const shared = new Limit(times * SHARED_ADDRESS, HOUR_SECONDS);
  return async (ip) => {
    if (ip !== undefined) await (isPublic(ip) ? own : shared).count(subscriberOf(ip));
  };
}

/**
 * Rate limits of registration: wide enough for a jam, too narrow for sending mass mail or for guessing. Loopback and
 * private addresses have more: behind a proxy that is not named in TRUSTED_PROXIES all callers share them.
 */
class RegistrationLimits {
  readonly #codes = byAddress(MOST_CODES);
  readonly #tries = byAddress(MOST_TRIES_OF_ADDRESS);
  readonly #invitations = new Limit(MOST_INVITATIONS, HOUR_SECONDS);

  /** Counts a request for a code. @throws DomainError RATE_LIMITED */
  code(ip: string | undefined): Promise<void> {
    return this.#codes(ip);
  }

  /** Counts a code or a token that is tried. @throws DomainError RATE_LIMITED */
  try(ip: string | undefined): Promise<void> {
    return this.#tries(ip);
  }

  /** Counts an invitation of an account. @throws DomainError RATE_LIMITED */
  invitation(accountId: string): Promise<void> {
    return this.#invitations.count(accountId);
  }
}
