import type { TiePolicy } from '../../boards/board/tie-policy.js';
import type { EntryAfter, EntryBefore } from '../../rankings/kept-entry.js';
import type { Placement } from '../facts/places.js';
import type { Ranking } from '../facts/rankings.js';

/** The effect of a submission in one ranking. */
export interface RankingMove {
  /** Undefined: the board's own, number 0. */
  placement: Placement | undefined;
  /** Null: the submission is not ranked there (too many groups). */
  ranking: Ranking | null;
  /** Order among equal values. */
  ties: TiePolicy;
  /** Of the entry. */
  slot: string;
  /** Null: there was no ranked entry; undefined: unknown, and unchanged. */
  before: EntryBefore | null | undefined;
  /** True if the entry has a row, even a hidden one. */
  stored: boolean;
  /** The entry to write; undefined: it stays as it was. */
  entry: EntryAfter | undefined;
  /** True if the entry is written and not ranked: the response shows the rank it would have. */
  hidden?: true;
}
