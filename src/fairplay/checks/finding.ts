import type { BoardType, SortDirection } from '../../boards/board/board.js';
import type { ClockSettings } from '../../boards/tickets/settings.js';
import type { ClockedRun, ClockFinding } from '../../submissions/decide/clock.js';
import type { RecentSubmissions } from '../../submissions/facts/recent-submissions.js';
import type { Tier } from './thresholds.js';

export type CheckName =
  | 'rate_limit'
  | 'velocity'
  | 'duplicate'
  | 'progression'
  | 'outlier'
  | 'clock'
  | 'recording'
  | 'verdict';

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
  /** Hours from the run on in which its flag is not for people; absent: none. */
  peopleAfterHours?: number;
  /** Of outliers: each measure that is one, with its value. */
  far?: readonly { measure: string; value: number }[];
}

/** A player's history on one board and population, accepted submissions only. */
export interface History {
  recent: RecentSubmissions;
  /** Accepted submissions of the hour before, where `recent` does not reach back that far; null: it does. */
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
  /** The time by which it is judged, epoch milliseconds. */
  at: number;
  amount: number;
  /** What contradicts the time since its ticket, on boards where runs are flagged for it. */
  clock?: (ClockFinding & Pick<ClockedRun, 'elapsedMs' | 'idleMs'> & { settings: ClockSettings }) | undefined;
}
