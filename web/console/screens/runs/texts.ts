// Apart from the others: the first view has no forms.

export const TICKET_TEXTS = {
  title: 'Runs',
  none: 'no tickets',
  hint:
    'A game gets a ticket when a run starts, and submits the run with it: then you know when it began. ' +
    'Game clients without tickets are refused once you require them.',
  mode: 'Tickets',
  modes: [
    ['NONE', 'None'],
    ['ASKED', 'Trial: count every run, flag nothing'],
    ['REQUIRED', 'Required: refuse runs without one'],
  ],
  seed: 'Seed',
  seeds: [
    ['NONE', 'None'],
    ['RUN', 'One for each run'],
    ['PERIOD', 'The same for everyone in a period'],
  ],
  view: 'Periods of',
  board: 'The board as a whole',
  viewHint: 'Tickets end with the period; attempts and seed start over.',
  attempts: 'Attempts',
  attemptsHint:
    'Runs that a player can start in a period. Empty: as many as they like. Only with required tickets.',
  attemptsLast: 'With the latest run kept, a bad last attempt replaces a better one.',
  hours: 'Valid for … hours',
  hoursHint: 'The shorter, the less a hoarded ticket helps: an hour for runs of minutes.',
  advance: 'Tickets fetched ahead',
  advanceHint:
    'For runs without a connection, in one request. 0: none. Everyone can use them, and their clock is checked less.',
  content: 'Content',
  contentHint: 'Your name for the present map or rules. Runs that started under another one are refused.',
  clock: 'Compare runs with the clock',
  least: 'Shortest run, seconds',
  most: 'Most value per second',
  mostHint: 'Empty: not checked.',
  slack: 'Tolerance, seconds',
  pauses: 'The game can be paused',
  trial: 'Runs since',
  share: (tickets: string, runs: string) => `${tickets} of ${runs} runs had a ticket.`,
  faults: { short: 'too short', rate: 'too much', fast: 'too fast', slow: 'slow motion' },
  flagged: (faults: string, asked: boolean) =>
    `${asked ? 'Required tickets would flag' : 'Runs against the clock'}: ${faults}.`,
  clean: (asked: boolean) =>
    asked ? 'Required tickets would flag none of them.' : 'None of them contradicts the clock.',
};

export const RECORDING_TEXTS = {
  title: 'Recordings',
  none: 'none',
  some: (best: boolean, top: string) => (best ? 'every ranked run' : `top ${top}`),
  hint: 'A game sends a file after the run, for example the player’s inputs: evidence for you, ghosts for other players.',
  takes: 'Record runs',
  keepTop: 'Keep the first … runs',
  demandTop: 'Demand the first …',
  demandHint:
    'Runs that would be among them are flagged until the file is there, and wait if flagged runs are held. 0: none.',
  size: 'Largest file, KiB',
  sizeHint: 'Up to 256 without a bucket.',
  readers: 'Who can see them',
  who: [
    ['STAFF', 'The studio'],
    ['PLAYERS', 'Players, as ghosts'],
    ['PUBLIC', 'Everyone'],
  ],
  watchUrl: 'Watch page',
  watchHint: 'A page of yours that shows a recording, https, with {recording} for its address. Optional.',
  demandFlagged: 'Record flagged runs, too',
  keepBest: 'Keep the ranked run of every player',
  bestHint: 'A million players with files of 40 kB take 40 GB.',
  download: (bytes: number) => `Download the recording (${Math.ceil(bytes / 1_024)} KiB)`,
  leaving: 'It is deleted',
};
