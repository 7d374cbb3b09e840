import { Row } from '../db/row.js';

/** A mail as it waits. Ids are bare uuids. */
export class Mail extends Row {
  static override tableName = 'mails';

  kind!: string;
  recipient!: string;
  about!: string | null;
  /** Encrypted; null as soon as it is not to be sent any more. */
  content!: Buffer | null;
  status!: 'queued' | 'sending' | 'sent' | 'failed' | 'dropped';
  attempts!: number;
  /** Queued: when it is tried next. Sending: until when its sender is left alone with it. */
  dueAt!: Date;
  expiresAt!: Date;
  lastError!: string | null;
  sentAt!: Date | null;
}

/** What a reader sees. */
export interface MailContent {
  subject: string;
  text: string;
  html: string;
}

/** A mail to be sent once. */
export interface NewMail extends MailContent {
  /** What kind it is, for logs and names of files: `code`. */
  kind: string;
  recipient: string;
  /** Uuid of the record it is about. */
  about: string;
  /** When it is of no use any more; it is not tried beyond. */
  expiresAt: Date;
  /** Not before; at once by default. */
  dueAt?: Date | undefined;
}

/** A mail that somebody has in hand to send it now. */
export interface Letter extends MailContent {
  /** The same at every try: mailboxes that see it twice can tell. */
  id: string;
  kind: string;
  recipient: string;
  /** When it was written. */
  date: Date;
}
