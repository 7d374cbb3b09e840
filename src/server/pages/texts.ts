import { counted } from '../../base/words/counted.js';

/** All texts of the public pages; shared by the server and the page's script. */
export const texts = {
  language: 'en',
  skip: 'Skip to the ranking',
  phase: { UPCOMING: 'Upcoming', LIVE: 'Live', ENDED: 'Final', INACTIVE: 'Closed' },
  startsIn: (time: string) => `Starts in ${time}`,
  endsIn: (time: string) => `Ends in ${time}`,
  closesIn: (time: string) => `closes in ${time}`,
  endedOn: (moment: string) => `Ended ${moment}`,
  days: (count: number) => counted(count, 'day'),
  hours: (count: number) => `${count} h`,
  minutes: (count: number) => `${count} min`,
  seconds: (count: number) => `${count} s`,
  /** How many a ranking has, by the type of its board. */
  entries: (count: string, type: 'RUN_IDENTITY' | 'RUN_RUNS' | 'COUNTER' | 'RATIO') => {
    const [one, many] = type === 'RUN_RUNS' ? ['run', 'runs'] : ['player', 'players'];
    return count === '1' ? `1 ${one}` : `${count} ${many}`;
  },
  week: (number: number) => `Week ${number}`,
  groups: (count: string, hasMore: boolean) =>
    hasMore ? `More than ${count} groups` : counted(count, 'group'),
  direction: { ASC: 'Lower is better', DESC: 'Higher is better' },
  /** What counts, by the type of the board and, with one run a player, by the one it keeps. */
  kind: {
    RUN_IDENTITY: {
      BEST: 'Best run per player',
      FIRST: 'First run per player',
      LAST: 'Latest run per player',
      ALL: 'One run per player',
    },
    RUN_RUNS: 'Every run counts',
    COUNTER: 'Sum of all runs',
    RATIO: 'Ratio',
  },
  signedInOnly: 'Only players who have signed in are ranked',
  ranking: 'Ranking',
  prizes: 'Prizes',
  prizeFor: (who: string) => `for ${who}`,
  theBest: (percent: string) => `the best ${percent}%`,
  everyone: 'everyone with a score',
  everyoneFrom: (value: string) => `everyone from ${value}`,
  morePrizes: (lines: number) => ` and ${lines} more`,
  prizesFrom: (players: string) =>
    players === '1' ? 'Given if anyone takes part.' : `Given if at least ${players} players take part.`,
  prizeRanks: (first: string, last: string) => (first === last ? `Rank ${first}` : `Ranks ${first}–${last}`),
  prizeShare: (percent: string) => `Best ${percent}% of players`,
  prizeReached: (value: string) => `Everyone who reached ${value}`,
  prizeAll: 'Everyone with a score',
  prizeRuns: (runs: string) => (runs === '1' ? 'at least 1 run' : `at least ${runs} runs`),
  prizeAge: (hours: string) => `first played ${counted(hours, 'hour')} or more before the end`,
  prizeProven: 'signed in',
  pastWinners: 'Past winners',
  noScores: 'No scores yet.',
  noScoresLive: 'Submit the first one and take first place.',
  noScoresEnded: 'This board ended without any scores.',
  noScoresUpcoming: 'Scores can be submitted once the board starts.',
  nothingHere: 'There are no entries at this rank.',
  period: 'Period',
  previousPeriod: 'Previous',
  nextPeriod: 'Next',
  otherPeriods: 'All periods',
  views: 'Rankings',
  ownRanking: 'Overall',
  group: 'Group',
  chooseGroup: (tags: string) => `Choose a ${tags}`,
  notKept: (entries: string) => `${entries}. Only the podium of this period is kept.`,
  disqualified: 'disqualified',
  player: 'Find a player by name',
  find: 'Find',
  goToRank: 'Go to rank',
  go: 'Go',
  found: (count: number, name: string) =>
    count === 1 ? `1 player found for “${name}”` : `${count} players found for “${name}”`,
  noneFound: (name: string) => `No players found for “${name}”.`,
  backToRanking: 'Back to the full ranking',
  pages: 'Pages of the ranking',
  first: 'First',
  previous: 'Previous',
  next: 'Next',
  last: 'Last',
  range: (from: string, to: string, of: string) => `${from}–${to} of ${of}`,
  updatesLive: 'Updates live',
  reconnecting: 'Reconnecting…',
  paused: 'Paused',
  pause: 'Pause updates',
  resume: 'Resume updates',
  takesLead: (name: string, value: string) => `${name} takes first place with ${value}.`,
  up: (places: number) => `▲ ${places}`,
  down: (places: number) => `▼ ${places}`,
  new: 'new',
  place: 'Rank',
  placeOf: (rank: string, count: string) => `${rank} of ${count}`,
  placeAmong: (entries: string) => `of ${entries}`,
  betterThan: (share: number) => `Better than ${share}% of players`,
  value: 'Score',
  sum: 'Total',
  nextAbove: 'Next player above',
  ahead: 'ahead',
  gap: 'Gap to first place',
  around: 'Players nearby',
  onBoard: 'on',
  otherRankings: 'In other rankings',
  otherBoards: 'On other leaderboards',
  inSeries: 'In this series',
  history: 'Runs',
  best: 'Best',
  splits: 'Splits',
  verified: 'Verified',
  verifiedBy: (at: string) => `Played again by the studio’s verifier, ${at}`,
  split: (number: number) => `Split ${number}`,
  bestSplit: (at: string, segment: string) => `best ${at}, segment ${segment}`,
  showMore: (count: number) => `Show ${count} more`,
  /** What a drawing of runs shows. */
  chart: (runs: string, from: string, to: string, best: string | undefined) =>
    `${runs} runs from ${from} to ${to}${best === undefined ? '' : `, best ${best}`}`,
  follows: 'This link follows the player, whatever their rank.',
  seeBoard: 'View board',
  wholeBoard: 'Full leaderboard',
  aboutGame: 'About the game',
  boards: 'Leaderboards',
  live: 'Live now',
  upcoming: 'Coming up',
  ended: 'Finished',
  earlier: 'Earlier leaderboards',
  noBoards: 'This game has no public leaderboards yet.',
  toGame: (game: string) => `All leaderboards for ${game}`,
  notFound: 'Page not found',
  notFoundWhy: {
    leaderboard:
      "There is no leaderboard at this address. It may have been removed, or there's a typo in the address.",
    page: 'There is nothing at this address. Check it for typos.',
  },
  toStart: 'Go to the start page',
  unavailable: 'Back in a moment',
  unavailableWhy: "We can't show this leaderboard right now. Please try again in a moment.",
  tooMany: 'One moment, please',
  tooManyWhy: 'Too many requests from your network. Please try again in a minute.',
  failed: 'Something went wrong',
  failedWhy:
    "We can't show this leaderboard because of an error on our side. If you report it, include this request id:",
  boardSummary: (game: string, entries: string) => `Leaderboard for ${game}, ${entries}.`,
  service: 'Leaderboards',
  landing: {
    title: 'Leaderboards for games',
    claim: 'Exact ranks, the moment a score arrives.',
    about:
      'A leaderboard service for games. Games submit runs over GraphQL or REST, players watch the boards ' +
      'move, and studios review suspicious runs in the console.',
    open: 'Open the console',
    begin: 'Start with the guide',
    more: 'Live on this installation',
    console: 'Console',
    consoleWhy: 'Set up games and boards, watch them live, review flags and invite your team.',
    explorer: 'Explorer',
    explorerWhy: 'Write GraphQL with autocomplete, and try queries, mutations and subscriptions.',
    reference: 'REST reference',
    referenceWhy: 'Every REST endpoint with parameters, errors and code samples.',
    graphql: 'GraphQL reference',
    graphqlWhy: 'Every field and type, with who may use it, its cost and an example.',
    guides: 'Guides',
    guidesWhy: 'From your first score to seasons, fair play, live ranks and running your own server.',
    links: 'For studios',
    boards: 'Live boards',
    allBoards: 'Boards',
    start: 'Your next two steps',
    steps: [
      [
        'Create your first board',
        'Sign in to the console with the key from the file superadmin-key in the data directory. Create an account, a game and a board.',
      ],
      [
        'Submit a score',
        'Getting started walks you through sessions, submissions and ranks in a few minutes, with curl or a client SDK. ' +
          'Boards named in LANDING_BOARDS appear here, live.',
      ],
    ],
    tryDemo: ['Just looking?', 'starts a studio with 20,000 players, live boards and a moderation queue.'],
  },
  guides: {
    title: 'Guides',
    about: 'From the first score to a server your players rely on, in the order you need it.',
    menu: 'All guides',
    search: 'Search the guides',
    noneHasAll: (words: string) => `No section has all of “${words}”. The closest:`,
    copy: 'Copy',
    copied: 'Copied',
    outline: 'On this page',
    previous: 'Previous',
    next: 'Next',
  },
  watch: 'Watch',
  share: 'Share',
  me: { isMe: 'This is me', forget: 'Not me', you: 'You' },
  embed: {
    title: 'Embed',
    about: 'Put this leaderboard on your website. It updates live.',
    first: 'What the page shows first',
    theme: 'Theme',
    themes: { '': 'Visitor’s', light: 'Light', dark: 'Dark' },
    width: 'Width in pixels',
    code: 'Code for your page',
    size: 'Size:',
    pixels: (width: string, height: string) => `${width} × ${height}`,
  },
  overlay: {
    title: 'Overlay for streams',
    about: 'Put this leaderboard on your stream. It updates live on a transparent background.',
    ranking: 'Ranking',
    layout: 'Layout',
    size: 'Size',
    side: 'Side',
    values: {
      list: 'List',
      ticker: 'Ticker',
      small: 'Small',
      medium: 'Medium',
      large: 'Large',
      left: 'Left',
      right: 'Right',
    },
    rows: 'Rows',
    accent: 'Accent color',
    update: 'Update preview',
    link: 'Link for your browser source',
    source: 'In OBS, add a browser source with this link and the size',
    pixels: (width: number, height: number) => `${width} × ${height}`,
    open: 'Open the overlay',
    preview: 'Preview',
    guide: 'Guide',
    plate: 'Rank for streams',
  },
  gameSummary: (game: string) => `Leaderboards for ${game}.`,
} as const;

