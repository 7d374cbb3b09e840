import type { Queryable } from '../db/pool.js';
import { idOf, uuidOf } from '../ids.js';
import type { EntryStatus } from './decide.js';
import { Score } from './score.js';

/** Where an entry stands in the order of its board: smaller is better. */
export interface OrderKey {
  rankKey: number;
  seq: number;
}

/** An entry `e`, the event `v` it shows, and its rank, as the statements select them. */
export interface EntryRow {
  board_id: string;
  id: string;
  identity_id: string;
  is_test: boolean;
  value: number;
  rank_key: number;
  seq: number;
  status: EntryStatus;
  player_name: string;
  value_display: string | null;
  created_at: Date;
  updated_at: Date;
  event_id: string;
  account_id: string;
  game_id: string;
  device_id: string | null;
  metadata: Record<string, unknown> | null;
  city: string | null;
  country: string | null;
  timezone: string | null;
  rank: number;
}

/** Columns of an entry `e` and of the event `v` it shows. */
export const ENTRY_COLUMNS = `e.board_id, e.id, e.identity_id, e.is_test, e.value, e.rank_key, e.seq, e.status, e.player_name, e.value_display,
  e.created_at, e.updated_at, v.id as event_id, v.account_id, v.game_id, v.device_id, v.metadata, v.city, v.country, v.timezone`;

const RANK_OF_ENTRY = `cross join lateral rank_of(e.board_id, e.generation, e.is_test, e.rank_key, e.seq) r`;

const BY_ID = {
  name: 'scores_by_id',
  text: `
    select ${ENTRY_COLUMNS}, r.rank
    from unnest($1::uuid[]) u(id)
    cross join lateral (select x.* from entries x where x.id = u.id
      and x.generation = (select generation from board_rankings where board_id = x.board_id) limit 1) e
    cross join lateral (select game_id from boards where id = e.board_id and deleted_at is null limit 1) d
    cross join lateral (select account_id from games where id = d.game_id and deleted_at is null limit 1) g
    cross join lateral (select from accounts where id = g.account_id and deleted_at is null limit 1) a
    left join score_events v on v.board_id = coalesce(e.event_board_id, e.board_id) and v.seq = e.event_seq
    ${RANK_OF_ENTRY}`,
};

const BY_KEYS = {
  name: 'scores_by_keys',
  text: `
    select ${ENTRY_COLUMNS}, r.rank
    from unnest($1::uuid[], $2::int[], $3::boolean[], $4::uuid[]) with ordinality u(board_id, generation, is_test, slot, ord)
    join entries e on e.board_id = u.board_id and e.generation = u.generation and e.is_test = u.is_test and e.slot = u.slot
    left join score_events v on v.board_id = coalesce(e.event_board_id, e.board_id) and v.seq = e.event_seq
    ${RANK_OF_ENTRY}
    order by u.ord`,
};

const KEY_OF_ID = {
  name: 'entry_of_id',
  text: `
    select e.board_id, e.is_test, e.rank_key, e.seq, e.ranked
    from entries e join board_rankings b on b.board_id = e.board_id and b.generation = e.generation
    where e.id = $1::uuid`,
};

const BY_SLOT = {
  name: 'scores_by_slot',
  text: `
    select ${ENTRY_COLUMNS}, r.rank, u.ord
    from unnest($2::boolean[], $3::uuid[], $4::uuid[]) with ordinality u(is_test, identity_id, event_id, ord)
    join board_rankings b on b.board_id = $1::uuid
    join entries e on e.board_id = b.board_id and e.generation = b.generation and e.is_test = u.is_test
      and e.slot = case b.board_type when 'run_runs' then u.event_id else u.identity_id end
    left join score_events v on v.board_id = coalesce(e.event_board_id, e.board_id) and v.seq = e.event_seq
    ${RANK_OF_ENTRY}
    order by u.ord`,
};

const RANK_OF_KEY = {
  name: 'rank_of_key',
  text: `
    select r.rank, ranked_count(b.board_id, b.generation, $2::boolean) as entry_count
    from board_rankings b
    cross join lateral rank_of(b.board_id, b.generation, $2::boolean, $3::float8, $4::bigint) r
    where b.board_id = $1::uuid`,
};

