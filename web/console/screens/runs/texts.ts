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

export const VERDICT_TEXTS = {
  title: 'Verdicts',
  none: 'none',
  short: { LOG: 'logged', HOLD: 'hold', DECIDE: 'decide' },
  hint: 'A verifier of yours plays recordings again and says whether they give the score. It needs a key with the scope VERIFY.',
  takes: 'Take verdicts',
  mode: 'What they do',
  modes: [
    ['LOG', 'Nothing: log them, compare them with your reviews'],
    ['HOLD', 'The first ranks wait for VERIFIED; REJECTED is for people'],
    ['DECIDE', 'The first ranks wait for VERIFIED; REJECTED confirms cheating'],
  ],
  verifyTop: 'Verify the first …',
  verifyHint: 'Runs that would be among them are not ranked before their verdict. 0: none.',
  hours: 'For people after … hours',
  hoursHint: 'Where the verifier has said nothing.',
  confirmed: 'Decide, even if this game has fewer than 500 verdicts',
  said: { VERIFIED: 'Verified by', REJECTED: 'Rejected by', UNKNOWN: 'Unknown to' },
  inPass: 'in a pass',
  undone: '(taken back)',
  figures: (verified: string, rejected: string, unknown: string) =>
    `Last 7 days: ${verified} verified, ${rejected} rejected, ${unknown} unknown.`,
  waiting: (runs: string) =>
    runs === '1' ? '1 recording without a verdict.' : `${runs} recordings without a verdict.`,
  lag: (time: string) => `Half of the verdicts took less than ${time}.`,
  disagreed: (verdicts: string) => `Your reviews contradict ${verdicts} of them.`,
};

export const REVERIFY_TEXTS = {
  heading: 'Verify again',
  title: 'Apply this pass?',
  hint: 'Once a cheat is known, have the verifier play every stored recording again. Nothing changes before you apply the pass.',
  start: 'Verify all again',
  apply: 'Apply',
  undo: 'Undo',
  cancel: 'Cancel',
  ended: 'Undone',
  applied: 'Pass applied',
  status: {
    SENDING: 'being sent',
    OPEN: 'waiting for verdicts',
    APPLYING: 'being applied',
    APPLIED: 'applied',
    UNDOING: 'being undone',
    UNDONE: 'undone',
    CANCELLED: 'cancelled',
  },
  progress: (sent: string, total: string, verified: string, rejected: string) =>
    `${sent} of ${total} sent, ${verified} verified, ${rejected} rejected.`,
  moved: (entries: string) => (entries === '1' ? '1 entry moved.' : `${entries} entries moved.`),
  effect: (runs: string, moved: string) =>
    `${runs === '1' ? '1 run changes' : `${runs} runs change`}, ${moved === '1' ? '1 entry moves' : `${moved} entries move`}.`,
};
