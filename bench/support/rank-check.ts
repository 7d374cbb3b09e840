import type { PoolClient } from 'pg';
import { idOf, uuidOf } from '../../src/base/ids.js';
import { scoresById } from '../../src/rankings/read.js';
import { KIND } from './bulk-sql.js';
import { HttpConnection } from './http-connection.js';
import type { HttpData } from './http-data.js';
import { pick } from './keys.js';
import type { RankedScore, ReadScores } from './requests.js';
import { readTraffic, type Traffic } from './traffic.js';

/** How many ranks were compared, and how many of them differ from row_number(). */
export interface Checked {
  ranks: number;
  wrong: number;
}

/** The three checks of a case. */
export interface Checks {
  /** The service's own statement, while the case runs. */
  snapshot: Checked;
  /** Responses while others write. */
  meanwhile: Checked;
  /** Responses after the last write. */
  after: Checked;
}

export function sumOf({ snapshot, meanwhile, after }: Checks): Checked {
  const all = [snapshot, meanwhile, after];
  const sum = (of: keyof Checked) => all.reduce((total, checked) => total + checked[of], 0);
  return { ranks: sum('ranks'), wrong: sum('wrong') };
}

const SAMPLE = 500;
const BOARDS = 50;

const SOME = `
  select e.id, e.board_id from entries e join board_rankings b on b.board_id = e.board_id and b.generation = e.generation
  where e.board_id = $1 and not e.is_test and e.ranked and e.slot = any(
    select bench.uuid_of(${KIND.identity}, 1 + floor(random() * $2)::bigint) from generate_series(1, $3::int))`;

const COUNTED = `
  select r.id, r.rank from (
    select e.id, row_number() over (order by e.rank_key, e.seq) as rank
    from entries e
    where e.board_id = $1 and e.generation = (select generation from board_rankings where board_id = $1)
      and not e.is_test and e.ranked) r
  where r.id = any($2::uuid[])`;

/**
 * 500 random ranks as the service's own statement returns them, and as row_number() counts them, in one snapshot:
 * while submissions continue, both must agree in each snapshot.
 */
export async function checkSnapshot(data: HttpData): Promise<Checked> {
  const boards = pick(data.boardIds, BOARDS);
  const each = Math.ceil(SAMPLE / boards.length);
  return inSnapshot(data, async (client) => {
    let [ranks, wrong] = [0, 0];
    for (const board of boards) {
      const { rows } = await client.query<{ id: string }>(SOME, [uuidOf(board), data.entries, each]);
      const ids = rows.map(({ id }) => idOf('score', id));
      const [shown, counted] = [
        await scoresById(client, ids),
        await countedRanks(client, uuidOf(board), ids),
      ];
      ranks += ids.length;
      wrong += ids.filter((id) => shown.get(id)?.rank !== counted.get(id)).length;
    }
    return { ranks, wrong };
  });
}

export interface RankRequests {
  port: number;
  traffic: Traffic;
  scores: ReadScores;
  /** How many requests to send; absent: until 500 ranks have arrived. */
  most?: number;
}

/** Ranks as shown in responses while nothing is written. */
export async function checkAnswers(
  data: HttpData,
  { port, traffic, scores, most = SAMPLE }: RankRequests,
): Promise<Checked> {
  const connection = await HttpConnection.open(port);
  const shown: RankedScore[] = [];
  for (const request of pick(readTraffic(traffic), most)) {
    const { status, body } = await connection.request(request);
    if (status !== 200)
      throw new Error(`A request for a rank was not answered with one: ${status} ${body.toString()}`);
    shown.push(...scores(body.toString()));
    if (shown.length >= SAMPLE) break;
  }
  connection.close();
  return inSnapshot(data, async (client) => {
    const ids = [...new Set(shown.map(({ id }) => id))];
    const { rows } = await client.query<{ board_id: string }>(
      'select distinct board_id from entries where id = any($1::uuid[])',
      [ids.map(uuidOf)],
    );
    const counted = new Map<string, number>();
    for (const { board_id: board } of rows) {
      for (const [id, rank] of await countedRanks(client, board, ids)) counted.set(id, rank);
    }
    return { ranks: shown.length, wrong: shown.filter(({ id, rank }) => counted.get(id) !== rank).length };
  });
}

/** By id. @param board bare uuid */
async function countedRanks(client: PoolClient, board: string, ids: string[]): Promise<Map<string, number>> {
  // Sessions of the pool don't allow this, which is right for everything except counting a whole board.
  await client.query('set local enable_seqscan = on');
  const { rows } = await client.query<{ id: string; rank: number }>(COUNTED, [board, ids.map(uuidOf)]);
  return new Map(rows.map(({ id, rank }) => [idOf('score', id), rank]));
}

async function inSnapshot<T>(data: HttpData, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const { pool } = data.made.open({ records: 1, scores: 1 });
  const client = await pool.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    // Counting ten million rows takes longer than any request may.
    await client.query(`set local statement_timeout = 0; set local work_mem = '256MB'`);
    return await work(client);
  } finally {
    await client.query('rollback');
    client.release();
    await data.made.close();
  }
}