const COUNTS = {
  name: 'entry_counts',
  text: `
    select u.ord, ranked_count(b.board_id, b.generation, u.is_test) as n
    from unnest($1::uuid[], $2::boolean[]) with ordinality u(board_id, is_test, ord)
    join board_rankings b on b.board_id = u.board_id`,
};

export function scoreOf(row: EntryRow): Score {
  return Object.assign(new Score(), {
    id: idOf('score', row.id),
    accountId: idOf('account', row.account_id),
    gameId: idOf('game', row.game_id),
    boardId: idOf('board', row.board_id),
    identityId: idOf('identity', row.identity_id),
    deviceId: row.device_id && idOf('device', row.device_id),
    scoreEventId: idOf('scoreEvent', row.event_id),
    playerName: row.player_name,
    value: row.value,
    valueDisplay: row.value_display,
    city: row.city,
    country: row.country,
    timezone: row.timezone,
    metadata: row.metadata,
    rank: row.rank,
    status: row.status,
    isTest: row.is_test,
    isPlaceholder: false,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  });
}

/** Scores by id with their true ranks, each found once; ids that name nothing live are missing from the map. */
export async function scoresById(db: Queryable, ids: readonly string[]): Promise<Map<string, Score>> {
  const { rows } = await db.query<EntryRow>({ ...BY_ID, values: [ids.map(uuidOf)] });
  return new Map(rows.map((row) => [idOf('score', row.id), scoreOf(row)]));
}

/** Scores of entries found by their primary keys, in the order given. Bare uuids in. */
export async function scoresOfRows(
  db: Queryable,
  keys: { board_id: string; generation: number; is_test: boolean; slot: string }[],
): Promise<Score[]> {
  if (keys.length === 0) return [];
  const { rows } = await db.query<EntryRow>({
    ...BY_KEYS,
    values: [
      keys.map((key) => key.board_id),
      keys.map((key) => key.generation),
      keys.map((key) => key.is_test),
      keys.map((key) => key.slot),
    ],
  });
  return rows.map(scoreOf);
}

/** Where a score stands, by its id; undefined when there is none. Bare uuids out. */
export async function entryOfId(db: Queryable, id: string) {
  const { rows } = await db.query<{
    board_id: string;
    is_test: boolean;
    rank_key: number;
    seq: number;
    ranked: boolean;
  }>({
    ...KEY_OF_ID,
    values: [uuidOf(id)],
  });
  return rows[0];
}

/** The entry that each event's identity has now (the event's own, where every run counts). Bare uuids in. */
export async function scoresByEvent(
  db: Queryable,
  boardId: string,
  events: { id: string; identity_id: string; is_test: boolean }[],
): Promise<Score[]> {
  const { rows } = await db.query<EntryRow>({
    ...BY_SLOT,
    values: [
      uuidOf(boardId),
      events.map((event) => event.is_test),
      events.map((event) => event.identity_id),
      events.map((event) => event.id),
    ],
  });
  return rows.map(scoreOf);
}

/** 1 + the entries before the key, and how many entries there are. */
export async function rankOfKey(db: Queryable, boardId: string, isTest: boolean, key: OrderKey) {
  const { rows } = await db.query<{ rank: number; entry_count: number }>({
    ...RANK_OF_KEY,
    values: [uuidOf(boardId), isTest, key.rankKey, key.seq],
  });
  return { rank: rows[0]?.rank ?? 1, entryCount: rows[0]?.entry_count ?? 0 };
}

/** Ranked entries of several populations, in the order asked: sums over the top level of their trees. */
export async function entryCounts(
  db: Queryable,
  populations: readonly { boardId: string; isTest: boolean }[],
): Promise<number[]> {
  const { rows } = await db.query<{ ord: number; n: number }>({
    ...COUNTS,
    values: [populations.map(({ boardId }) => uuidOf(boardId)), populations.map(({ isTest }) => isTest)],
  });
  const counts = new Map(rows.map((row) => [row.ord, row.n]));
  return populations.map((_, i) => counts.get(i + 1) ?? 0);
}
