import type { KeySettings } from '../accounts/save-api-key.js';
import type { User } from '../accounts/user.js';
import type { Context } from '../graph/context.js';
import type { Log } from '../log.js';
import type { Outbox } from '../mail/outbox.js';
import { completeRegistration } from './complete.js';
import type { InviteUserInput, RegisterCompleteInput, RegisterVerifyInput } from './inputs.js';
import { inviteUser } from './invite.js';
import { issueCode } from './issue-code.js';
import type { Registration } from './registration.js';
import { type Verified, verifyCode } from './verify-code.js';

/** Told of every completed registration and accepted invitation, after the commit. What it throws is logged. */
export type OnCompleted = (registration: Registration, context: Context) => void | Promise<void>;

export interface RegisteringParts {
  outbox: Outbox;
  log: Log;
  keys: KeySettings;
  onCompleted?: OnCompleted | undefined;
}

/** The doors of registration. */
export class Registering {
  constructor(private readonly parts: RegisteringParts) {}

  get #issuing() {
    return { outbox: this.parts.outbox, keySecret: this.parts.keys.keySecret };
  }

  /** The same work for every address. */
  sendCode({ db, clock }: Context, email: string): Promise<void> {
    const now = new Date(clock());
    return db.transaction((trx) => issueCode(trx, this.#issuing, email.toLowerCase(), now));
  }

  /** @throws DomainError INVALID_CODE */
  verify(context: Context, { email, code }: RegisterVerifyInput): Promise<Verified> {
    return verifyCode(context, this.parts.keys.keySecret, email.toLowerCase(), code);
  }

  /** @throws DomainError, see {@link completeRegistration} */
  async complete(context: Context, input: RegisterCompleteInput): Promise<Registration> {
    const registration = await completeRegistration(this.parts, context, input);
    await this.#afterCompletion(registration, context);
    return registration;
  }

  /** @throws DomainError NOT_FOUND, FORBIDDEN, CONFLICT */
  invite(context: Context, input: InviteUserInput): Promise<User> {
    return inviteUser(this.#issuing, context, input);
  }

  /** Whatever the listener does, the registration stands. */
  async #afterCompletion(registration: Registration, context: Context): Promise<void> {
    try {
      await this.parts.onCompleted?.(registration, context);
    } catch (error) {
      const { accountId } = registration;
      this.parts.log.error({ err: error, accountId }, 'a listener to completed registrations failed');
    }
  }
}
