import type { TiePolicy } from '../board/tie-policy.js';
import type { NamedPeriod } from './named-period.js';

type ViewStatus = 'building' | 'live' | 'dropping';
export type ViewPeriodKind = NamedPeriod | 'every' | 'seasons';
export type RankingStatus = 'building' | 'live' | 'dropped';

/** How far a build of rankings is (migrations/functions/8_steps.sql). */
type BuildPhase = 'entries' | 'tree' | 'news' | 'follow' | 'states';

/** Progress of a view's build; `done` and `all` are players. */
export interface ViewBuild {
  phase: BuildPhase;
  /** The last player whose entries are already written, a bare uuid. */
  after: string;
  done: number;
  all: number;
  /** Number of the board's sequence up to which events and rulings are in it. */
  seq: number;
}

/** A row of board_views. Uuids are bare. */
export interface ViewRow {
  board_id: string;
  view_no: number;
  name: string;
  /** Null: all time. */
  period: ViewPeriodKind | null;
  every_days: number | null;
  /** A local date, `2026-01-05`. */
  epoch: string | null;
  seasons: { name: string; startsAt: string; endsAt: string }[] | null;
  /** `country`, `platform`, dimensions of the board. */
  by_tags: string[];
  time_zone: string | null;
  week_start: string | null;
  day_start: string | null;
  tie_policy: TiePolicy;
  keep_periods: number | null;
  keep_podium: number;
  most_groups: number;
  since: Date | null;
  status: ViewStatus;
  build: ViewBuild | null;
  created_at: Date;
  updated_at: Date;
}

/** A row of view_periods: starts_at <= t < ends_at. */
export interface PeriodRow {
  board_id: string;
  view_no: number;
  /** Positive, ascending with time. */
  number: number;
  /** `2026-11-23`, `2026-W48`, `2026-11`, `2026-Q4`, `2026`, `#37`, the name of a season. */
  key: string;
  starts_at: Date;
  ends_at: Date;
}

/** A place of a dropped ranking's podium. */
export interface PodiumPlace {
  rank: number;
  identityId: string;
  playerName: string;
  value: number;
  valueDisplay: string | null;
  scoreId: string;
}
