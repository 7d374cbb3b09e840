import type { KeySettings } from '../accounts/keys/save.js';
import { givenEmail } from '../accounts/users/address.js';
import type { User } from '../accounts/users/user.js';
import type { Log } from '../base/log.js';
import { adminOf } from '../graphql/access.js';
import type { Context, CountWrite } from '../graphql/context.js';
import type { Outbox } from '../mail/outbox.js';
import { issueCode } from './codes/issue.js';
import { type Verified, verifyCode } from './codes/verify.js';
import { completeRegistration } from './complete.js';
import { DoorLimits } from './door-limits.js';
import type { InviteUserInput, RegisterCompleteInput, RegisterVerifyInput } from './inputs.js';
import { inviteUser } from './invite.js';
import type { Registration } from './registration.js';

/** Called for every completed registration and accepted invitation, after the commit. Its errors are logged. */
export type OnCompleted = (registration: Registration, context: Context) => void | Promise<void>;

export interface RegisteringParts {
  outbox: Outbox;
  log: Log;
  keys: KeySettings;
  countWrite: CountWrite;
  onCompleted?: OnCompleted | undefined;
}

/** The operations of registration, with their rate limits. */
export class Registering {
  readonly #limits = new DoorLimits();

  constructor(private readonly parts: RegisteringParts) {}

  get #issuing() {
    return { outbox: this.parts.outbox, keySecret: this.parts.keys.keySecret };
  }

  /** Does the same work for every mail address. @throws DomainError VALIDATION_FAILED, RATE_LIMITED */
  async sendCode(context: Context, email: string): Promise<void> {
    const { db, clock, ip } = context;
    await this.parts.countWrite(context);
    await this.#limits.code(ip);
    const address = givenEmail(email);
    const now = new Date(clock());
    await db.transaction((trx) => issueCode(trx, this.#issuing, address, now));
  }

  /** @throws DomainError VALIDATION_FAILED, INVALID_CODE, RATE_LIMITED */
  async verify(context: Context, { email, code }: RegisterVerifyInput): Promise<Verified> {
    await this.parts.countWrite(context);
    await this.#limits.try(context.ip);
    return verifyCode(context, this.parts.keys.keySecret, givenEmail(email), code);
  }

  /** @throws DomainError RATE_LIMITED, and those of {@link completeRegistration} */
  async complete(context: Context, input: RegisterCompleteInput): Promise<Registration> {
    await this.parts.countWrite(context);
    await this.#limits.try(context.ip);
    const registration = await completeRegistration(this.parts, context, input);
    await this.#afterCompletion(registration, context);
    return registration;
  }

  /** @throws DomainError NOT_FOUND, FORBIDDEN, CONFLICT, RATE_LIMITED */
  async invite(context: Context, input: InviteUserInput): Promise<User> {
    await this.#limits.invitation(adminOf(context).accountId);
    return inviteUser(this.#issuing, context, input);
  }

  /** An error of the listener does not undo the registration. */
  async #afterCompletion(registration: Registration, context: Context): Promise<void> {
    try {
      await this.parts.onCompleted?.(registration, context);
    } catch (error) {
      const { accountId } = registration;
      this.parts.log.error({ err: error, accountId }, 'a listener to completed registrations failed');
    }
  }
}
