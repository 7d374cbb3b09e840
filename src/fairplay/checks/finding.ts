import { isId } from '../../base/ids.js';
import type { BoardType, SortDirection } from '../../boards/board/board.js';
import type { RecentSubmissions } from '../../scores/submit/recent-submissions.js';
import type { Tier } from './thresholds.js';

type CheckName = 'rate_limit' | 'velocity' | 'duplicate' | 'progression' | 'outlier';

/**
 * The player's earlier accepted events that a hit compares with: those between these times (epoch milliseconds, both
 * inclusive).
 */
interface Compared {
  from: number;
  to: number;
  /** Only events of this amount. */
  amount?: number;
  /** At most this many, the newest first. */
  most: number;
}

/** A check that was triggered. */
export interface Hit {
  check: CheckName;
  action: 'flag' | 'reject';
  confidence: 'low' | 'medium' | 'high';
  /** The numbers that triggered it and the threshold, as a flag shows them. */
  metadata: Record<string, string | number>;
  /** Null: the check compares with no single events. */
  compared: Compared | null;
}

/** A player's history on one board and population, accepted submissions only. */
export interface History {
  recent: RecentSubmissions;
  /** Accepted submissions of the last hour, where `recent` does not reach back that far; null: it does. */
  acceptedInHour: number | null;
  /** Accepted submissions, without limit of time. */
  acceptedCount: number;
  bestValue: number | null;
  /** Value of the player's entry; null: the player has none. */
  entryValue: number | null;
}

export interface CheckedSubmission {
  boardType: BoardType;
  sortDirection: SortDirection;
  tier: Tier;
  /** Epoch milliseconds. */
  at: number;
  amount: number;
}

type Numbers = Record<string, unknown>;

/**
 * Formats a number for people: at most this many decimals, thousands separated, very large and very small ones as powers of
 * ten.
 */
function written(value: unknown, decimals = 3): string {
  if (typeof value !== 'number') return String(value ?? '?');
  const size = Math.abs(value);
  if (size >= 1e15 || (size > 0 && size < 10 ** -decimals)) return value.toExponential(3);
  return value.toLocaleString('en-US', { maximumFractionDigits: decimals });
}

const EXPLAINED: Record<CheckName | 'manual', (numbers: Numbers) => string> = {
  rate_limit: ({ tier, limit, count, window_seconds: window }) =>
    `The player had ${written(count)} accepted submissions to this board within ${written(window)} s; tier ${tier} may have ${written(limit)}.`,
  velocity: ({ tier, threshold_seconds: threshold, seconds, value, previous_value: before }) =>
    `${written(value)} came ${written(seconds)} s after ${written(before)}; for tier ${tier} less than ${written(threshold)} s is too soon.`,
  duplicate: ({ tier, threshold_seconds: threshold, seconds, value }) =>
    `${written(value)} came again after ${written(seconds)} s; for tier ${tier} the same value within ${written(threshold)} s is a repetition.`,
  progression: ({ tier, threshold_percent: threshold, percentage, value, previous_value: before }) =>
    `${written(value)} is ${written(percentage, 1)} % better than the player's best so far, ${written(before)}; for tier ${tier} more than ${written(threshold)} % is implausible.`,
  outlier: outlying,
  manual: ({ identity_review_id: review }) =>
    isId('identityReview', review)
      ? `An administrator decided about all runs of the player or device (${review}).`
      : 'An administrator raised it.',
};

/** The measured quantity, and the group whose median it is compared with. */
const MEASURED: Record<string, (value: string, entries: string) => [what: string, whose: string]> = {
  value: (value, entries) => [value, `of ${entries} entries`],
  sum: (value, entries) => [`A sum of ${value}`, `of ${entries} entries`],
  gain: (value, entries) => [`${value} at once`, `of the last additions of ${entries} players`],
  rate: (value, entries) => [`${value} a second over the last hour`, `of ${entries} players`],
  streak: (value, entries) => [`${value} improvements in a row`, `of ${entries} players`],
  repeats: (value, entries) => [`${value} repetitions in a row`, `of ${entries} players`],
};

function outlying({
  tier,
  threshold_z: threshold,
  z,
  measure,
  value,
  entries,
  median,
  ...more
}: Numbers): string {
  const described = MEASURED[String(measure ?? 'value')] ?? MEASURED.value!;
  const [what, whose] = described(written(value), written(entries));
  const size = more.scale === undefined ? '' : ` of ${written(more.scale)}`;
  const by = more.deviations === 'logarithmic' ? ', by logarithms' : '';
  return `${what}: ${written(z, 1)} robust deviations${size} beyond the median ${whose}, ${written(median)}${by}; for tier ${tier} more than ${written(threshold)} is an outlier.`;
}

/** Returns one sentence that names the check, its numbers and its threshold, from the flag's own metadata. */
export function explainFinding({
  flagType,
  metadata,
}: {
  flagType: CheckName | 'manual';
  metadata: Record<string, unknown>;
}): string {
  return EXPLAINED[flagType](metadata);
}
