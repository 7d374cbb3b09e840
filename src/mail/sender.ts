import type { Knex } from 'knex';
import type { Clock } from '../base/clock.js';
import type { Log } from '../base/log.js';
import type { ChangesOf } from '../db/row.js';
import { Hands, insistOn, patientSignal } from '../jobs/hands.js';
import type { Job, JobCall, JobResult } from '../jobs/job.js';
import { type Deliver, MailRefused } from './delivery.js';
import { MAILS_OF_ACCOUNT, type Mail, type Outbox, SEND_MAILS } from './outbox.js';

/** Mails that one process sends at the same time, of an account at most a fifth. */
const MAIL_HANDS = 5 * MAILS_OF_ACCOUNT;
/** Lease of a mail that is being sent; renewed until the attempt ends. */
const MAIL_LEASE_MS = 30_000;
const RENEW_MS = 10_000;
const FIRST_PAUSE_MS = 5_000;
const LONGEST_MAIL_PAUSE_MS = 3_600_000;
/** Time that mails being sent get when the process is to end. */
const MAIL_STOP_MS = 3_000;
const LONGEST_MAIL_ERROR = 1_000;

/** Mails since the start of the process, by result. */
type MailCounts = Record<'sent' | 'retried' | 'failed' | 'expired', number>;

/** Pause after the n-th try (from 1): 5, 10, 20, … seconds, at most an hour. */
export function pauseAfter(attempts: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), LONGEST_MAIL_PAUSE_MS);
}

/**
 * Sends the mails of the outbox. A call of the job while mails are being sent adds a concurrent sender and returns: a
 * slow mail server must not block all other jobs.
 */
export class MailSender {
  readonly counts: MailCounts = { sent: 0, retried: 0, failed: 0, expired: 0 };
  readonly #hands: Hands<Mail>;
  #attended = false;

  constructor(
    private readonly outbox: Outbox,
    private readonly deliver: Deliver,
    private readonly clock: Clock,
  ) {
    this.#hands = new Hands({
      most: MAIL_HANDS,
      take: ({ db }) => this.#take(db),
      work: (mail, call) => this.#send(mail, call),
    });
  }

  get job(): Job {
    return {
      name: SEND_MAILS,
      description: 'Sends queued emails: codes, invitations and welcome messages.',
      everyMinutes: 1,
      run: (call) => this.#run(call),
    };
  }

  async #run(call: JobCall): Promise<JobResult> {
    this.#hands.start(call);
    if (this.#attended) return { done: 0 };
    this.#attended = true;
    const before = this.counts.sent;
    try {
      await this.#hands.idle();
    } finally {
      this.#attended = false;
    }
    const again = await this.outbox.nextDue(call.db);
    return { done: this.counts.sent - before, ...(again && { again }) };
  }

  #take(db: Knex): Promise<Mail | undefined> {
    const now = new Date(this.clock());
    return this.outbox.take(db, now, new Date(now.getTime() + MAIL_LEASE_MS));
  }

  async #send(mail: Mail, { db, log, signal }: JobCall): Promise<void> {
    const now = new Date(this.clock());
    if (mail.expiresAt <= now) {
      this.counts.expired += 1;
      log.warn({ mail: mail.id, kind: mail.kind }, 'an email expired before it could be sent');
      await this.#note(mail, db, { status: 'failed', content: null });
      return;
    }
    const failure = await this.#handOver(mail, db, signal);
    if (failure !== undefined) return this.#failed(mail, failure, db, log);
    this.counts.sent += 1;
    const sentAt = new Date(this.clock());
    await this.#note(mail, db, { status: 'sent', content: null, lastError: null, sentAt });
  }

  /** @returns the error with which the mail was not accepted; undefined: it was accepted */
  async #handOver(mail: Mail, db: Knex, signal: AbortSignal): Promise<unknown> {
    const renewing = setInterval(() => void this.#renew(mail, db), RENEW_MS);
    const { patient, end } = patientSignal(signal, MAIL_STOP_MS);
    try {
      const { id, kind, recipient, createdAt: date } = mail;
      await this.deliver({ ...this.outbox.read(mail), id, kind, recipient, date }, patient);
      return undefined;
    } catch (error) {
      return error ?? new Error('it failed without giving a reason');
    } finally {
      clearInterval(renewing);
      end();
    }
  }

  async #failed(mail: Mail, error: unknown, db: Knex, log: Log): Promise<void> {
    const final = error instanceof MailRefused;
    const failure = { lastError: String((error as Error)?.message || error).slice(0, LONGEST_MAIL_ERROR) };
    const facts = { err: error, mail: mail.id, kind: mail.kind, attempts: mail.attempts };
    if (final) {
      this.counts.failed += 1;
      log.warn(facts, 'an email was permanently rejected');
      await this.#note(mail, db, { ...failure, status: 'failed', content: null });
      return;
    }
    this.counts.retried += 1;
    const dueAt = new Date(this.clock() + pauseAfter(mail.attempts));
    log.warn({ ...facts, dueAt }, 'failed to send an email; retrying');
    await this.#note(mail, db, { ...failure, status: 'queued', dueAt });
  }

  async #renew(mail: Mail, db: Knex): Promise<void> {
    const until = new Date(this.clock() + MAIL_LEASE_MS);
    // While the database is unreachable no other process can take the mail either.
    await this.outbox.note(mail, db, { dueAt: until }).catch(() => undefined);
  }

  #note(mail: Mail, db: Knex, changes: ChangesOf<Mail>): Promise<void> {
    const noted = { ...changes, updatedAt: new Date(this.clock()) };
    return insistOn(() => this.outbox.note(mail, db, noted));
  }
}
