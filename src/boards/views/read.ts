import { idOf, uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import type { LoaderSpec } from '../../graphql/loader.js';
import type { ViewRow } from './rows.js';
import { BoardView, progressOf } from './view.js';

const OF_BOARDS = `select *, epoch::text as epoch from board_views
  where board_id = any(?::uuid[]) and status <> 'dropping' order by board_id, view_no`;

/** Rows of a board's views that are not being dropped, by the board's id, in the order of their declaration. */
export const viewRowsOfBoard: LoaderSpec<ViewRow[]> = {
  batch: async (boardIds, db) => {
    const { rows } = await runStatement<ViewRow>(db, OF_BOARDS, [boardIds.map(uuidOf)]);
    const found = new Map<string, ViewRow[]>(boardIds.map((id) => [id, []]));
    for (const row of rows) found.get(idOf('board', row.board_id))?.push(row);
    return found;
  },
};

export function viewOf(row: ViewRow): BoardView {
  const { period, every_days, epoch, seasons } = row;
  const isNamed = period !== null && period !== 'every' && period !== 'seasons';
  return Object.assign(new BoardView(), {
    name: row.name,
    period: isNamed ? period : null,
    every: period === 'every' ? { every: every_days!, unit: 'day' as const, from: epoch! } : null,
    seasons:
      period === 'seasons'
        ? (seasons ?? []).map(({ name, startsAt, endsAt }) => ({
            name,
            startsAt: new Date(startsAt),
            endsAt: new Date(endsAt),
          }))
        : null,
    by: row.by_tags,
    tiePolicy: row.tie_policy,
    keepPeriods: row.keep_periods,
    keepPodium: row.keep_podium,
    since: row.since,
    status: row.status === 'building' ? ('building' as const) : ('live' as const),
    progress: row.status === 'building' ? progressOf(row.build) : null,
    boardId: idOf('board', row.board_id),
    viewNo: row.view_no,
  });
}
