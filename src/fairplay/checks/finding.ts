import type { RecentSubmissions } from '../../scores/submit/pipeline/recent-submissions.js';
import type { BoardType, SortDirection } from '../../scores/submit/submission.js';
import type { Tier } from './thresholds.js';

export type CheckName = 'rate_limit' | 'velocity' | 'duplicate' | 'progression' | 'outlier';

/** Which earlier accepted events of the player a hit compares with: those of these times (epoch milliseconds, both inclusive). */
export interface Compared {
  from: number;
  to: number;
  /** Only those of this amount. */
  amount?: number;
  /** The newest so many. */
  most: number;
}

/** A check that spoke. */
export interface Hit {
  check: CheckName;
  action: 'flag' | 'reject';
  confidence: 'low' | 'medium' | 'high';
  /** The numbers that made it speak and the threshold they were held against, as a flag shows them. */
  metadata: Record<string, string | number>;
  /** Null: with no single events. */
  compared: Compared | null;
}

/** What of a player's past on one board and population a submission is held against: accepted submissions only. */
export interface History {
  recent: RecentSubmissions;
  /** Of the last hour where `recent` does not reach back that far; null: it does. */
  acceptedInHour: number | null;
  /** Of all time. */
  acceptedCount: number;
  bestValue: number | null;
  /** What the player's entry shows; null: it has none. */
  entryValue: number | null;
}

export interface Submitted {
  boardType: BoardType;
  sortDirection: SortDirection;
  tier: Tier;
  /** Epoch milliseconds. */
  at: number;
  amount: number;
}