function makeFormats() {
  return {
    date: new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }),
    moment: new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }),
  };
}

let made: ReturnType<typeof makeFormats> | undefined;

/** Made with the first page: the engine then loads its language tables, which must not delay the start. */
function formats(): ReturnType<typeof makeFormats> {
  made ??= makeFormats();
  return made;
}

/** Returns a moment in UTC: `28 Nov 2026, 18:00 UTC`. */
export function shownMoment(moment: Date): string {
  return `${formats().moment.format(moment)} UTC`;
}

/** Returns the day of a moment in UTC: `28 Nov 2026`. */
export function shownDate(moment: Date): string {
  return formats().date.format(moment);
}

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 60 * MINUTE_SECONDS;
const DAY_SECONDS = 24 * HOUR_SECONDS;

/**
 * Returns a duration in its two largest units.
 * @param seconds whole seconds
 * @param fine true to include seconds in the last hour; without them a page stays the same for a minute
 */
export function shownDuration(seconds: number, fine: boolean): string {
  const part = (unit: number, within: number) => Math.floor((seconds % within) / unit);
  if (seconds >= DAY_SECONDS) {
    const hours = part(HOUR_SECONDS, DAY_SECONDS);
    const days = texts.days(Math.floor(seconds / DAY_SECONDS));
    return hours === 0 ? days : `${days} ${texts.hours(hours)}`;
  }
  if (seconds >= HOUR_SECONDS) {
    const minutes = part(MINUTE_SECONDS, HOUR_SECONDS);
    const hours = texts.hours(part(HOUR_SECONDS, DAY_SECONDS));
    return minutes === 0 ? hours : `${hours} ${texts.minutes(minutes)}`;
  }
  if (!fine) return texts.minutes(Math.ceil(seconds / MINUTE_SECONDS));
  if (seconds >= MINUTE_SECONDS)
    return `${texts.minutes(part(MINUTE_SECONDS, HOUR_SECONDS))} ${texts.seconds(part(1, MINUTE_SECONDS))}`;
  return texts.seconds(Math.max(0, Math.floor(seconds)));
}

/**
 * Returns text without characters that change the direction of the following text, where no template of HTML removes them
 * (drawn previews, announcements).
 */
export function withoutDirections(text: string): string {
  return text.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '');
}
