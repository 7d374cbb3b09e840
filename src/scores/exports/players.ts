import type pg from 'pg';
import { idOf, NIL_UUID, uuidOf } from '../../base/ids.js';
import { CHUNK_ROWS, type ExportSource, seqOf } from './source.js';

const COLUMNS = [
  'board_id',
  'is_test',
  'identity_id',
  'identity_kind',
  'external_key',
  'player_name',
  'trust_tier',
  'created_at',
  'updated_at',
] as const;

/** Players are those with a submission to the board; lists don't show deleted ones either. */
const CHUNK = {
  name: 'export_players',
  text: `
    select s.identity_id, i.kind, i.external_key, i.display_name, i.trust_tier, i.created_at, i.updated_at, i.deleted_at
    from (select x.identity_id from states x
      where x.board_id = $1::uuid and x.is_test = $2::boolean and x.identity_id > $3::uuid
      order by x.identity_id limit $4::integer) s
    left join lateral (select * from identities x where x.id = s.identity_id limit 1) i on true
    order by s.identity_id`,
};

interface PlayerLine {
  identity_id: string;
  kind: string | null;
  external_key: string;
  display_name: string;
  trust_tier: string | null;
  created_at: Date;
  updated_at: Date;
  deleted_at: Date | null;
}

export const playerSource: ExportSource = {
  columns: COLUMNS,
  async *rows(pool: pg.Pool, { boardId: id }, _measure, keyFor) {
    const boardId = uuidOf(id);
    const seq = await seqOf(pool, boardId);
    for (const isTest of [false, true]) {
      for (let after: string | undefined = NIL_UUID; after !== undefined; ) {
        const { rows }: { rows: PlayerLine[] } = await pool.query<PlayerLine>({
          ...CHUNK,
          values: [boardId, isTest, after, CHUNK_ROWS],
        });
        const live = rows.filter(({ kind, deleted_at: deletedAt }) => kind !== null && deletedAt === null);
        yield live.map((row) => [
          idOf('board', boardId),
          isTest,
          idOf('identity', row.identity_id),
          row.kind,
          keyFor(row.kind, row.external_key),
          row.display_name,
          row.trust_tier,
          row.created_at,
          row.updated_at,
        ]);
        after = rows.length < CHUNK_ROWS ? undefined : rows.at(-1)!.identity_id;
      }
    }
    return seq;
  },
};
