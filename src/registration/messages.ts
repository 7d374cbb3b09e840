import { escaped } from '../base/html.js';
import type { MailContent } from '../mail/outbox.js';
import { mailName } from './names.js';

const paragraph = (text: string): MailPart => ({ kind: 'paragraph', text });
const note = (text: string): MailPart => ({ kind: 'note', text });
const shown = (text: string): MailPart => ({ kind: 'code', text });

const IGNORE =
  "Didn't request this? Someone probably entered your address by mistake. Nothing happens unless the code is used, so you can ignore this email. Don't share the code.";

interface CodeMailFacts {
  code: string;
  /** Lifetime of the code. */
  minutes: number;
  /** True if a user holds this address and a registration cannot take it. */
  known: boolean;
}

/** The code of a registration. */
export function codeMail({ code, minutes, known }: CodeMailFacts): MailContent {
  const already = paragraph(
    'This address is already registered here. To create a second account, use another address. If you have lost your API key, ask another user of your account or the operator of this service for a new one.',
  );
  return letterOf(`${code} is your verification code`, [
    paragraph('To confirm your email address, enter this code on the registration page:'),
    shown(code),
    paragraph(
      `The code is valid for ${minutes} minutes and can be used once. Upper and lower case don't matter.`,
    ),
    ...(known ? [already] : []),
    note(IGNORE),
  ]);
}

/** The code of a sign-in to the console. Only users get it. */
export function signInMail({ code, minutes }: Omit<CodeMailFacts, 'known'>): MailContent {
  return letterOf(`${code} is your sign-in code`, [
    paragraph('To sign in to the console, enter this code:'),
    shown(code),
    paragraph(
      `The code is valid for ${minutes} minutes and can be used once. Upper and lower case don't matter.`,
    ),
    note(IGNORE),
  ]);
}

interface InviteFacts {
  code: string;
  accountName: string;
  displayName: string;
}

function greeting(displayName: string): MailPart {
  const name = mailName(displayName);
  return paragraph(name === undefined ? 'Hello,' : `Hello ${name},`);
}

/** The code of an invitation. The reader may know neither the account nor the person who chose the names. */
export function inviteMail({ code, accountName, displayName }: InviteFacts): MailContent {
  const name = mailName(accountName);
  const studio = name === undefined ? 'a studio' : `"${name}"`;
  return letterOf(`Join ${name ?? 'a studio'}`, [
    greeting(displayName),
    paragraph(
      `You've been invited to join ${studio} and work on its leaderboards. To accept, register with this email address and this code:`,
    ),
    shown(code),
    paragraph(
      "The code is valid for 24 hours and can be used once. You'll then get your own API key. If the code has expired, request a new one on the registration page.",
    ),
    note(IGNORE),
  ]);
}

interface WelcomeFacts {
  accountName: string;
  accountSlug: string;
  displayName: string;
}

/** After a registration or an accepted invitation. Never holds the key. */
export function welcomeMail({ accountName, accountSlug, displayName }: WelcomeFacts): MailContent {
  const name = mailName(accountName);
  const account = name === undefined ? accountSlug : `"${name}" (${accountSlug})`;
  return letterOf(`Welcome to ${name ?? accountSlug}`, [
    greeting(displayName),
    paragraph(`You are now a user of the account ${account}.`),
    paragraph(
      'Your API key was shown once, when you registered. We never send it by email. Keep it secret, like a password: anyone who has it can act as you.',
    ),
    paragraph('Next: create a game, add a board and submit your first score.'),
    note("You're receiving this email because your address was registered with the code we sent here."),
  ]);
}

/** The parts of a mail; plain text and HTML are made of the same ones. */
interface MailPart {
  /** `code`: prominent and easy to select; `note`: small, at the end. */
  kind: 'paragraph' | 'code' | 'note';
  text: string;
}

/** Terminals and mail programs that quote show lines of this length unbroken. */
const LINE_LENGTH = 72;

function wrappedLines(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= LINE_LENGTH)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join('\n');
}

/**
 * Many mail programs apply inline styles only; those that support dark mode apply these rules, too. No images, no
 * links: nothing is loaded and nothing can be imitated.
 */
const DARK = `@media (prefers-color-scheme: dark) {
  .page { background: #14171c !important; } .sheet { background: #1e232b !important; border-color: #333b47 !important; }
  .text, .code { color: #eef1f5 !important; } .note { color: #a3adba !important; } .code { background: #2a313b !important; }
}`;

const FONT = "font-family: -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif;";

const STYLES: Record<MailPart['kind'], [tag: string, classes: string, style: string]> = {
  paragraph: ['p', 'text', 'margin: 0 0 16px; font-size: 16px; line-height: 1.5; color: #1c2230;'],
  code: [
    'p',
    'code',
    'margin: 0 0 16px; padding: 16px 8px; border-radius: 8px; background: #eef1f6; color: #1c2230; text-align: center; font: 700 32px/1.2 ui-monospace, Menlo, Consolas, monospace; letter-spacing: 6px;',
  ],
  note: ['p', 'note', 'margin: 16px 0 0; font-size: 13px; line-height: 1.5; color: #667085;'],
};

function htmlOf(subject: string, pieces: MailPart[]): string {
  const body = pieces.map(({ kind, text }) => {
    const [tag, classes, style] = STYLES[kind];
    return `<${tag} class="${classes}" style="${style}">${escaped(text)}</${tag}>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escaped(subject)}</title>
<style>${DARK}</style>
</head>
<body class="page" style="margin: 0; padding: 24px 12px; background: #f4f6f9; ${FONT}">
<div class="sheet" style="max-width: 480px; margin: 0 auto; padding: 28px 24px; border: 1px solid #e1e5eb; border-radius: 12px; background: #ffffff;">
${body.join('\n')}
</div>
</body>
</html>
`;
}

const INDENT = '    ';

function plain(pieces: MailPart[]): string {
  const parts = pieces.map(({ kind, text }) => {
    if (kind === 'code') return INDENT + text;
    return kind === 'note' ? `-- \n${wrappedLines(text)}` : wrappedLines(text);
  });
  return `${parts.join('\n\n')}\n`;
}

/** A mail in both forms. */
function letterOf(subject: string, pieces: MailPart[]): MailContent {
  return { subject, text: plain(pieces), html: htmlOf(subject, pieces) };
}
