import { idOf, uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import type { Database } from '../../src/db/pool.js';
import { NameWorker } from '../../src/rankings/upkeep/names.js';
import { verifyBoard } from '../../src/rankings/upkeep/verify.js';
import { expectDenseRanks } from './dense-ranks.js';
import { rederiveAll } from './rederive.js';

const DUE = `
  select d.identity_id from renames_due d
  where exists (select from states s where s.board_id = ? and s.is_test in (false, true) and s.identity_id = d.identity_id)
  order by 1`;

/**
 * Boards follow renames in the background, within ten seconds. This runs the pending pass for each player on this
 * board, so that any remaining difference is a fault.
 */
async function followRenames(db: Database, boardId: string): Promise<void> {
  const { rows } = await db.knex.raw<{ rows: { identity_id: string }[] }>(DUE, [uuidOf(boardId)]);
  const worker = new NameWorker(db, Date.now, makeLog('silent'), () => undefined);
  for (const { identity_id } of rows) await worker.follow(idOf('identity', identity_id));
}

/**
 * Everything a board shows of its entries once all renames are applied, for both populations, in board order with
 * ranks: equal texts mean equal boards. Of equal ratios the order alone: the room between their numbers depends on who came when.
 */
export async function boardText(db: Database, boardId: string): Promise<string[]> {
  await followRenames(db, boardId);
  const { rows } = await db.knex.raw<{ rows: { line: string }[] }>(
    `select concat_ws(' ', e.is_test, row_number() over (partition by e.is_test, e.ranked order by e.rank_key, e.seq), coalesce(r.rank, 1),
       e.id, e.slot, e.identity_id, e.event_seq, e.value, e.rank_key, case b.board_type when 'ratio' then 0
         else e.seq end, e.ranked, e.status, e.player_name, e.value_display, e.metadata,
       e.created_at, e.updated_at) as line
     from entries e join board_rankings b on b.board_id = e.board_id and b.generation = e.generation
     left join lateral rank_of(e.board_id, e.generation, e.is_test, e.rank_key, e.seq) r on true
     where e.board_id = ? order by e.is_test, e.rank_key, e.seq`,
    [uuidOf(boardId)],
  );
  return rows.map((row) => row.line);
}

/**
 * Expects that nothing is wrong with the board: tree, entries, events, states, deletions; and that re-deriving
 * changes nothing once all renames are applied.
 */
export async function expectSound(db: Database, boardId: string): Promise<void> {
  await followRenames(db, boardId);
  expect(await verifyBoard(db, boardId)).toEqual([]);
  await expectDenseRanks(db, boardId);
  expect(await rederiveAll(db, boardId, new Date())).toBe(0);
}
