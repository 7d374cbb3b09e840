import { idOf, uuidOf } from '../base/ids.js';
import type { Queryable } from '../db/pool.js';
import { type RankingAddress } from './address.js';
import type { OrderKey } from './order.js';
import { manyRankings, readRankings } from './ranked.js';
import { ENTRY, type EntryValues, SHOWN_EVENT, scoreOf, sharesRanks } from './rows.js';
import type { Score } from './score.js';

interface RankedEntry {
  entry: EntryValues;
  /** Null if the board has no ranked entry yet. A rejected entry has the rank it would have if it counted. */
  rank: number | null;
  /** Null: the same. */
  display: number | null;
}

/**
 * True rank `r` of an entry `e`, and its display rank `d` if different: a second look-up on boards where equal
 * values share a rank.
 * @param tiePolicy an SQL expression
 */
export function rankOfEntry(tiePolicy = 'b.tie_policy'): string {
  return `left join lateral rank_of(e.board_id, e.generation, e.is_test, e.rank_key, e.seq) r on true
    cross join lateral (select case when ${sharesRanks(tiePolicy)}
      then shown_rank(e.board_id, e.generation, e.is_test, e.rank_key, ${tiePolicy}) end as rank) d`;
}

/** One id, the most frequent request: an array of ids would add a third to its cost. */
const BY_ID = {
  name: 'score_by_id',
  text: `
    select ${ENTRY} as entry, r.rank, d.rank as display
    from entries e
    join board_rankings b on b.board_id = e.board_id and b.generation = e.generation
    ${SHOWN_EVENT}
    ${rankOfEntry()}
    where e.id = $1::uuid and e.generation > 0`,
};

const BY_IDS = {
  name: 'scores_by_ids',
  text: `
    select ${ENTRY} as entry, r.rank, d.rank as display
    from unnest($1::uuid[]) u(id)
    cross join lateral (select x.* from entries x where x.id = u.id and x.generation > 0
      and x.generation = (select generation from board_rankings where board_id = x.board_id) limit 1) e
    cross join lateral (select tie_policy from board_rankings where board_id = e.board_id limit 1) b
    ${SHOWN_EVENT}
    ${rankOfEntry()}`,
};

const BY_KEYS = {
  name: 'scores_by_keys',
  text: `
    select ${ENTRY} as entry, r.rank, d.rank as display
    from unnest($1::uuid[], $2::int[], $3::boolean[], $4::uuid[]) with ordinality u(board_id, generation, is_test, slot, ord)
    cross join lateral (select x.* from entries x
      where x.board_id = u.board_id and x.generation = u.generation and x.is_test = u.is_test and x.slot = u.slot limit 1) e
    cross join lateral (select tie_policy from board_rankings where board_id = u.board_id limit 1) b
    ${SHOWN_EVENT}
    ${rankOfEntry()}
    order by u.ord`,
};

const BY_SLOT = {
  name: 'scores_by_slot',
  text: `
    select ${ENTRY} as entry, r.rank, d.rank as display
    from unnest($2::boolean[], $3::uuid[], $4::uuid[]) with ordinality u(is_test, identity_id, event_id, ord)
    join board_rankings b on b.board_id = $1::uuid
    cross join lateral (select x.* from entries x
      where x.board_id = b.board_id and x.generation = b.generation and x.is_test = u.is_test
        and x.slot = case b.board_type when 'run_runs' then u.event_id else u.identity_id end limit 1) e
    ${SHOWN_EVENT}
    ${rankOfEntry()}
    order by u.ord`,
};

const RANK_OF_KEY = {
  name: 'rank_of_key',
  text: `
    select r.rank
    from board_rankings b cross join lateral rank_of(b.board_id, b.generation, $2::boolean, $3::float8, $4::bigint) r
    where b.board_id = $1::uuid`,
};

const COUNTS = manyRankings(
  'entry_counts',
  { is_test: 'boolean' },
  (ranked, u) => `
    select u.ord, c.n from ${u}
    cross join lateral (${ranked.board}) b
    cross join lateral ranked_counts(b.board_id, b.generation, u.is_test) c`,
);

