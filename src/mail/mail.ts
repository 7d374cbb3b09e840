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
