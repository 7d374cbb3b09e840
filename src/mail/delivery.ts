import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { Log } from '../base/log.js';
import type { Letter } from './outbox.js';

/** Destination of mails. */
export interface MailSettings {
  /** Unset: files. */
  smtpUrl: string | undefined;
  /** `Name <name@example.com>`, or the address alone. Unset: an address at localhost. */
  mailFrom: string | undefined;
  /** Files are written to its directory `mail`. */
  dataDir: string;
}

/** Delivers a mail. Resolves when the server has accepted it. @throws MailRefused; after any other error, try again */
export type Deliver = (letter: Letter, signal: AbortSignal) => Promise<void>;

/** The mail server refuses this mail permanently. */
export class MailRefused extends Error {}

const FALLBACK_FROM = 'Leaderboards <no-reply@localhost>';

/**
 * RFC 5321 section 4.5.3.2 requires a client to wait ten minutes for the answer to a whole mail: a client that gives up
 * earlier sends again a mail that a slow server has accepted. Until a server greets, nothing can be lost.
 */
const TIMEOUTS = {
  connectionTimeout: 10_000,
  greetingTimeout: 30_000,
  dnsTimeout: 10_000,
  socketTimeout: 600_000,
};

/** @param from `Name <name@example.com>`, or the address alone */
function domainOf(from: string): string {
  return /@([^@>\s]+)>?$/.exec(from)?.[1] ?? 'localhost';
}

function messageOf({ id, recipient, subject, text, html, date }: Letter, from: string) {
  return {
    from,
    // An object: text with a comma would be parsed as several addresses.
    to: { name: '', address: recipient },
    subject,
    text,
    html,
    date,
    messageId: `<${id}@${domainOf(from)}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** Loaded for the first mail: most processes never send one. */
const mailer = () => import('nodemailer');

/** Delivers by SMTP, or into files if no server is set. */
export function deliverer({ smtpUrl, mailFrom = FALLBACK_FROM, dataDir }: MailSettings, log: Log): Deliver {
  if (smtpUrl !== undefined) return throughSmtp(smtpUrl, mailFrom);
  return async (letter) => {
    const { createTransport } = await mailer();
    const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
    const { message } = await transport.sendMail(messageOf(letter, mailFrom));
    const file = writeMailFile(dataDir, letter, message as Buffer);
    log.info({ file, kind: letter.kind }, 'SMTP_URL is not set; an email was written to a file');
  };
}

/** One connection for each mail: if a pooled one broke, the result of its mail would be unknown. */
function throughSmtp(smtpUrl: string, from: string): Deliver {
  const url = new URL(smtpUrl);
  for (const [name, millis] of Object.entries(TIMEOUTS)) {
    if (!url.searchParams.has(name)) url.searchParams.set(name, String(millis));
  }
  return async (letter, signal) => {
    const { createTransport } = await mailer();
    const transport = createTransport(url.href);
    try {
      await transport.sendMail({ ...messageOf(letter, from), signal });
    } catch (error) {
      throw isPermanent(error) ? new MailRefused((error as Error).message) : error;
    }
  };
}

/**
 * True if the recipient or the mail is refused permanently. A refused sender or password is for the operator to
 * correct.
 */
function isPermanent(error: unknown): boolean {
  const { permanent, code, command } = error as { permanent?: boolean; code?: string; command?: string };
  if (permanent !== true) return false;
  return (code === 'EENVELOPE' && command === 'RCPT TO') || code === 'EMESSAGE';
}

/** Directory of mails that are written to files. */
export function mailFolder(dataDir: string): string {
  return path.join(dataDir, 'mail');
}

/**
 * Writes a mail as an .eml file that only this user may read: it can hold a code. The name is derived from the mail, so
 * that a second try overwrites the file.
 * @returns its path
 */
function writeMailFile(dataDir: string, { id, kind, date }: Letter, message: Buffer): string {
  const folder = mailFolder(dataDir);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const moment = date.toISOString().replace(/[:.]/g, '-');
  const file = path.join(folder, `${moment}-${kind}-${id.slice(-8)}.eml`);
  const draft = `${file}.${process.pid}.draft`;
  const fd = openSync(draft, 'w', 0o600);
  try {
    writeSync(fd, message);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(draft, file);
  return file;
}
