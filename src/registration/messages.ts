import type { UserRole } from '../accounts/users/role.js';
import {
  greeting,
  letterOf,
  link,
  type MailPart,
  mailName,
  paragraph,
  shownCode,
  smallPrint,
} from '../mail/letter.js';
import type { MailContent } from '../mail/outbox.js';
import type { Invitation } from './codes/invitation.js';

const IGNORE =
  "Didn't request this? Someone probably entered your address by mistake. Nothing happens unless the " +
  "code or the link is used, so you can ignore this email. Don't share them.";

/** What the mail's link has, which no wrong code touches. The addresses are undefined where the console's is not known. */
interface Links {
  /** The code in them, for people to enter where there are none. */
  long: string;
  register: string | undefined;
  signIn: string | undefined;
}

interface CodeMailFacts extends Links {
  code: string;
  /** Lifetime of the code. */
  minutes: number;
  /** True if a user holds this address and a registration cannot take it. */
  known: boolean;
  /** True if that user can sign in with the mail. */
  maySignIn: boolean;
}

/** @param sentence before the link */
function linked(sentence: string, url: string | undefined, long: string): MailPart[] {
  if (url !== undefined) return [paragraph(sentence), link(url)];
  return [paragraph('If the code is refused, enter this one instead:'), paragraph(long)];
}

const validFor = (minutes: number) =>
  paragraph(
    `The code is valid for ${minutes} minutes, the link for two hours. Either can be used once. Upper and lower ` +
      `case of the code don't matter.`,
  );

/** The code of a registration. Who has a user here, or gets one by the time, signs in with its link. */
export function codeMail(facts: CodeMailFacts): MailContent {
  const { code, minutes, known, maySignIn, long, register, signIn } = facts;
  const already = paragraph(
    'This address is already registered here. To create a second account, use another address. If you ' +
      'have lost your API key, ask another user of your account or the operator of this service for a new one.',
  );
  return letterOf(`${code} is your verification code`, [
    paragraph('To confirm your email address, enter this code on the registration page:'),
    shownCode(code),
    ...(known ? [] : linked('Or open this link:', register, long)),
    ...(maySignIn && (known || signIn)
      ? linked('To sign in to the console, open this link:', signIn, long)
      : []),
    validFor(minutes),
    ...(known ? [already] : []),
    smallPrint(IGNORE),
  ]);
}

/** The code of a sign-in to the console. Only users get it. */
export function signInMail({
  code,
  minutes,
  long,
  signIn,
}: Pick<CodeMailFacts, 'code' | 'minutes' | 'long' | 'signIn'>): MailContent {
  return letterOf(`${code} is your sign-in code`, [
    paragraph('To sign in to the console, enter this code:'),
    shownCode(code),
    ...linked('Or open this link:', signIn, long),
    validFor(minutes),
    smallPrint(IGNORE),
  ]);
}

interface InviteFacts extends Links, Invitation {
  code: string;
  displayName: string;
}

/** Named in a mail; more are counted. */
const MOST_GAMES = 3;

const ROLES: Record<UserRole, string> = {
  viewer: 'as a viewer, who can read everything but its users and keys',
  moderator: 'as a moderator, who reviews flagged runs and bans cheaters',
  developer: 'as a developer, who also sets up games and boards',
  admin: 'as an administrator, who can change everything',
};

/** "in Neon Racer and 2 more games"; a name that is unfit for a mail is only counted. */
function gamesText(names: string[] | null): string {
  if (names === null) return 'in all of its games';
  const fit = names.flatMap((name) => mailName(name) ?? []).slice(0, MOST_GAMES);
  const others = names.length - fit.length;
  const more =
    others === 0 ? [] : [`${others} ${fit.length ? 'more ' : ''}${others === 1 ? 'game' : 'games'}`];
  return `in ${new Intl.ListFormat('en').format([...fit, ...more])}`;
}

/** The code of an invitation. The reader may know neither the account nor the person who chose the names. */
export function inviteMail(facts: InviteFacts): MailContent {
  const { code, accountName, invitedBy, role, gameNames, displayName, long, register } = facts;
  const name = mailName(accountName);
  const studio = name === undefined ? 'a studio' : `"${name}"`;
  const colleague = invitedBy === null ? undefined : mailName(invitedBy);
  const invites = colleague === undefined ? "You're invited" : `${colleague} invites you`;
  return letterOf(
    `${colleague === undefined ? 'Join' : `${colleague} invites you to join`} ${name ?? 'a studio'}`,
    [
      greeting(displayName),
      paragraph(`${invites} to join ${studio} ${gamesText(gameNames)}, ${ROLES[role]}.`),
      paragraph('To accept, enter this code and this email address on the registration page:'),
      shownCode(code),
      ...linked('Or open this link:', register, long),
      paragraph(
        'Code and link are valid for 24 hours and can be used once. Afterwards you sign in with this email ' +
          'address or a passkey. If they have expired, request new ones on the registration page.',
      ),
      smallPrint(IGNORE),
    ],
  );
}

interface WelcomeFacts {
  isSession: boolean;
  /** Address of the console, where it is known. */
  signIn: string | undefined;
  accountName: string;
  accountSlug: string;
  displayName: string;
}

const KEPT_KEY = [
  paragraph(
    'Your API key was shown once, when you registered. We never send it by email. Keep it secret, like a ' +
      'password: anyone who has it can act as you.',
  ),
  paragraph('Next: create a game, add a board and submit your first score.'),
];

function signsIn(console: string | undefined): MailPart[] {
  const how = paragraph(
    'Sign in to the console with this email address: we send you a code each time. Or add a passkey there, ' +
      'under "Your sign-ins", and sign in with your fingerprint, face or PIN.',
  );
  return console === undefined ? [how] : [how, link(console)];
}

/** After a registration or an accepted invitation. Never holds the key. */
export function welcomeMail(facts: WelcomeFacts): MailContent {
  const { accountName, accountSlug, displayName, isSession, signIn } = facts;
  const name = mailName(accountName);
  const account = name === undefined ? accountSlug : `"${name}" (${accountSlug})`;
  return letterOf(`Welcome to ${name ?? accountSlug}`, [
    greeting(displayName),
    paragraph(`You are now a user of the account ${account}.`),
    ...(isSession ? signsIn(signIn) : KEPT_KEY),
    smallPrint("You're receiving this email because your address was registered with the code we sent here."),
  ]);
}
