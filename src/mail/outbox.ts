import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { isUnprovenAddress } from '../base/email-address.js';
import { uuid7 } from '../base/ids.js';
import { runStatement } from '../db/pool.js';
import { type ChangesOf, fromRow, Row } from '../db/row.js';
import { changeRecords, insertRecord } from '../db/save.js';
import { wakeJob } from '../jobs/job.js';

/** A mail in the outbox. Ids are bare uuids. */
export class Mail extends Row {
  static override tableName = 'mails';

  kind!: string;
  recipient!: string;
  /** A bare uuid; null: not known, as of a code. */
  accountId!: string | null;
  about!: string | null;
  /** Encrypted; null once it will not be sent any more. */
  content!: Buffer | null;
  status!: 'queued' | 'sending' | 'sent' | 'failed' | 'dropped';
  attempts!: number;
  /** Mails that are due are sent in this order. Null: the next one. */
  turnAt!: Date | null;
  /** Queued: when it is tried next. Sending: end of its sender's lease. */
  dueAt!: Date;
  expiresAt!: Date;
  lastError!: string | null;
  sentAt!: Date | null;
}

/** The content that a reader sees. */
export interface MailContent {
  subject: string;
  text: string;
  html: string;
}

/** A mail to be queued. */
export interface NewMail extends MailContent {
  /** Kind of the mail, for logs and file names: `code`. */
  kind: string;
  recipient: string;
  /** Uuid of the account that causes it; null: none, or not known before a code is used. */
  accountId: string | null;
  /** Uuid of the record that it concerns. */
  about: string;
  /** Expiry: it is not tried after this. */
  expiresAt: Date;
  /** Earliest time of sending. Default: immediately. */
  dueAt?: Date | undefined;
}

/** A mail that is being sent. */
export interface Letter extends MailContent {
  /** Message id, the same at every try: a mailbox recognises duplicates by it. */
  id: string;
  kind: string;
  recipient: string;
  /** Time of writing. */
  date: Date;
}

/** Name of the job that sends. */
export const SEND_MAILS = 'send-mails';

const OPEN = `status in ('queued', 'sending')`;

/** Mails of one account that are sent at the same time, by all processes. */
export const MAILS_OF_ACCOUNT = 2;
/** From one mail of an account to its next: what others queue meanwhile comes before. */
const TURN_MS = 1_000;

const LAST_TURN = `select max(turn_at) as at from mails where account_id = ? and ${OPEN}`;
const TAKE_MAILS = `
  with busy as (
    select account_id from mails where status = 'sending' and due_at > :now and account_id is not null
    group by 1 having count(*) >= ${MAILS_OF_ACCOUNT}
  )
  update mails set status = 'sending', attempts = attempts + 1, due_at = :until, updated_at = :now
  where id = (
    select m.id from mails m where m.${OPEN} and m.due_at <= :now and not exists (select from busy b where b.account_id = m.account_id)
    order by m.turn_at nulls first, m.id limit 1 for update skip locked)
  returning *`;

/**
 * The queue of mails in the database. The transaction that a mail belongs to adds it; mails are taken one by one, and accounts take
 * turns.
 */
export class Outbox {
  constructor(private readonly seal: Seal) {}

  /**
   * Queues a mail; it is sent after the transaction is committed.
   * @param unsent true: it is written like any other and never sent, as for an address without a reader
   */
  async put(trx: Knex.Transaction, mail: NewMail, now: Date, unsent = false): Promise<void> {
    const { subject, text, html, kind, recipient, accountId, about, expiresAt, dueAt = now } = mail;
    const withheld = unsent || isUnprovenAddress(recipient);
    const id = uuid7(now.getTime());
    const content = this.seal.close(id, JSON.stringify({ subject, text, html } satisfies MailContent));
    await insertRecord(trx, Mail, {
      id,
      kind,
      recipient,
      accountId,
      turnAt: await this.#turnAt(trx, accountId, now),
      about,
      content: withheld ? null : content,
      status: withheld ? 'dropped' : 'queued',
      attempts: 0,
      dueAt,
      expiresAt,
      lastError: null,
      sentAt: null,
      createdAt: now,
      updatedAt: now,
    });
    await wakeJob(trx, SEND_MAILS, dueAt, now.getTime());
  }

  async #turnAt(trx: Knex.Transaction, accountId: string | null, now: Date): Promise<Date> {
    if (accountId === null) return now;
    const { rows } = await runStatement<{ at: Date | null }>(trx, LAST_TURN, [accountId]);
    return new Date(Math.max(now.getTime(), (rows[0]!.at?.getTime() ?? 0) + TURN_MS));
  }

  /** Cancels waiting mails about these records. @param kind only of this kind */
  async drop(trx: Knex.Transaction, about: readonly string[], now: Date, kind?: string): Promise<void> {
    const waiting = Mail.query(trx)
      .whereIn('about', [...about])
      .where({ status: 'queued', ...(kind !== undefined && { kind }) });
    await changeRecords(waiting, { status: 'dropped', content: null, updatedAt: now });
  }

  /** Takes a mail that is due at `now`, or whose previous lease has expired. @param until end of the new lease */
  async take(db: Knex, now: Date, until: Date): Promise<Mail | undefined> {
    const { rows } = await runStatement(db, TAKE_MAILS, { now, until });
    return rows[0] && fromRow(Mail, rows[0]);
  }

  /** @throws Error when it was encrypted with another secret */
  read({ id, content }: Mail): MailContent {
    return JSON.parse(this.seal.open(id, content!)) as MailContent;
  }

  /** Records the result of a mail, unless another process has taken it over. */
  async note({ id, attempts }: Mail, db: Knex, changes: ChangesOf<Mail>): Promise<void> {
    await changeRecords(Mail.query(db).where({ id, attempts, status: 'sending' }), changes);
  }

  /** When the next waiting mail is due. */
  async nextDue(db: Knex): Promise<Date | undefined> {
    const next = await Mail.query(db)
      .whereIn('status', ['queued', 'sending'])
      .orderBy('due_at')
      .select('due_at')
      .first();
    return next?.dueAt;
  }
}

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts stored data that must not be readable in the database: a code in a mail is as good as access to the mailbox.
 */
export class Seal {
  readonly #key: Buffer;

  /**
   * @param secret of the service; data sealed with another secret cannot be opened
   * @param purpose of the sealed data; each has its own key
   */
  constructor(secret: string, purpose = 'contents of mails') {
    this.#key = Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
  }

  /** @param id of the record it belongs to; under another record it cannot be opened */
  close(id: string, text: string): Buffer {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, iv).setAAD(Buffer.from(id));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
  }

  /** @throws Error when it was sealed with another secret, for another record, or changed */
  open(id: string, sealed: Buffer): string {
    const decipher = createDecipheriv(CIPHER, this.#key, sealed.subarray(0, IV_BYTES))
      .setAAD(Buffer.from(id))
      .setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const text = decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  }
}
