import { DomainError } from '../base/errors.js';
import type { BoardType, KeepStrategy, SortDirection } from '../boards/board/board.js';

/** The last two are not ranked. */
export type EntryStatus = 'active' | 'under_review' | 'provisional' | 'rejected';

export function isHidden({ status }: { status: EntryStatus }): boolean {
  return status === 'provisional' || status === 'rejected';
}

/** The rules by which a player's submissions determine an entry. */
export interface KeepRules {
  board_type: BoardType;
  sort_direction: SortDirection;
  keep_strategy: KeepStrategy;
}

/** The parts of an entry that the next submission depends on. */
export interface EntryBefore {
  value: number;
  rankKey: number;
  seq: number;
  status: EntryStatus;
  createdAt: Date;
  updatedAt: Date;
}

/** An entry after the submission. Bare uuids. */
export interface EntryAfter extends EntryBefore {
  slot: string;
  id: string;
  eventId: string;
  eventSeq: number;
  playerName: string;
  valueDisplay: string | null;
  deviceId: string | null;
  metadata: Record<string, unknown> | null;
  city: string | null;
  country: string | null;
  timezone: string | null;
}

/** `rank_key` of a value: smaller is better on every board; never -0. */
export function rankKeyOf(value: number, direction: SortDirection): number {
  return direction === 'asc' ? value : 0 - value;
}

/**
 * The entry of a ranking with one entry per identity, of a board or of a view; `before` itself if unchanged.
 * @param fresh the entry that the submission alone would make
 * @throws DomainError BAD_REQUEST when a counter's sum cannot hold the delta
 */
export function keptEntry<B extends EntryBefore>(
  board: KeepRules,
  before: B | undefined,
  fresh: EntryAfter,
): B | EntryAfter {
  if (!before) return fresh;
  const created = { ...fresh, createdAt: before.createdAt };
  if (board.board_type === 'counter') {
    const value = sumOf(before.value, fresh.value);
    // A sum is under review while any of its deltas is.
    const status = before.status === 'under_review' ? before.status : created.status;
    const rankKey = rankKeyOf(value, board.sort_direction);
    return keepingPlace(before, { ...created, value, rankKey, status });
  }
  switch (board.keep_strategy) {
    case 'first':
      return before;
    case 'best':
      return fresh.rankKey < before.rankKey ? created : before;
    default:
      return keepingPlace(before, created);
  }
}

/** From here on, doubles are more than 1 apart. */
const LARGEST_EXACT = 2 ** 53;

/** @throws DomainError BAD_REQUEST if a delta would be lost: entirely, or beyond 2^53 in part. */
function sumOf(sum: number, delta: number): number {
  const value = sum + delta;
  if (!Number.isFinite(value)) {
    throw new DomainError('BAD_REQUEST', "This would overflow the counter's sum.");
  }
  // The exact amount that the addition rounds away (Knuth's TwoSum).
  const taken = value - sum;
  const lost = sum - (value - taken) + (delta - taken);
  if ((value === sum && delta !== 0) || (Math.abs(value) > LARGEST_EXACT && lost !== 0)) {
    throw new DomainError(
      'BAD_REQUEST',
      `The counter is at ${sum}, and adding ${delta} would lose precision. Sums are exact up to 2^53 (${LARGEST_EXACT}).`,
    );
  }
  return value;
}

/**
 * A submission that does not change the value keeps its place among equals and the time at which the value was
 * reached.
 */
function keepingPlace(before: EntryBefore, next: EntryAfter): EntryAfter {
  if (next.value !== before.value) return next;
  return { ...next, seq: before.seq, updatedAt: before.updatedAt };
}