const VERSIONS = {
  name: 'board_versions',
  text: 'select board_id, version from unnest($1::uuid[]) u(id) join board_rankings on board_id = u.id',
};

/** Scores of a statement that selects {@link ENTRY} and its rank, in its order. */
export async function readScores(
  db: Queryable,
  query: { name: string; text: string },
  values: unknown[],
): Promise<Score[]> {
  const { rows } = await db.query<RankedEntry>({ ...query, values });
  return rows.map(({ entry, rank, display }) => scoreOf(entry, rank ?? 1, display ?? undefined));
}

/**
 * Returns scores by id with their true ranks, each looked up once; unknown ids are missing from the map. The caller
 * must check that board, game and account are live.
 */
export async function scoresById(db: Queryable, ids: readonly string[]): Promise<Map<string, Score>> {
  const [first, ...others] = ids.map(uuidOf);
  const scores = await (others.length > 0
    ? readScores(db, BY_IDS, [[first, ...others]])
    : readScores(db, BY_ID, [first ?? null]));
  return new Map(scores.map((score) => [score.id, score]));
}

/** An entry's primary key. Bare uuids. */
export interface EntryKey {
  board_id: string;
  generation: number;
  is_test: boolean;
  slot: string;
}

/** Columns of entries `e` that lists read to choose the entries of a page: their keys, and the sort fields. */
export const LISTED_COLUMNS = [
  'board_id',
  'generation',
  'is_test',
  'slot',
  'id',
  'value',
  'player_name',
  'created_at',
  'updated_at',
  'rank_key',
  'seq',
].map((name) => `e.${name}`);

/** Scores of entries found by their primary keys, in the order given. */
export async function scoresOfRows(db: Queryable, keys: EntryKey[]): Promise<Score[]> {
  if (keys.length === 0) return [];
  return readScores(db, BY_KEYS, [
    keys.map((key) => key.board_id),
    keys.map((key) => key.generation),
    keys.map((key) => key.is_test),
    keys.map((key) => key.slot),
  ]);
}

/** Returns the current entry of each event's identity (the event's own, where every run counts). Bare uuids in. */
export async function scoresByEvent(
  db: Queryable,
  boardId: string,
  events: { id: string; identity_id: string; is_test: boolean }[],
): Promise<Score[]> {
  return readScores(db, BY_SLOT, [
    uuidOf(boardId),
    events.map((event) => event.is_test),
    events.map((event) => event.identity_id),
    events.map((event) => event.id),
  ]);
}

/** 1 + the entries before the key, on the board's served generation. */
export async function rankOfKey(
  db: Queryable,
  boardId: string,
  isTest: boolean,
  key: OrderKey,
): Promise<number> {
  const { rows } = await db.query<{ rank: number }>({
    ...RANK_OF_KEY,
    values: [uuidOf(boardId), isTest, key.rankKey, key.seq],
  });
  return rows[0]?.rank ?? 1;
}

/** Ranked entries of several populations of rankings, in the requested order: sums over the top level of their trees. */
export async function entryCounts(
  db: Queryable,
  populations: readonly { ranking: RankingAddress; isTest: boolean }[],
): Promise<number[]> {
  const requests = populations.map(({ ranking, isTest }) => ({ ranking, values: [isTest] }));
  const rows = await readRankings<{ ord: number; n: number }>(db, COUNTS, requests);
  return rows.map((row) => row?.n ?? 0);
}

/** Versions by board id: a number that increases with every visible change of the board. */
export async function boardVersions(
  db: Queryable,
  boardIds: readonly string[],
): Promise<Map<string, number>> {
  if (boardIds.length === 0) return new Map();
  const { rows } = await db.query<{ board_id: string; version: number }>({
    ...VERSIONS,
    values: [boardIds.map(uuidOf)],
  });
  return new Map(rows.map((row) => [idOf('board', row.board_id), row.version]));
}
