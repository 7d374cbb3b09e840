import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Clock } from '../base/clock.js';
import type { Log } from '../base/log.js';
import type { ChangesOf } from '../db/row.js';
import type { Job, JobCall, JobResult } from '../jobs/job.js';
import { type Deliver, MailRefused } from './delivery.js';
import type { Mail } from './mail.js';
import { type Outbox, SEND_MAILS } from './outbox.js';

/** So many mails are on their way at once from one process. */
const HANDS = 5;
/** How long a mail in hand is left alone; renewed for as long as it takes. */
const LEASE_MILLIS = 30_000;
const RENEW_MILLIS = 10_000;
const FIRST_PAUSE_MILLIS = 5_000;
const LONGEST_PAUSE_MILLIS = 3_600_000;
/** For mails in hand when the process is to end. */
const STOP_MILLIS = 3_000;
const LONGEST_ERROR = 1_000;
/** A mail that was taken must be noted as sent: tried for about as long as it is left alone. */
const NOTE_TRIES = 20;
const NOTE_PAUSE_MILLIS = 1_000;

/** What became of mails since the process began, by result. */
export type MailCounts = Record<'sent' | 'retried' | 'failed' | 'expired', number>;

/** How long after its n-th try (from 1) a mail is tried again: 5, 10, 20, … seconds, at most an hour. */
export function pauseAfter(attempts: number): number {
  return Math.min(FIRST_PAUSE_MILLIS * 2 ** (attempts - 1), LONGEST_PAUSE_MILLIS);
}

/**
 * Sends what waits in the outbox. A call of the job that comes while mails are on their way adds a hand and returns:
 * a slow mail server must not take the places of all other jobs.
 */
export class MailSender {
  readonly counts: MailCounts = { sent: 0, retried: 0, failed: 0, expired: 0 };
  readonly #hands = new Set<Promise<void>>();
  #calls = 0;
  #attended = false;

  constructor(
    private readonly outbox: Outbox,
    private readonly deliver: Deliver,
    private readonly clock: Clock,
  ) {}

  get job(): Job {
    return {
      name: SEND_MAILS,
      description: 'Sends the mails that wait: codes, invitations, welcomes.',
      everyMinutes: 1,
      run: (call) => this.#run(call),
    };
  }

  async #run(call: JobCall): Promise<JobResult> {
    this.#calls += 1;
    this.#addHand(call);
    if (this.#attended) return { done: 0 };
    this.#attended = true;
    const before = this.counts.sent;
    try {
      while (this.#hands.size > 0) await Promise.all(this.#hands);
    } finally {
      this.#attended = false;
    }
    const again = await this.outbox.nextDue(call.db);
    return { done: this.counts.sent - before, ...(again && { again }) };
  }

  #addHand(call: JobCall): void {
    if (this.#hands.size >= HANDS) return;
    const hand = this.#work(call).finally(() => this.#hands.delete(hand));
    this.#hands.add(hand);
    // Whoever attends hears of it; another call may have come and gone.
    hand.catch(() => undefined);
  }

  /** One mail after the other, until none is left that was there at the newest call. */
  async #work(call: JobCall): Promise<void> {
    const { db, signal } = call;
    while (!signal.aborted) {
      const calls = this.#calls;
      const now = new Date(this.clock());
      const mail = await this.outbox.take(db, now, new Date(now.getTime() + LEASE_MILLIS));
      if (mail) {
        this.#addHand(call);
        await this.#send(mail, call);
      } else if (calls === this.#calls) {
        return;
      }
    }
  }

  async #send(mail: Mail, { db, log, signal }: JobCall): Promise<void> {
    const now = new Date(this.clock());
    if (mail.expiresAt <= now) {
      this.counts.expired += 1;
      log.warn({ mail: mail.id, kind: mail.kind }, 'a mail was not sent in the time in which it is of use');
      await this.#note(mail, db, { status: 'failed', content: null });
      return;
    }
    const failure = await this.#handOver(mail, db, signal);
    if (failure !== undefined) return this.#failed(mail, failure, db, log);
    this.counts.sent += 1;
    const sentAt = new Date(this.clock());
    await this.#note(mail, db, { status: 'sent', content: null, lastError: null, sentAt });
  }

  /** @returns why the other side has not taken it; undefined: it has */
  async #handOver(mail: Mail, db: Knex, signal: AbortSignal): Promise<unknown> {
    const renewing = setInterval(() => void this.#renew(mail, db), RENEW_MILLIS);
    const impatience = new AbortController();
    const stop = () => void setTimeout(() => impatience.abort(), STOP_MILLIS).unref();
    signal.addEventListener('abort', stop, { once: true });
    try {
      const { id, kind, recipient, createdAt: date } = mail;
      await this.deliver({ ...this.outbox.read(mail), id, kind, recipient, date }, impatience.signal);
      return undefined;
    } catch (error) {
      return error ?? new Error('it failed without a reason');
    } finally {
      clearInterval(renewing);
      signal.removeEventListener('abort', stop);
    }
  }

  async #failed(mail: Mail, error: unknown, db: Knex, log: Log): Promise<void> {
    const final = error instanceof MailRefused;
    const failure = { lastError: String((error as Error)?.message || error).slice(0, LONGEST_ERROR) };
    const told = { err: error, mail: mail.id, kind: mail.kind, attempts: mail.attempts };
    if (final) {
      this.counts.failed += 1;
      log.warn(told, 'a mail was refused for good');
      await this.#note(mail, db, { ...failure, status: 'failed', content: null });
      return;
    }
    this.counts.retried += 1;
    const dueAt = new Date(this.clock() + pauseAfter(mail.attempts));
    log.warn({ ...told, dueAt }, 'a mail could not be sent; it is tried again');
    await this.#note(mail, db, { ...failure, status: 'queued', dueAt });
  }

  async #renew(mail: Mail, db: Knex): Promise<void> {
    const until = new Date(this.clock() + LEASE_MILLIS);
    // While the database is away nobody else can take it either.
    await this.outbox.note(mail, db, { dueAt: until }).catch(() => undefined);
  }

  /** Not to be given up lightly: a mail whose end is not noted is sent again. */
  async #note(mail: Mail, db: Knex, changes: ChangesOf<Mail>): Promise<void> {
    const noted = { ...changes, updatedAt: new Date(this.clock()) };
    for (let tries = 1; ; tries += 1) {
      try {
        await this.outbox.note(mail, db, noted);
        return;
      } catch (error) {
        if (tries >= NOTE_TRIES) throw error;
      }
      await delay(NOTE_PAUSE_MILLIS);
    }
  }
}
