// Apart from the others: the first view has no prizes.

import { counted } from '../../../../src/base/words/counted.js';

export const PRIZE_TEXTS = {
  title: 'Prizes',
  of: (ranking: string) => `Prizes of ${ranking}`,
  hint: 'Each player gets every line that applies, once. Players claim rewards in the game, or its server hands them out.',
  add: 'Add prizes',
  remove: 'Remove prizes',
  addLine: 'Add line',
  removeLine: (line: string) => `Remove ${line}`,
  newLine: 'New line',
  more: 'More',
  item: 'Item',
  itemExample: 'golden_plane',
  ownGrant: 'JSON, under More',
  titleExample: 'Golden plane',
  conditions: 'Conditions',
  from: (players: string) => `from ${counted(players, 'player')}`,
  expiresAfter: (days: string) => `expires after ${counted(days, 'day')}`,
  minimum: 'Minimum number of players',
  minimumHint: 'With fewer, nothing is given.',
  ties: 'Equal values',
  tieKinds: [
    ['RANK', 'Who was first gets more'],
    ['ALL', 'All get what the best of them gets'],
    ['SHARE', 'They share it'],
  ] as const,
  tieLimit: 'Extra players for a line',
  tieLimitHint: 'With more, grants wait until you release them.',
  expires: 'Expires after … days',
  expiresHint: 'Empty: never.',
  name: 'Name',
  nameHint: 'For programs; made from the title. Keep it: it is part of the id of each reward.',
  lineTitle: 'Title',
  kind: 'Who gets it',
  kinds: {
    RANK: 'Ranks',
    SHARE: 'The best … %',
    VALUE: 'Everyone who reached a value',
    ALL: 'Everyone with an entry',
  },
  first: 'First rank',
  last: 'Last rank',
  percent: 'Percent',
  reached: 'Value to reach',
  runs: 'Minimum runs',
  anyHint: 'Empty: any.',
  age: 'Known for … hours',
  ageHint: 'Before the end. Keeps new devices out. Empty: any.',
  proven: 'Only players who have signed in with a provider',
  provenHint:
    'By the end of the ranking. The line ranks these alone, so guests neither win it nor take a rank from anyone.',
  picture: 'Picture',
  pictureHint: 'An https address.',
  grant: 'What is given (JSON)',
  grantHint: 'For your game: items, amounts. Public pages never show it.',
  grantFault: 'Must be a JSON object, like {"coins": 500}.',
  grantTooLarge: 'Must not be larger than 4 KiB.',
  ranks: (first: string, last: string) => (first === last ? `rank ${first}` : `ranks ${first}–${last}`),
  share: (percent: string) => `best ${percent} %`,
  value: (value: string) => `from ${value}`,
  preview: {
    title: 'If it closed now',
    of: (board: string) => `With the scores of ${board}.`,
    later: 'A preview appears here once there is a board with scores.',
    incomplete: 'Complete the prizes to see who would get them.',
    group: 'Group',
    sum: (rewards: string, winners: string, players: string) =>
      `${rewards} ${rewards === '1' ? 'reward' : 'rewards'} for ${winners} of ${players} players`,
    rewards: (rewards: string) => counted(rewards, 'reward'),
    further: (players: string) => `and ${players} more`,
    shared: (players: number) => `(shared by ${players})`,
    nobody: 'Nobody yet',
    leftOut: (players: string, fewRuns: string, tooNew: string) =>
      `Leaves out ${players}: ` +
      [fewRuns !== '0' && `${fewRuns} with too few runs`, tooNew !== '0' && `${tooNew} too new`]
        .filter(Boolean)
        .join(', '),
    undecided: (runs: number) =>
      runs === 1 ? '1 run needs a review first.' : `${runs} runs need a review first.`,
    limits: {
      MINIMUM_ENTRIES: 'Too few players: nothing would be given.',
      TIE_LIMIT: 'Too many players of equal value: grants would wait for your release.',
      GRANTS_PER_CLOSING: 'Too many rewards for one closing: grants would wait for your release.',
    },
    webhook: (type: string, endpoints: string) => `Webhook ${type} to ${endpoints}`,
    apply: {
      NOW: '',
      NEXT_PERIOD: 'These prizes apply from the next period. The current one keeps the saved prizes.',
      NEVER: "The board has scores, so the prizes of its own ranking can't change.",
    },
  },
};

export const REWARD_TEXTS = {
  title: 'Rewards',
  show: 'Show rewards',
  hide: 'Hide rewards',
  granted: 'Granted',
  grantedAt: 'Granted',
  status: {
    OPEN: 'open',
    CLAIMED: 'claimed',
    ACKNOWLEDGED: 'acknowledged',
    EXPIRED: 'expired',
    REVOKED: 'revoked',
  },
  filter: 'Show rewards that are …',
  all: 'of any status',
  empty: 'No such rewards.',
  nonePlayer: 'No rewards yet. Prizes of rankings that closed appear here.',
  rank: 'Rank',
  player: 'Player',
  prize: 'Prize',
  ranking: 'Ranking',
  statusTitle: 'Status',
  since: 'Since',
  shared: (players: number) => `(shared by ${players})`,
  prizes: {
    NONE: '',
    PENDING: 'Prizes are granted once places are fixed.',
    GRANTING: 'Prizes are being granted.',
    GRANTED: '',
    WAITING_FOR_LIMIT: 'More rewards would be granted than a limit allows.',
    HELD: 'A backup was restored: rewards granted after it are not known.',
  },
  release: 'Release prizes',
  releaseHint: 'They are granted to players at once. This cannot be undone.',
  released: 'Prizes released',
};

export const REHEARSAL_TEXTS = {
  of: (board: string) => `Rehearsal of ${board}`,
  title: 'Rehearse the end',
  hint:
    'A copy of the board plays its runs to the end: it closes, grants prizes, and the winner claims. The ' +
    'board stays as it is, and no webhook is sent.',
  empty: 'Without any runs yet, ten made-up players play.',
  ranking: 'Ranking',
  done: 'The rehearsal has ended',
  result: (rewards: string, closings: string) =>
    `${rewards} ${rewards === '1' ? 'reward' : 'rewards'} in ${closings}`,
  closings: (closings: number) => counted(closings, 'closing'),
  none: 'No group has an entry, so nothing closed.',
  webhooks: 'Webhooks that the board itself would send:',
  noWebhooks: 'No webhook endpoint asks for closings.',
  kept: 'The copy is deleted after a week. Its rewards are those of test sessions, which can claim them.',
  open: 'Open the copy',
  close: 'Close',
};

export const REISSUE_TEXTS = {
  open: 'Reissue prizes',
  title: 'Reissue prizes',
  hint:
    'Compares rewards with the ranking as it is after later reviews. Missing ones are granted. What was ' +
    'given wrongly is listed and never taken back.',
  effect: (missing: string, wrong: string, shared: string) =>
    `${missing} missing, ${wrong} given wrongly, ${shared} shared by another number of players`,
  grant: (missing: string) => (missing === '0' ? 'Nothing to grant' : `Grant ${missing}`),
  done: (granted: string) => counted(granted, 'reward granted', 'rewards granted'),
  kinds: { MISSING: 'missing', WRONG: 'given wrongly', SHARED: 'shared otherwise' },
  someone: 'deleted player',
};
