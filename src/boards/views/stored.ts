import type { Knex } from 'knex';
import { uuidOf } from '../../base/ids.js';
import { notePart } from '../../db/audit.js';
import { runStatement } from '../../db/pool.js';
import type { Board } from '../board/board.js';
import type { ViewRow } from './rows.js';

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
  { id }: Board,
  views: readonly Pick<ViewRow, 'view_no'>[],
  now: Date,
): Promise<void> {
  await runStatement(trx, DROP, [now, uuidOf(id), views.map(({ view_no }) => view_no)]);
}

/** Notes the board's views as they are now. @param before as they were; null: the board is new */
export async function noteViews(
  trx: Knex.Transaction,
  board: Board,
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
