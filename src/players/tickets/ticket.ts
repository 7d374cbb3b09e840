import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { DomainError } from '../../base/errors.js';
import { uuidOf, uuidText } from '../../base/ids.js';
import type { TicketSeed } from '../../boards/tickets/settings.js';

/**
 * A ticket is a nonce that knows when, and for which board, it was issued. Like a nonce it's self-authenticating, and it's used by
 * the same claim. Its body: 16 bytes of a uuid, 6 of its issue in epoch milliseconds, 1 of marks, 4 of the board's terms, 4 of the
 * period, 1 of the attempt, up to 32 of the game's version. 16 bytes of HMAC-SHA256 over these and device, game and board follow. The
 * uuid begins with the ticket's end instead of its issue: the job that forgets uses finds old ones by it.
 */
const [ISSUED, MARKS, TERMS, PERIOD, ATTEMPT, VERSION] = [16, 22, 23, 27, 31, 32] as const;
const MAC_BYTES = 16;
export const LONGEST_VERSION_BYTES = 32;
const PREFIX = 'tkt_';
const TEXT = /^tkt_[A-Za-z0-9_-]{64,107}$/;
const TEST = 1;
const ADVANCE = 2;
const SEEDS: Record<TicketSeed, number> = { none: 0, run: 4, period: 8 };

/** What a ticket says. */
export interface TicketBody {
  uuid: string;
  /** Epoch milliseconds. */
  issuedAt: number;
  expiresAt: Date;
  isTest: boolean;
  /** True: the run began later, maybe without a connection. */
  advance: boolean;
  seed: TicketSeed;
  /** Of the settings that it was issued under. */
  terms: number;
  /** 0: none. */
  period: number;
  /** 0: not limited. */
  attempt: number;
  gameVersion: string | null;
}

/** For whom, and for which board. Prefixed ids. */
interface TicketHolder {
  deviceId: string;
  gameId: string;
  boardId: string;
}

const SENTENCES = {
  TICKET_REQUIRED:
    'This board counts only runs with a ticket. Get one when the run starts, and send it in place of the nonce.',
  TICKET_INVALID: 'Invalid ticket: it was not issued to this device for this board.',
  TICKET_EXPIRED: 'This ticket has expired: the run was submitted too late.',
  TICKET_STALE: 'The board has changed since this run started. Start a new run.',
  TICKET_USED: 'This ticket was already used: it counts for one run.',
} as const;

type TicketFault = keyof typeof SENTENCES;

export function ticketRefusal(fault: TicketFault): DomainError {
  return new DomainError(fault, SENTENCES[fault]);
}

export function isTicket(text: string | null | undefined): text is string {
  return text?.startsWith(PREFIX) === true;
}

export class RunTickets {
  readonly #key: Buffer;
  readonly #seedKey: Buffer;

  constructor({ keySecret }: { keySecret: string }) {
    // Derived keys: no other use of the secret can sign a valid ticket.
    this.#key = createHmac('sha256', keySecret).update('ticket').digest();
    this.#seedKey = createHmac('sha256', keySecret).update('seed').digest();
  }

  /** A new ticket's id, a uuid of version 8. @param expiresAt epoch milliseconds */
  static newId(expiresAt: number): string {
    const bytes = randomBytes(16);
    bytes.writeUIntBE(expiresAt, 0, 6);
    bytes[6] = 0x80 | (bytes[6]! & 0x0f);
    bytes[8] = 0x80 | (bytes[8]! & 0x3f);
    return uuidText(bytes);
  }

  /** What a ticket says, without the signature. */
  static bodyOf(ticket: Omit<TicketBody, 'expiresAt'>): Buffer {
    const version = Buffer.from(ticket.gameVersion ?? '');
    const body = Buffer.alloc(VERSION + version.length);
    body.write(ticket.uuid.replaceAll('-', ''), 'hex');
    body.writeUIntBE(ticket.issuedAt, ISSUED, 6);
    body[MARKS] = (ticket.isTest ? TEST : 0) | (ticket.advance ? ADVANCE : 0) | SEEDS[ticket.seed];
    body.writeUInt32BE(ticket.terms, TERMS);
    body.writeUInt32BE(ticket.period, PERIOD);
    body[ATTEMPT] = ticket.attempt;
    version.copy(body, VERSION);
    return body;
  }

  static ofBody(body: Buffer): TicketBody {
    const marks = body[MARKS]!;
    return {
      uuid: uuidText(body),
      issuedAt: body.readUIntBE(ISSUED, 6),
      expiresAt: new Date(body.readUIntBE(0, 6)),
      isTest: (marks & TEST) !== 0,
      advance: (marks & ADVANCE) !== 0,
      seed: marks & SEEDS.run ? 'run' : marks & SEEDS.period ? 'period' : 'none',
      terms: body.readUInt32BE(TERMS),
      period: body.readUInt32BE(PERIOD),
      attempt: body[ATTEMPT]!,
      gameVersion: body.length > VERSION ? body.toString('utf8', VERSION) : null,
    };
  }

  /** The ticket as its holder sends it, 68 to 111 characters: the same text for the same body. */
  sign(body: Buffer, holder: TicketHolder): string {
    return PREFIX + Buffer.concat([body, this.#mac(body, holder)]).toString('base64url');
  }

  /** Reads a ticket that this service issued to this holder, and that has not expired. @param now epoch milliseconds */
  read(
    text: string,
    holder: TicketHolder,
    isTest: boolean,
    now: number,
  ): TicketBody | { fault: TicketFault } {
    if (!TEXT.test(text)) return { fault: 'TICKET_INVALID' };
    const bytes = Buffer.from(text.slice(PREFIX.length), 'base64url');
    const end = bytes.length - MAC_BYTES;
    const body = bytes.subarray(0, end);
    const isOurs =
      end >= VERSION &&
      timingSafeEqual(bytes.subarray(end), this.#mac(body, holder)) &&
      // The last character may have spare bits: only with zeros there it is the issued text.
      bytes.toString('base64url') === text.slice(PREFIX.length);
    if (!isOurs) return { fault: 'TICKET_INVALID' };
    const ticket = RunTickets.ofBody(body);
    if (ticket.isTest !== isTest) return { fault: 'TICKET_INVALID' };
    return ticket.expiresAt.getTime() <= now ? { fault: 'TICKET_EXPIRED' } : ticket;
  }

  /** The seed of a ticket's run, 0 to 2^31 − 1; null: it has none. Runs of a period share one. */
  seedOf(
    { seed, uuid, period }: Pick<TicketBody, 'seed' | 'uuid' | 'period'>,
    boardId: string,
  ): number | null {
    if (seed === 'none') return null;
    const text = seed === 'run' ? uuid : `${boardId} ${period}`;
    return createHmac('sha256', this.#seedKey).update(text).digest().readUInt32BE(0) >>> 1;
  }

  #mac(body: Buffer, { deviceId, gameId, boardId }: TicketHolder): Buffer {
    const mac = createHmac('sha256', this.#key).update(body).update(uuidOf(deviceId));
    return mac.update(uuidOf(gameId)).update(uuidOf(boardId)).digest().subarray(0, MAC_BYTES);
  }
}
