import { idOf, uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import type { Database } from '../../src/db/pool.js';
import { NameWorker } from '../../src/scores/upkeep/names.js';

const DUE = `
  select d.identity_id from renames_due d
  where exists (select from states s where s.board_id = ? and s.is_test in (false, true) and s.identity_id = d.identity_id)
  order by 1`;

/**
 * Boards follow renames in the background, within ten seconds. This makes the pass over the boards of each player on this board that
 * is due, so that what differs afterwards is a fault.
 */
export async function followRenames(db: Database, boardId: string): Promise<void> {
  const { rows } = await db.knex.raw<{ rows: { identity_id: string }[] }>(DUE, [uuidOf(boardId)]);
  const worker = new NameWorker(db, Date.now, makeLog('silent'), () => undefined);
  for (const { identity_id } of rows) await worker.follow(idOf('identity', identity_id));
}
