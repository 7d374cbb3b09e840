import { idOf, uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import type { LoaderSpec } from '../../graphql/loader.js';
import { seasonDates } from './calendar.js';
import type { Dimension } from './dimension.js';
import type { ViewRow } from './rows.js';
import { BoardView, progressOf } from './view.js';

const OF_BOARDS = `select *, epoch::text as epoch from board_views
  where board_id = any(?::uuid[]) and status <> 'dropping' order by board_id, view_no`;

/** Rows of a board's views that are not being dropped, by the board's id, in the order of their declaration. */
export const viewRowsOfBoard: LoaderSpec<ViewRow[]> = {
  batch: async (boardIds, db) => {
    const { rows } = await runStatement<ViewRow>(db, OF_BOARDS, [boardIds.map(uuidOf)]);
    const viewsOf = new Map<string, ViewRow[]>(boardIds.map((id) => [id, []]));
    for (const row of rows) viewsOf.get(idOf('board', row.board_id))?.push(row);
    return viewsOf;
  },
};

const OF_SOURCES = `select c.board_id, b.dimensions from ratio_configs c
  join boards b on b.id in (c.numerator_board_id, c.denominator_board_id)
  where c.board_id = any(?::uuid[])`;

/**
 * Tags that both sources of a ratio board declare, or one of them, by the ratio board's id: with the values that all
 * who declare some have.
 */
export const tagsOfSources: LoaderSpec<Pick<Dimension, 'name' | 'values'>[]> = {
  batch: async (boardIds, db) => {
    const { rows } = await runStatement<{ board_id: string; dimensions: Dimension[] }>(db, OF_SOURCES, [
      boardIds.map(uuidOf),
    ]);
    const tagsOf = new Map<string, Map<string, string[] | null>>();
    for (const { board_id, dimensions } of rows) {
      const tags = tagsOf.get(board_id) ?? new Map<string, string[] | null>();
      tagsOf.set(board_id, tags);
      for (const { name, values } of dimensions) {
        const before = tags.get(name) ?? null;
        tags.set(
          name,
          before && values ? values.filter((value) => before.includes(value)) : (before ?? values),
        );
      }
    }
    return new Map(
      [...tagsOf].map(([id, tags]) => [
        idOf('board', id),
        [...tags].map(([name, values]) => ({ name, values })),
      ]),
    );
  },
};

export function viewOf(row: ViewRow): BoardView {
  const { period, every_days, epoch, seasons } = row;
  const isNamed = period !== null && period !== 'every' && period !== 'seasons';
  return Object.assign(new BoardView(), {
    name: row.name,
    period: isNamed ? period : null,
    every: period === 'every' ? { every: every_days!, unit: 'day' as const, from: epoch! } : null,
    seasons: period === 'seasons' ? seasonDates(seasons ?? []) : null,
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
