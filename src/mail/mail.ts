import { Row } from '../db/row.js';

/** A mail in the outbox. Ids are bare uuids. */
export class Mail extends Row {
  static override tableName = 'mails';

  kind!: string;
  recipient!: string;
  about!: string | null;
  /** Encrypted; null once it will not be sent any more. */
  content!: Buffer | null;
  status!: 'queued' | 'sending' | 'sent' | 'failed' | 'dropped';
  attempts!: number;
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
  /** Uuid of the record that it concerns. */
  about: string;
  /** Expiry: it is not tried after this. */
  expiresAt: Date;
  /** Earliest time of sending; at once by default. */
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
