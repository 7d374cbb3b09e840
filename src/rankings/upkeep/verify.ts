import { idOf, NIL_UUID, uuidOf } from '../../base/ids.js';
import type { Database } from '../../db/pool.js';
import { valuesGeneration } from '../order.js';

/** A fault in a board's ranking, as a sentence. */
interface RankFault {
  boardId: string;
  isTest: boolean;
  sentence: string;
}

/**
 * Checks on a live database that rankings match their events, or the rankings of their sources: for each ranking,
 * starting with the board's own, the counted tree, dense ranks and entries; then players' entries across them,
 * states, flags, tags, names and deletions; then cohorts of leagues. Part by part, so that no statement takes long.
 * @returns the faults; empty when every rank is right.
 */
export async function verifyBoard(db: Database, boardId: string): Promise<RankFault[]> {
  const board = uuidOf(boardId);
  const { rows } = await db.pool.query<Ranking>(RANKINGS, [board]);
  if (rows.length === 0) return [{ boardId, isTest: false, sentence: 'the board has no ranking' }];
  const faults: RankFault[] = [];
  for (const ranking of rows) {
    for (const isTest of [false, true]) {
      for await (const sentence of rankingFaults(db, board, ranking, isTest)) {
        faults.push({ boardId, isTest, sentence: `${nameOf(ranking)}${sentence}` });
      }
    }
  }
  for (const part of OF_PLAYERS) {
    for await (const sentence of parts(db, part, [board])) faults.push({ boardId, isTest: false, sentence });
  }
  for (const text of OF_BOARD) {
    for (const sentence of await once(db, text, [board])) faults.push({ boardId, isTest: false, sentence });
  }
  for await (const sentence of leagues(db, board)) faults.push({ boardId, isTest: false, sentence });
  return faults;
}

interface Ranking {
  ranking_no: number;
  generation: number;
  /** Null: the board's own. */
  name: string | null;
  period_number: number;
  group_key: string;
  dense: boolean;
  is_ratio: boolean;
}

const RANKINGS = `
  select k.ranking_no, k.generation, v.name, k.period_number, k.group_key,
    coalesce(v.tie_policy, b.tie_policy) = 'dense' as dense, b.board_type = 'ratio' as is_ratio
  from board_rankings b
  join rankings k on k.board_id = b.board_id and k.status = 'live'
  left join board_views v on v.board_id = k.board_id and v.view_no = k.view_no
  where b.board_id = $1 and (k.view_no = 0 or v.status = 'live') order by k.ranking_no desc`;

function nameOf({ ranking_no, name, period_number, group_key }: Ranking): string {
  if (name === null) return '';
  return `view ${name}, ranking ${ranking_no} (${[period_number, group_key].filter(Boolean).join(' ')}): `;
}

/** Its first two values are the last id of the previous part, and the size of the part. */
interface Part {
  name: string;
  text: string;
  /** Entries or players of one statement, at most. */
  most: number;
}

/** @param of parameters of the function that say what it compares */
function partOf(name: string, most: number, of = '$3'): Part {
  return { name, text: `select upto, faults from ${name}(${of}, $1, $2)`, most };
}

const OF_EVENTS = partOf('verify_ranking', 10_000, '$3, $4, $5');
const OF_RATIOS = partOf('verify_ratio_ranking', 10_000, '$3, $4, $5');
/** Boards have rows for one or the other of the first two. */
const OF_PLAYERS = [
  partOf('verify_views', 2_000),
  partOf('verify_ratios', 2_000),
  partOf('verify_player_tags', 2_000),
  partOf('verify_names', 10_000),
];
const OF_BOARD = [
  'select verify_identities($1) as faults',
  'select verify_flags($1) as faults',
  'select verify_closings($1) as faults',
  'select verify_merges($1) as faults',
];
const OF_TREE = 'select verify_rank_top($1, $2, $3) as faults';

/** One ranking: its tree and entries, for dense ranks also those of values, and that its entries belong there. */
async function* rankingFaults(
  db: Database,
  board: string,
  { ranking_no, generation, dense, is_ratio }: Ranking,
  isTest: boolean,
): AsyncGenerator<string> {
  for (const number of dense ? [generation, valuesGeneration(generation)] : [generation]) {
    yield* await once(db, OF_TREE, [board, number, isTest]);
    yield* ranges(db, board, number, isTest);
  }
  if (dense) yield* values(db, board, generation, isTest);
  yield* parts(db, is_ratio ? OF_RATIOS : OF_EVENTS, [board, ranking_no, isTest]);
}

async function once(db: Database, text: string, values: unknown[]): Promise<string[]> {
  return (await db.pool.query<{ faults: string[] }>(text, values)).rows[0]!.faults;
}

/** The error of a statement that timed out. */
const CANCELED = '57014';
/**
 * Milliseconds. Parts grow while a statement takes less, and shrink if it takes twice as long, because some players
 * have long histories.
 */
const SHORT_MS = 200;

/** The faults of one part after another. */
async function* parts(db: Database, { name, text, most }: Part, values: unknown[]): AsyncGenerator<string> {
  let after: string | null = NIL_UUID;
  let size = Math.ceil(most / 20);
  while (after !== null) {
    const started = performance.now();
    let result: { rows: { upto: string | null; faults: string[] }[] };
    try {
      result = await db.pool.query({ name, text, values: [after, size, ...values] });
    } catch (error) {
      if ((error as { code?: string }).code !== CANCELED || size === 1) throw error;
      size = Math.ceil(size / 2);
      continue;
    }
    yield* result.rows[0]!.faults;
    after = result.rows[0]!.upto;
    const took = performance.now() - started;
    if (took < SHORT_MS) size = Math.min(most, 2 * size);
    else if (took > 2 * SHORT_MS) size = Math.ceil(size / 2);
  }
}

async function* values(db: Database, board: string, generation: number, isTest: boolean) {
  let after: number | null = null;
  do {
    const { rows }: { rows: { upto: number | null; faults: string[] }[] } = await db.pool.query({
      name: 'verify_values',
      text: 'select upto, faults from verify_values($1, $2, $3, $4, 10000)',
      values: [board, generation, isTest, after],
    });
    yield* rows[0]!.faults;
    after = rows[0]!.upto;
  } while (after !== null);
}

/** Cohorts of one statement. */
const COHORTS = 500;

async function* leagues(db: Database, board: string) {
  let after: number[] | null = [0, 0, 0, 0, 0];
  do {
    const { rows }: { rows: { upto: number[] | null; faults: string[] }[] } = await db.pool.query({
      name: 'verify_leagues',
      text: 'select upto, faults from verify_leagues($1, $2, $3)',
      values: [board, after, COHORTS],
    });
    yield* rows[0]!.faults;
    after = rows[0]!.upto;
  } while (after !== null);
}

interface Range {
  next_key: number | null;
  next_seq: number | null;
  faults: string[];
}

/** One per run of the tree. */
async function* ranges(db: Database, board: string, generation: number, isTest: boolean) {
  let from: [number, number] = [-Infinity, 0];
  for (;;) {
    const { rows } = await db.pool.query<Range>({
      name: 'verify_rank_range',
      text: 'select * from verify_rank_range($1, $2, $3, $4, $5)',
      values: [board, generation, isTest, ...from],
    });
    const range = rows[0]!;
    yield* range.faults;
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
