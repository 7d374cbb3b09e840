import { ordinal } from '../../../../src/base/words/ordinal.js';

// Apart from the others: the first view shows no player.

const REASONS: Record<string, string> = {
  OUTLIER: 'far better than everyone else',
  CLOCK: "doesn't fit the time it was played in",
  RECORDING: 'lacks the recording that the board demands',
  PROGRESSION: 'a sudden jump',
  DUPLICATE: 'the same score again',
  VELOCITY: 'too soon after the last run',
  RATE_LIMIT: 'too many runs in an hour',
  MANUAL: 'flagged manually',
};

const because = (kinds: string[]) => kinds.map((kind) => REASONS[kind] ?? kind).join(', ');

export const RUN_TEXTS = {
  title: 'Runs',
  empty: 'No runs yet. Every run this player submits appears here.',
  keys: 'J and K move, C confirms, F marks fair, U undoes.',
  ranked: (rank: number) => `Ranked ${ordinal(rank)}`,
  inSum: (rank: number) => `Part of the total, ranked ${ordinal(rank)}`,
  review: 'under review',
  views: (views: string[]) => `Counts on ${views.join(', ')} only`,
  other: 'Counts, but another run is ranked',
  held: (rank: number | null) => (rank === null ? 'Held' : `Held, would be ${ordinal(rank)}`),
  rejected: (kinds: string[]) => (kinds.length > 0 ? `Rejected: ${because(kinds)}` : 'Rejected'),
  removed: 'Removed by a review',
  test: 'test score',
  confirm: 'Confirm cheat',
  fair: 'Mark fair',
  undo: 'Undo review',
  flag: 'Flag',
  open: 'Details',
  done: {
    CONFIRMED_CHEAT: (run: string) => `${run}: cheating confirmed`,
    FALSE_POSITIVE: (run: string) => `${run}: marked fair`,
    PENDING: (run: string) => `${run}: review undone`,
  },
  raised: (run: string) => `${run} flagged for review`,
  banned: 'Banned',
};
