import type pg from 'pg';
import { idOf, NIL_UUID, uuidOf } from '../base/ids.js';
import { CHUNK_ROWS, type ExportSource, seqOf } from '../scores/exports/source.js';
import { valueTextOf } from '../scores/value-text.js';

const COLUMNS = [
  'board_id',
  'closing_id',
  'view',
  'period',
  'group',
  'is_test',
  'reason',
  'status',
  'ended_at',
  'frozen_at',
  'total_count',
  'open_flags',
  'held_runs',
  'rank',
  'display_rank',
  'identity_id',
  'player_name',
  'value',
  'value_display',
  'shown_value',
] as const;

/** One without places has one line. */
const CHUNK = {
  name: 'export_closings',
  text: `
    select c.id, c.view_name, c.period_key, c.group_key, c.is_test, c.reason, c.status, c.ended_at, c.frozen_at,
      c.entry_count, c.open_flags,
      c.held_runs, coalesce(p.rank, 0) as rank, p.display_rank, p.identity_id, p.player_name, p.value, p.value_display
    from closings c left join closing_places p on p.board_id = c.board_id and p.closing_id = c.id
    where c.board_id = $1::uuid and (c.id > $2::uuid or c.id = $2::uuid and p.rank > $3::integer)
    order by c.id, p.rank limit $4::integer`,
};

interface Line {
  id: string;
  view_name: string;
  period_key: string;
  group_key: string;
  is_test: boolean;
  reason: string;
  status: string;
  ended_at: Date;
  frozen_at: Date | null;
  entry_count: string | null;
  open_flags: number | null;
  held_runs: number | null;
  rank: number;
  display_rank: number | null;
  identity_id: string | null;
  player_name: string | null;
  value: number | null;
  value_display: string | null;
}

/** Closings with all their places. */
export const closingSource: ExportSource = {
  columns: COLUMNS,
  async *rows(pool: pg.Pool, { boardId: id }, measure) {
    const boardId = uuidOf(id);
    const seq = await seqOf(pool, boardId);
    let after: [string, number] = [NIL_UUID, 0];
    for (;;) {
      const { rows } = await pool.query<Line>({ ...CHUNK, values: [boardId, ...after, CHUNK_ROWS] });
      yield rows.map((row) => [
        id,
        idOf('closing', row.id),
        row.view_name || null,
        row.period_key || null,
        row.group_key || null,
        row.is_test,
        row.reason,
        row.status,
        row.ended_at,
        row.frozen_at,
        row.entry_count === null ? null : Number(row.entry_count),
        row.open_flags,
        row.held_runs,
        row.rank || null,
        row.display_rank,
        row.identity_id && idOf('identity', row.identity_id),
        row.player_name,
        row.value,
        row.value_display,
        row.value === null
          ? null
          : valueTextOf(measure, { value: row.value, valueDisplay: row.value_display }),
      ]);
      const last = rows.at(-1);
      if (!last || rows.length < CHUNK_ROWS) return seq;
      after = [last.id, last.rank];
    }
  },
};
