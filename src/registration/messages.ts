import type { MailContent } from '../mail/outbox.js';
import { letterOf, type Piece } from './letter.js';
import { mailName } from './mail-name.js';

const paragraph = (text: string): Piece => ({ kind: 'paragraph', text });
const note = (text: string): Piece => ({ kind: 'note', text });
const shown = (text: string): Piece => ({ kind: 'code', text });

const IGNORE =
  'You did not ask for this? Then somebody typed your address by mistake. Nothing happens unless the code is used: ignore this mail and tell the code to nobody.';

export interface CodeFacts {
  code: string;
  /** Lifetime of the code. */
  minutes: number;
  /** True if a user holds this address and a registration cannot take it. */
  known: boolean;
}

/** The code of a registration. */
export function codeMail({ code, minutes, known }: CodeFacts): MailContent {
  const already = paragraph(
    'A user with this address is registered here already. A second account needs another address; if you have lost your API key, ask another user of your account, or whoever runs this service, for a new one.',
  );
  return letterOf(`${code} is your code`, [
    paragraph('Type this code where you register to confirm your address:'),
    shown(code),
    paragraph(`It is valid for ${minutes} minutes, once. Capitals do not matter.`),
    ...(known ? [already] : []),
    note(IGNORE),
  ]);
}

export interface InviteFacts {
  code: string;
  accountName: string;
  displayName: string;
}

function greeting(displayName: string): Piece {
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
      `You are invited to work on the leaderboards of ${studio}. Register with this address and this code:`,
    ),
    shown(code),
    paragraph(
      'It is valid for 24 hours, once. Afterwards you get an API key of your own. If the code has expired, ask for a new one where you register.',
    ),
    note(IGNORE),
  ]);
}

export interface WelcomeFacts {
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
      'Your API key was shown to you once, when you registered, and is in no mail. Keep it like a password; whoever has it acts for you.',
    ),
    paragraph('Next: create a game, then a board, and submit the first score.'),
    note(
      'You get this mail because somebody registered with your address and with the code that was sent here.',
    ),
  ]);
}
