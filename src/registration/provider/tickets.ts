import { createHash, randomBytes } from 'node:crypto';
import { uuid7 } from '../../base/ids.js';
import { Seal } from '../../mail/outbox.js';
import type { SaidPerson } from './issuer/said.js';

/** Time to sign in at the issuer, and then to take the ticket. */
const FLOW_MS = 10 * 60_000;
const TICKET_MS = 5 * 60_000;

interface Timed {
  /** A bare uuid, with which it is used once. */
  id: string;
  /** Milliseconds. */
  expires: number;
}

/** What is remembered of a sign-in that was begun. */
interface Flow extends Timed {
  /** Prefixed; null: the installation's issuer. */
  providerId: string | null;
  issuer: string;
  verifier: string;
  nonce: string;
  /** Digest of the token of the browser that began. */
  browser: string;
  /** The user who connects itself; null: a sign-in. */
  linking: string | null;
  /** True: began with an invitation that was opened. */
  isInvited: boolean;
}

/** What an issuer says about a person, and which sign-in it belongs to. */
export interface Ticket
  extends Pick<Flow, 'id' | 'expires' | 'providerId' | 'issuer' | 'linking'>,
    SaidPerson {
  subject: string;
}

const digestOf = (token: string) => createHash('sha256').update(token).digest('base64url');

/**
 * States and tickets are sealed, so that beginning a sign-in writes nothing and any process or cell can go on with it. The
 * transaction that a ticket allows notes its id.
 */
export class Tickets {
  readonly #seal: Seal;

  constructor(keySecret: string) {
    this.#seal = new Seal(keySecret, 'tickets of single sign-on');
  }

  /** @param accountId the state begins with it, so that a gateway finds the cell; null: not known */
  begin(
    flow: Omit<Flow, 'id' | 'expires' | 'browser'>,
    browserToken: string,
    accountId: string | null,
    now: number,
  ): string {
    const whole: Flow = {
      ...flow,
      id: uuid7(now),
      expires: now + FLOW_MS,
      browser: digestOf(browserToken),
    };
    const text = this.#close('state', whole);
    return accountId === null ? text : `${accountId}.${text}`;
  }

  /** @returns undefined: expired, of another browser, or never issued */
  flow(state: string, browserToken: string, now: number): Flow | undefined {
    const flow = this.#open<Flow>('state', state.replace(/^acc_[^.]*\./, ''), now);
    return flow?.browser === digestOf(browserToken) ? flow : undefined;
  }

  issue(ticket: Omit<Ticket, 'expires'>, now: number): string {
    return this.#close('ticket', { ...ticket, expires: now + TICKET_MS });
  }

  /** @returns undefined: expired or never issued */
  ticket(text: string, now: number): Ticket | undefined {
    return this.#open<Ticket>('ticket', text, now);
  }

  #close(kind: string, content: Timed): string {
    return this.#seal.close(kind, JSON.stringify(content)).toString('base64url');
  }

  #open<T extends Timed>(kind: string, text: string, now: number): T | undefined {
    try {
      const content = JSON.parse(this.#seal.open(kind, Buffer.from(text, 'base64url'))) as T;
      return content.expires > now ? content : undefined;
    } catch {
      return undefined;
    }
  }
}

/** For a nonce of the protocol. */
export const randomText = () => randomBytes(24).toString('base64url');
