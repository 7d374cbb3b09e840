import type { Log } from '../base/log.js';
import { writeMailFile } from './file.js';
import type { Letter } from './mail.js';

/** Where mails go. */
export interface MailSettings {
  /** Unset: into files. */
  smtpUrl: string | undefined;
  /** `Name <name@example.com>`, or the address alone. Unset: somebody at localhost. */
  mailFrom: string | undefined;
  /** Files are written below it, in `mail`. */
  dataDir: string;
}

/** Hands a mail over. Resolves when the other side has taken it. @throws MailRefused; anything else: try again */
export type Deliver = (letter: Letter, signal: AbortSignal) => Promise<void>;

/** The mail server will never take this mail. */
export class MailRefused extends Error {}

const FALLBACK_FROM = 'Leaderboards <no-reply@localhost>';

/**
 * RFC 5321 section 4.5.3.2 wants a client to wait ten minutes for the answer to a whole mail: whoever gives up earlier
 * sends twice what a slow server has taken. Until a server greets, nothing can be lost.
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
    // An object: text with a comma would be taken for several addresses.
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

/** Loaded with the first mail: most processes never send one. */
const mailer = () => import('nodemailer');

/** Delivers through SMTP, or into files where no server is set. */
export function deliverer({ smtpUrl, mailFrom = FALLBACK_FROM, dataDir }: MailSettings, log: Log): Deliver {
  if (smtpUrl !== undefined) return throughSmtp(smtpUrl, mailFrom);
  return async (letter) => {
    const { createTransport } = await mailer();
    const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
    const { message } = await transport.sendMail(messageOf(letter, mailFrom));
    const file = writeMailFile(dataDir, letter, message as Buffer);
    log.info({ file, kind: letter.kind }, 'a mail was written to a file: SMTP_URL is not set');
  };
}

/** A connection for each mail: a kept one that breaks leaves it open what became of the mail on it. */
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
      throw isFinal(error) ? new MailRefused((error as Error).message) : error;
    }
  };
}

/** Whether the reader or the mail is refused for good. A refused sender or password is for the operator to put right. */
function isFinal(error: unknown): boolean {
  const { permanent, code, command } = error as { permanent?: boolean; code?: string; command?: string };
  if (permanent !== true) return false;
  return (code === 'EENVELOPE' && command === 'RCPT TO') || code === 'EMESSAGE';
}
