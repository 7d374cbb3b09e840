import { DomainError } from '../../src/base/errors.js';
import { uuidOf } from '../../src/base/ids.js';
import type { Database } from '../../src/db/pool.js';
import type { Result } from '../../src/submissions/decide/batch.js';

/** A response without the members that differ between two boards. */
export function comparable(result: Result): object {
  if (result instanceof DomainError) return { code: result.code };
  const { score, kept, previousRank, replayed } = result;
  const { id: _, boardId, scoreEventId, deviceId, ...shown } = score;
  return { ...shown, kept, previousRank, replayed };
}

/** For records of a player. */
const ORDERS: Record<string, string> = { states: 'updated_at', score_flags: 'event_seq, flag_type' };

/** Events, states, entries and flags without the ids that differ between two boards. */
export async function contents(db: Database, boardId: string): Promise<unknown[]> {
  const tables = {
    score_events:
      'seq, identity_id, device_id, is_test, amount, player_name, metadata, disposition, replaced_key, replaced_seq, created_at',
    states:
      'is_test, identity_id, device_id, submission_count, accepted_count, last_value, best_value, value, rejected_at, updated_at',
    entries:
      'is_test, identity_id, event_seq, value, rank_key, seq, ranked, status, player_name, metadata, created_at, updated_at',
    score_flags: 'event_seq, is_test, identity_id, flag_type, confidence, status, metadata',
  };
  return Promise.all(
    Object.entries(tables).map(async ([table, columns]) => {
      const { rows } = await db.pool.query(
        `select ${columns} from ${table} where board_id = $1 order by is_test, identity_id, ${ORDERS[table] ?? 'seq'}`,
        [uuidOf(boardId)],
      );
      return rows;
    }),
  );
}
