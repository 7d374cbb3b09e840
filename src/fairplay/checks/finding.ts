import { isId } from '../../base/ids.js';
import type { BoardType, SortDirection } from '../../boards/board/board.js';
import type { RecentSubmissions } from '../../submissions/facts/recent-submissions.js';
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

function inSeconds(count: unknown): string {
  return count === 1 ? '1 second' : `${written(count)} seconds`;
}

const EXPLAINED: Record<CheckName | 'manual', (numbers: Numbers) => string> = {
  rate_limit: ({ tier, limit, count, window_seconds: window }) =>
    `Too many submissions: ${written(count)} to this board within ${inSeconds(window)}. Tier ${tier} allows ${written(limit)}.`,
  velocity: ({ tier, threshold_seconds: threshold, seconds, value, previous_value: before }) =>
    `Submitted ${written(value)} only ${inSeconds(seconds)} after ${written(before)}. Tier ${tier} expects at least ${inSeconds(threshold)} between submissions.`,
  duplicate: ({ tier, threshold_seconds: threshold, seconds, value }) =>
    `The same score twice within ${inSeconds(seconds)}: ${written(value)}. Tier ${tier} flags repeats within ${inSeconds(threshold)}.`,
  progression: ({ tier, threshold_percent: threshold, percentage, value, previous_value: before }) =>
    `A sudden jump: ${written(value)} is ${written(percentage, 1)}% better than the player's previous best, ${written(before)}. Tier ${tier} flags improvements above ${written(threshold)}%.`,
  outlier: outlying,
  manual: ({ identity_review_id: review }) =>
    isId('identityReview', review)
      ? `An administrator reviewed all runs of this player or device (${review}).`
      : 'Flagged by an administrator.',
};

/** The measured quantity, and the group whose median it is compared with. */
const MEASURED: Record<string, (value: string, entries: string) => [what: string, whose: string]> = {
  value: (value, entries) => [value, `of ${entries} entries`],
  sum: (value, entries) => [`a total of ${value}`, `of ${entries} entries`],
  gain: (value, entries) => [`${value} added at once`, `of the latest additions by ${entries} players`],
  rate: (value, entries) => [`${value} per second over the last hour`, `of ${entries} players`],
  streak: (value, entries) => [`${value} improvements in a row`, `of ${entries} players`],
  repeats: (value, entries) => [`${value} repeats in a row`, `of ${entries} players`],
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
  const by = more.deviations === 'logarithmic' ? ', on a log scale' : '';
  return `Far better than usual: ${what}. The median ${whose} is ${written(median)}; this is ${written(z, 1)} robust deviations${size} better${by}. Tier ${tier} flags more than ${written(threshold)}.`;
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
