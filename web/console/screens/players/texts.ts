import { counted } from '../../../../src/base/words/counted.js';
import { ordinal } from '../../../../src/base/words/ordinal.js';

// Apart from the others: the first view shows no player.

const REASONS: Record<string, string> = {
  OUTLIER: 'far better than everyone else',
  CLOCK: "doesn't fit the time it was played in",
  RECORDING: 'lacks the recording that the board demands',
  VERDICT: 'has no verdict that clears it',
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

export const LINK_TEXTS = {
  proofs: 'Proven by',
  proven: 'since',
  lastProven: 'last',
  remove: 'Remove',
  removeOf: (provider: string) => `Remove the account of ${provider}?`,
  removeHint:
    'It proves a new player from then on. This player keeps its runs and devices; sessions that others started with it end.',
  removed: 'Account removed',
  linked: 'linked',
  playsAs: 'plays as',
  deviceOf: (player: string) => (player ? `device of ${player}` : 'device of a player without a name'),
  unlink: 'Unlink',
  unlinked: 'Device unlinked. It has its own player back.',
  merges: 'Merges',
  noMerges: 'Not merged with another player.',
  mergeWith: 'Merge with…',
  find: 'Player',
  findHint: 'Type the beginning of a name.',
  nameless: 'a player without a name',
  runs: (runs: number) => counted(runs, 'run'),
  mergedHere: 'Includes the runs of',
  mergedInto: 'Merged into',
  status: { APPLYING: 'being merged', APPLIED: 'merged', UNDOING: 'being undone', UNDONE: 'undone' },
  byPlayer: 'by the player',
  undone: 'Merge undone. Both are players of their own again.',
  mergeOf: (source: string, target: string) => `Merge ${source} into ${target}`,
  mergeHint: (source: string, target: string) =>
    `All runs of ${source} will count for ${target} in every ranking, past ones included. Its devices play as ` +
    `${target}. You can undo it exactly.`,
  swap: 'Swap the two',
  merge: 'Merge players',
  merged: (source: string, target: string) => `${source} merged into ${target}`,
  noEffect: 'No ranking changes: this player has no runs.',
  flags: 'Flags',
  wasMerged: 'This player was merged into another one.',
  toTarget: (player: string) => `Go to ${player}`,
};
