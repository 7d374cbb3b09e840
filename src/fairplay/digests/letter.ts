import { greeting, letterOf, link, mailName, paragraph, smallPrint } from '../../mail/letter.js';
import type { MailContent } from '../../mail/outbox.js';

/** Games that the mail names; the rest is in its total. */
const MOST_GAMES = 10;

/** Flags that one mail counts, at most. */
export const MOST_COUNTED = 1_000;

/** Waiting flags of a game. */
export interface WaitingFlags {
  game: string;
  waiting: number;
  /** Of these, since the mail before. */
  fresh: number;
}

interface DigestFacts {
  displayName: string;
  accountName: string;
  digest: 'hourly' | 'daily';
  games: WaitingFlags[];
  /** Where the flags are reviewed; undefined: the console has no known address. */
  moderationUrl: string | undefined;
}

const sum = (games: WaitingFlags[], of: 'waiting' | 'fresh') =>
  games.reduce((total, game) => total + game[of], 0);

const counted = (flags: number) => {
  const shown = flags >= MOST_COUNTED ? `${MOST_COUNTED.toLocaleString('en')}+` : String(flags);
  return flags === 1 ? '1 flag' : `${shown} flags`;
};

/** Names of players are not in it. */
export function digestMail({
  displayName,
  accountName,
  digest,
  games,
  moderationUrl,
}: DigestFacts): MailContent {
  const [waiting, fresh] = [sum(games, 'waiting'), sum(games, 'fresh')];
  const account = mailName(accountName);
  const news = fresh === waiting ? '' : `, ${fresh} of them new since the last email`;
  const by = games
    .toSorted((a, b) => b.waiting - a.waiting)
    .slice(0, MOST_GAMES)
    .map(({ game, waiting }) => paragraph(`${mailName(game) ?? 'A game'}: ${counted(waiting)}`));
  const often = digest === 'hourly' ? 'once an hour' : 'once a day';
  return letterOf(`${counted(waiting)} to review`, [
    greeting(displayName),
    paragraph(`${counted(waiting)}${account ? ` of ${account}` : ''} to review${news}.`),
    ...(games.length > 1 ? by : []),
    ...(moderationUrl === undefined
      ? [paragraph('Review them in the console, under Moderation.')]
      : [paragraph('Review them in the console:'), link(moderationUrl)]),
    smallPrint(
      `You chose this email in the console. It's sent at most ${often}, and only if new flags wait. To change or ` +
        `stop it, open the menu with your name and choose Email notifications.`,
    ),
  ]);
}
