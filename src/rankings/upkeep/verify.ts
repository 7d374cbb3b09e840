import { idOf, NIL_UUID, uuidOf } from '../../base/ids.js';
import type { Database } from '../../db/pool.js';
import { valuesGeneration } from '../order.js';

/** A fault in a board's ranking, as a sentence. */
interface RankFault {
  boardId: string;
  isTest: boolean;
  sentence: string;
}

interface Range {
  next_key: number | null;
  next_seq: number | null;
  entries_seen: number;
  faults: string[];
}

/**
 * Checks that a board's counted tree, entries, events, states, flags and the deletions of its players agree, range by range
 * (some ten thousand entries per statement), on a live database. Source of the rules: migrations/006_verify.sql,
 * 007_removals.sql, 013_ratios.sql and 019_review.sql.
 * @returns the faults; empty when every rank is right.
 */
export async function verifyBoard(db: Database, boardId: string): Promise<RankFault[]> {
  const board = uuidOf(boardId);
  const { rows } = await db.pool.query<{ generation: number; board_type: string; tie_policy: string }>(
    'select generation, board_type, tie_policy from board_rankings where board_id = $1',
    [board],
  );
  const generation = rows[0]?.generation;
  if (generation === undefined) return [{ boardId, isTest: false, sentence: 'the board has no ranking row' }];
  const faults: RankFault[] = [];
  for (const isTest of [false, true]) {
    const sentences = await rankingFaults(db, board, generation, isTest, rows[0]!.tie_policy);
    faults.push(...sentences.map((sentence) => ({ boardId, isTest, sentence })));
  }
  const players = await db.pool.query<{ faults: string[] }>('select verify_identities($1) as faults', [
    board,
  ]);
  faults.push(...players.rows[0]!.faults.map((sentence) => ({ boardId, isTest: false, sentence })));
  const flags = await db.pool.query<{ faults: string[] }>('select verify_flags($1) as faults', [board]);
  faults.push(...flags.rows[0]!.faults.map((sentence) => ({ boardId, isTest: false, sentence })));
  for (const part of [OF_RATIO_PLAYERS, OF_PLAYER_TAGS, OF_NAMES]) {
    for await (const sentence of parts(db, part, [board])) faults.push({ boardId, isTest: false, sentence });
  }
  const verifies = rows[0]!.board_type === 'ratio' ? OF_RATIOS : OF_EVENTS;
  for await (const fault of viewFaults(db, board, verifies)) faults.push({ boardId, ...fault });
  return faults;
}

const RANKINGS = `
  select r.ranking_no, r.generation, v.name, v.tie_policy, r.period_number, r.group_key
  from board_views v join rankings r on r.board_id = v.board_id and r.view_no = v.view_no and r.status = 'live'
  where v.board_id = $1 and v.status = 'live' order by r.ranking_no desc`;

/** Its first two values are the id that the part before ended with, and the size of the part. */
interface Part {
  name: string;
  text: string;
  /** Entries or players of one statement. */
  most: number;
}

/** @param of parameters of the function that name what it compares */
function partOf(name: string, most: number, of = '$3'): Part {
  return { name, text: `select upto, faults from ${name}(${of}, $1, $2)`, most };
}

// Boards of other types have none.
const OF_RATIO_PLAYERS = partOf('verify_ratios', 2_000);
/** Reads all their events. */
const OF_PLAYER_TAGS = partOf('verify_player_tags', 500);
const OF_NAMES = partOf('verify_names', 10_000);

/** Functions that compare the rankings of views with what they are made of. */
interface Verifies {
  ranking: Part;
  players: Part | undefined;
}

const OF_EVENTS: Verifies = {
  ranking: partOf('verify_ranking', 10_000, '$3, $4, $5'),
  players: partOf('verify_views', 500),
};
const OF_RATIOS: Verifies = {
  ranking: partOf('verify_ratio_ranking', 10_000, '$3, $4, $5'),
  players: undefined,
};

interface RankingOfView {
  ranking_no: number;
  generation: number;
  name: string;
  tie_policy: string;
  period_number: number;
  group_key: string;
}

