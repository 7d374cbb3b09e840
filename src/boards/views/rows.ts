import type { Knex } from 'knex';
import { uuidOf } from '../../base/ids.js';
import { notePart } from '../../db/audit.js';
import { runStatement } from '../../db/pool.js';
import type { BareRow } from '../../db/row.js';
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

const VIEWS = `select *, epoch::text as epoch from board_views where board_id = ? and status <> 'dropping' order by view_no`;

const DROP = `update board_views set status = 'dropping', build = null, updated_at = ? where board_id = ? and view_no = any(?::integer[])`;

/** The views of a board that are not being dropped, in the order of their declaration. @param boardId bare uuid */
export async function storedViews(db: Knex, boardId: string): Promise<ViewRow[]> {
  const { rows } = await runStatement<ViewRow>(db, VIEWS, [boardId]);
  return rows;
}

/** Drops views under the lock of the board's record; their rankings are removed in the background. */
export async function dropViews(
  trx: Knex.Transaction,
  { id }: BareRow & { id: string },
  views: readonly Pick<ViewRow, 'view_no'>[],
  now: Date,
): Promise<void> {
  await runStatement(trx, DROP, [now, uuidOf(id), views.map(({ view_no }) => view_no)]);
}

/** Notes the board's views as they are now. @param before as they were; null: the board is new */
export async function noteViews(
  trx: Knex.Transaction,
  board: BareRow & { id: string },
  before: ViewRow[] | null,
): Promise<void> {
  const after = await storedViews(trx, uuidOf(board.id));
  notePart(trx, board, 'views', before && shownViews(before), shownViews(after));
}

/** Views as the audit trail shows them. */
function shownViews(rows: readonly ViewRow[]) {
  return rows.map((row) => ({
    name: row.name,
    by: row.by_tags,
    period: row.period,
    ...(row.every_days !== null && { every: row.every_days, from: row.epoch }),
    ...(row.seasons && { seasons: row.seasons }),
    tiePolicy: row.tie_policy,
    keepPeriods: row.keep_periods,
    keepPodium: row.keep_podium,
    mostGroups: row.most_groups,
  }));
}
