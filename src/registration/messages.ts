import { greeting, letterOf, link, mailName, paragraph, shownCode, smallPrint } from '../mail/letter.js';
import type { MailContent } from '../mail/outbox.js';

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
    shownCode(code),
    paragraph(
      `The code is valid for ${minutes} minutes and can be used once. Upper and lower case don't matter.`,
    ),
    ...(known ? [already] : []),
    smallPrint(IGNORE),
  ]);
}

/** The code of a sign-in to the console. Only users get it. */
export function signInMail({ code, minutes }: Omit<CodeMailFacts, 'known'>): MailContent {
  return letterOf(`${code} is your sign-in code`, [
    paragraph('To sign in to the console, enter this code:'),
    shownCode(code),
    paragraph(
      `The code is valid for ${minutes} minutes and can be used once. Upper and lower case don't matter.`,
    ),
    smallPrint(IGNORE),
  ]);
}

interface InviteFacts {
  code: string;
  accountName: string;
  displayName: string;
  /** Of the page that accepts it; undefined: not known. */
  url: string | undefined;
}

/** The code of an invitation. The reader may know neither the account nor the person who chose the names. */
export function inviteMail({ code, accountName, displayName, url }: InviteFacts): MailContent {
  const name = mailName(accountName);
  const studio = name === undefined ? 'a studio' : `"${name}"`;
  return letterOf(`Join ${name ?? 'a studio'}`, [
    greeting(displayName),
    paragraph(
      `You've been invited to join ${studio} and work on its leaderboards. To accept, register with this email address and this code:`,
    ),
    shownCode(code),
    ...(url ? [paragraph('Or open this link, to join with single sign-on, too:'), link(url)] : []),
    paragraph(
      "The code is valid for 24 hours and can be used once. You'll then get your own API key. If the code has expired, request a new one on the registration page.",
    ),
    smallPrint(IGNORE),
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
    smallPrint("You're receiving this email because your address was registered with the code we sent here."),
  ]);
}