/** Of each ranking the tree and its entries; then each player's entries in all of them, some hundred players per statement. */
async function* viewFaults(db: Database, board: string, { ranking, players }: Verifies) {
  const { rows } = await db.pool.query<RankingOfView>(RANKINGS, [board]);
  for (const { ranking_no, generation, name, tie_policy, period_number, group_key } of rows) {
    const where = `view ${name}, ranking ${ranking_no} (${[period_number, group_key].filter(Boolean).join(' ')})`;
    for (const isTest of [false, true]) {
      const sentences = await rankingFaults(db, board, generation, isTest, tie_policy);
      for (const sentence of sentences) yield { isTest, sentence: `${where}: ${sentence}` };
      for await (const sentence of parts(db, ranking, [board, ranking_no, isTest]))
        yield { isTest, sentence };
    }
  }
  if (players === undefined) return;
  for await (const sentence of parts(db, players, [board])) yield { isTest: false, sentence };
}

/** The error of a statement that exceeded its time. */
const CANCELED = '57014';

/** The faults of one part after the other. Players with long histories need smaller parts. */
async function* parts(db: Database, { name, text, most }: Part, values: unknown[]): AsyncGenerator<string> {
  let after: string | null = NIL_UUID;
  let size = most;
  while (after !== null) {
    let found: { rows: { upto: string | null; faults: string[] }[] };
    try {
      found = await db.pool.query({ name, text, values: [after, size, ...values] });
    } catch (error) {
      if ((error as { code?: string }).code !== CANCELED || size === 1) throw error;
      size = Math.ceil(size / 2);
      continue;
    }
    yield* found.rows[0]!.faults;
    after = found.rows[0]!.upto;
  }
}

/** The tree and its entries; with dense ranks the values beside them, too. */
async function rankingFaults(
  db: Database,
  board: string,
  generation: number,
  isTest: boolean,
  tiePolicy: string,
): Promise<string[]> {
  const sentences: string[] = [];
  const numbers = tiePolicy === 'dense' ? [generation, valuesGeneration(generation)] : [generation];
  for (const number of numbers) {
    sentences.push(...(await topFaults(db, board, number, isTest)));
    for await (const range of ranges(db, board, number, isTest)) sentences.push(...range.faults);
  }
  if (tiePolicy !== 'dense') return sentences;
  let after: number | null = null;
  do {
    const { rows }: { rows: { upto: number | null; faults: string[] }[] } = await db.pool.query({
      name: 'verify_values',
      text: 'select upto, faults from verify_values($1, $2, $3, $4, 10000)',
      values: [board, generation, isTest, after],
    });
    sentences.push(...rows[0]!.faults);
    after = rows[0]!.upto;
  } while (after !== null);
  return sentences;
}

async function topFaults(db: Database, board: string, generation: number, isTest: boolean) {
  const { rows } = await db.pool.query<{ faults: string[] }>('select verify_rank_top($1, $2, $3) as faults', [
    board,
    generation,
    isTest,
  ]);
  return rows[0]!.faults;
}

async function* ranges(db: Database, board: string, generation: number, isTest: boolean) {
  let from: [number, number] = [-Infinity, 0];
  for (;;) {
    const { rows } = await db.pool.query<Range>({
      name: 'verify_rank_range',
      text: 'select * from verify_rank_range($1, $2, $3, $4, $5)',
      values: [board, generation, isTest, ...from],
    });
    const range = rows[0]!;
    yield range;
    if (range.next_key === null || range.next_seq === null) return;
    from = [range.next_key, range.next_seq];
  }
}

/** All boards of the database that have a ranking, oldest first. */
export async function* allBoards(db: Database): AsyncGenerator<string> {
  let after = NIL_UUID;
  for (;;) {
    const { rows } = await db.pool.query<{ board_id: string }>(
      'select board_id from board_rankings where board_id > $1 order by board_id limit 500',
      [after],
    );
    if (rows.length === 0) return;
    for (const row of rows) yield idOf('board', row.board_id);
    after = rows.at(-1)!.board_id;
  }
}
