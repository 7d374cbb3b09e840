// Apart from the others: the first view has no closings.

import { counted } from '../../../../src/base/words/counted.js';

const lengthOf = (minutes: string) =>
  Number(minutes) % 60 === 0 ? counted(String(Number(minutes) / 60), 'hour') : counted(minutes, 'minute');

export const RULE_TEXTS = {
  title: 'Closings',
  hint: 'When a ranking ends, its first places are fixed once. Later reviews no longer change them.',
  none: 'none',
  own: "The board's own ranking",
  of: (ranking: string) => `Closing of ${ranking}`,
  ranking: 'Ranking',
  closes: 'Closes',
  closesWithBoard: 'Closes when the board ends.',
  closesWithPeriod: 'Closes at the end of each period.',
  fixed: (minutes: string) =>
    minutes === '0' ? 'Places are fixed at once.' : `Places are fixed ${lengthOf(minutes)} later.`,
  waits: (top: string, hours: string) =>
    `If a run among the first ${top} still needs a review then, up to ${counted(hours, 'hour')} after the end.`,
  settle: 'Settle for … minutes',
  settleHint: 'Reviews still change the ranking during that time.',
  top: 'Wait for reviews of the first …',
  topHint: 'Open flags and held runs among these ranks delay the closing. Empty: no delay.',
  hours: 'For at most … hours',
  hoursHint: "Then runs under review count, and held runs don't.",
  places: 'Places to fix',
  hasPrizes: 'Its prizes are below.',
  add: 'Add closing',
  remove: 'Remove closing',
  all: 'Every ranking that ends has a closing.',
  noneEnds: 'A ratio is closed through an additional ranking with periods.',
};

export const CLOSING_TEXTS = {
  title: 'Closings',
  empty: 'Nothing has closed yet. Places appear here when a ranking ends.',
  noRules: 'No closings. Add one in the settings to fix the first places when a ranking ends.',
  status: { SETTLING: 'settling', FROZEN: 'closed', WITHDRAWN: 'withdrawn' },
  test: 'test',
  ended: 'Ended',
  settles: ', places are fixed after',
  entries: (entries: string) => `, ${counted(entries, 'entry', 'entries')}`,
  nobody: 'Nobody played.',
  further: (places: number) => counted(places, 'more place'),
  waits: 'These runs need a review first, or places are fixed without it on',
  waited: 'Places were fixed without a review of these runs.',
  queue: 'Open the queue',
  held: '(held, not ranked)',
  flagged: '(under review, ranked)',
};

export const NEXT_TEXTS = {
  title: 'Next closings',
  closes: 'closes',
  edit: 'Edit',
  prize: (title: string, who: string) => `${title} for ${who}`,
  best: (percent: number) => `the best ${percent}%`,
  all: 'everyone',
  from: (value: number) => `everyone from ${value}`,
};
