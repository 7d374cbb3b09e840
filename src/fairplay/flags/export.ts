import type pg from 'pg';
import { NIL_UUID, uuidOf } from '../../base/ids.js';
import { ofShownPlayer } from '../../players/read.js';
import { CHUNK_ROWS, type ExportSource, seqOf } from '../../scores/exports/source.js';
import { flagOf, type ShownFlagRow, WITH_BOARD } from './flag.js';

const COLUMNS = [
  'board_id',
  'flag_id',
  'is_test',
  'identity_id',
  'score_event_id',
  'flag_type',
  'confidence',
  'status',
  'explanation',
  'metadata',
  'compared_event_ids',
  'reviewed_at',
  'reviewer_id',
  'reviewer_decision',
  'created_at',
  'updated_at',
] as const;

const CHUNK = {
  name: 'export_flags',
  text: `
    select ${WITH_BOARD}, ${ofShownPlayer('f')} as shown from score_flags f
    where f.board_id = $1::uuid and (f.event_seq, f.id) > ($2::bigint, $3::uuid)
    order by f.event_seq, f.id limit $4::integer`,
};

/** Flags in the order of the flagged events; deleted ones and those of deleted players are left out, as lists do. */
export const flagSource: ExportSource = {
  columns: COLUMNS,
  async *rows(pool: pg.Pool, { boardId: id }) {
    const boardId = uuidOf(id);
    const seq = await seqOf(pool, boardId);
    let after: [number, string] = [-1, NIL_UUID];
    for (;;) {
      const { rows } = await pool.query<ShownFlagRow & { shown: boolean }>({
        ...CHUNK,
        values: [boardId, ...after, CHUNK_ROWS],
      });
      const live = rows.filter(({ deleted_at: deletedAt, shown }) => deletedAt === null && shown);
      yield live
        .map(flagOf)
        .map((flag) => [
          flag.boardId,
          flag.id,
          flag.isTest,
          flag.identityId,
          flag.scoreEventId,
          flag.flagType,
          flag.confidence,
          flag.status,
          flag.explanation,
          flag.metadata,
          flag.comparedEventIds,
          flag.reviewedAt,
          flag.reviewerId,
          flag.reviewerDecision,
          flag.createdAt,
          flag.updatedAt,
        ]);
      if (rows.length < CHUNK_ROWS) return seq;
      const last = rows.at(-1)!;
      after = [last.event_seq, last.id];
    }
  },
};
