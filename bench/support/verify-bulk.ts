import { uuidOf } from '../../src/base/ids.js';
import { rankOfKey } from '../../src/rankings/read.js';
import { verifyBoard } from '../../src/rankings/upkeep/verify.js';
import type { BuiltBoard } from './bulk-board.js';
import { inSession } from './bulk-session.js';
import { KIND } from './bulk-sql.js';
import type { ScratchDatabase } from './scratch.js';

/**
 * Up to this size, every range of the tree is counted; on larger boards, a sample of ranks is compared with
 * row_number().
 */
const WHOLE = 100_000;
const SAMPLE = 500;

/** Players whose entries and states are derived again from their events, which must change nothing. */
const REDERIVED = 200;

const RANKS = `
  select r.seq, r.rank_key, r.rank from (
    select seq, rank_key, row_number() over (order by rank_key, seq) as rank
    from entries where board_id = $1 and generation = 1 and not is_test and ranked) r
  where r.seq = any($2::bigint[])`;

/** @throws Error if a board built in bulk is not what submissions would have made */
export async function verifyBulk(made: ScratchDatabase, board: BuiltBoard): Promise<void> {
  const database = made.open();
  const id = uuidOf(board.id);
  const some = (n: number) => Array.from({ length: n }, () => 1 + Math.floor(Math.random() * board.entries));

  if (board.entries <= WHOLE) {
    const faults = await verifyBoard(database, board.id);
    if (faults.length > 0) throw new Error(`The board is not right: ${faults[0]!.sentence}`);
  } else {
    const { rows } = await inSession(made, (client) =>
      client.query<{ seq: number; rank_key: number; rank: number }>(RANKS, [id, some(SAMPLE)]),
    );
    if (rows.length === 0) throw new Error('The board is not right: it has no entries');
    for (const { seq, rank_key: rankKey, rank: counted } of rows) {
      const rank = await rankOfKey(database.pool, board.id, false, { rankKey, seq });
      if (rank !== counted) throw new Error(`The board is not right: rank ${counted} is ${rank} by the tree`);
    }
  }

  const { rows: identities } = await database.pool.query<{ id: string }>(
    `select bench.uuid_of(${KIND.identity}, i) as id from unnest($1::bigint[]) i`,
    [some(REDERIVED)],
  );
  const rederived = await database.pool.query<{ changed: number }>(
    'select rederive(board_id, $2::uuid[], $3) as changed from board_rankings where board_id = $1',
    [id, identities.map((row) => row.id), new Date()],
  );
  const changed = rederived.rows[0]?.changed ?? 0;
  if (changed > 0) throw new Error(`The board is not right: re-deriving it changed ${changed} rows`);
  await made.close();
}
