import { uuidOf } from '../../src/base/ids.js';
import type { Database } from '../../src/db/pool.js';

const DAY = 86_400_000;

interface BenchView {
  name: string;
  period: string | null;
  /** Length of a period. */
  days: number;
  by: readonly string[];
}

/** The views of a board with this many. */
export const VIEWS: readonly BenchView[] = [
  { name: 'week', period: 'week', days: 7, by: [] },
  { name: 'day', period: 'day', days: 1, by: [] },
  { name: 'month', period: 'month', days: 30, by: [] },
  { name: 'country', period: null, days: 0, by: ['country'] },
  { name: 'quarter', period: 'quarter', days: 90, by: [] },
  { name: 'weekly_country', period: 'week', days: 7, by: ['country'] },
];

/** Declares another view of a board, with periods around the present, to be built. @param id of the board */
export async function declareView({ knex }: Database, id: string, view: BenchView): Promise<void> {
  const board_id = uuidOf(id);
  const { name, period, days, by } = view;
  const now = new Date();
  await knex.transaction(async (trx) => {
    const [row] = await trx('board_rankings')
      .where({ board_id })
      .update({ newest_view: trx.raw('newest_view + 1'), version: trx.raw('version + 1') })
      .returning('newest_view');
    const view_no = row.newest_view;
    const stamps = { created_at: now, updated_at: now };
    const rule = { name, period, by_tags: [...by], status: 'building' };
    await trx('board_views').insert({ board_id, view_no, ...rule, ...stamps });
    if (period === null) return;
    // Wider than the run on both sides, so that no period ends in the middle of a slice.
    const rows = [-1, 0, 1, 2].map((n) => ({
      ...{ board_id, view_no, number: n + 2, key: `${n}` },
      starts_at: new Date(now.getTime() + (n - 0.75) * days * DAY),
      ends_at: new Date(now.getTime() + (n + 0.25) * days * DAY),
    }));
    await trx('view_periods').insert(rows);
  });
}
