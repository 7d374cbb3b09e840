import type { Knex } from 'knex';
import type pg from 'pg';
import { uuid7 } from '../../base/ids.js';
import { servedHere } from '../../db/moved.js';
import { runStatement } from '../../db/pool.js';
import type { Marks } from '../../live/standings.js';
import { type Passed, readPassedByFriends } from './friends.js';
import { type FoundEvent, storeEvents } from './new-events.js';
import { type OvertakenPlayer, overtakenIn } from './overtaken.js';
import {
  boardOf,
  playerOf,
  readBoards,
  readPlayerNames,
  readTops,
  type ToldBoard,
  type ToldEntry,
  toldEntry,
  topKey,
} from './standings.js';

/** Boards that one transaction compares. */
const PAIRS_AT_ONCE = 500;

/** A board's population that an endpoint watches, whose version is not the one that was compared last. Bare uuids. */
interface Pair {
  endpoint_id: string;
  account_id: string;
  board_id: string;
  game_id: string;
  is_test: boolean;
  version: number;
  /** The endpoint asks for `board.leader_changed`. */
  leads: boolean;
  /** Ranks watched for `player.overtaken`; 0: none. */
  overtakes: number;
  /** The endpoint asks for players who are overtaken by friends. */
  by_friends: boolean;
  /** How far the board was compared for that; null: not yet. */
  marks: Marks | null;
  /** Players from the first on, as told last; null: nothing is known of the board yet. */
  top: string[] | null;
  /** The board is newer than the endpoint's wish to hear of it. */
  is_new: boolean;
}

// What was told of a board stays as it is until the span has passed, and so does the version: it is compared then.
const pairs = (served: string, isPart: boolean) => `
  select e.id as endpoint_id, e.account_id, b.id as board_id, b.game_id, p.is_test, r.version,
    'board.leader_changed' = any(e.events) as leads, case when 'player.overtaken' = any(e.events)
      and e.overtaken_by = 'anyone' then e.overtaken_top else 0 end as overtakes,
    'player.overtaken' = any(e.events) and e.overtaken_by = 'friends' as by_friends,
    case when w.seq is not null then json_build_object('seq', w.seq, 'numeratorSeq', w.numerator_seq, 'denominatorSeq',
      w.denominator_seq) end as marks,
    w.top, b.created_at >= e.watching_since as is_new
  from webhook_endpoints e
  join accounts a on a.id = e.account_id and a.deleted_at is null
  join boards b on b.account_id = e.account_id and b.deleted_at is null and b.rehearsal_of_id is null
    and (e.game_ids = '{}' or b.game_id = any(e.game_ids)) and (e.board_ids = '{}' or b.id = any(e.board_ids))
  join games g on g.id = b.game_id and g.deleted_at is null
  join board_rankings r on r.board_id = b.id and r.version > 0
  join (values (false, '{production,all}'::text[]), (true, '{test,all}'::text[])) p(is_test,
    populations) on e.population = any(p.populations)
  left join webhook_leaders w on w.endpoint_id = e.id and w.board_id = b.id and w.is_test = p.is_test
  where e.deleted_at is null and e.status <> 'disabled' and e.events && '{board.leader_changed,player.overtaken}'::text[] ${served}
    ${isPart ? 'and b.id = any(:boards::uuid[])' : ''} and (w.version is null or w.version <> r.version)
    and (w.reported_at is null or w.reported_at <= :now::timestamptz - e.leader_seconds * interval '1 second')
  limit ${PAIRS_AT_ONCE}`;

const REMEMBER = `
  insert into webhook_leaders (endpoint_id, board_id, is_test, version, top, reported_at, seq, numerator_seq, denominator_seq)
  select x.endpoint_id, x.board_id, x.is_test, x.version, x.top::uuid[], case when x.reported
    then :now::timestamptz end, x.seq, x.num, x.den
  from unnest(:endpoints::uuid[], :boards::uuid[], :tests::boolean[], :versions::bigint[], :tops::text[],
    :reported::boolean[], :seqs::bigint[],
    :nums::bigint[], :dens::bigint[]) x(endpoint_id, board_id, is_test, version, top, reported, seq, num, den)
  on conflict (endpoint_id, board_id, is_test) do update set version = excluded.version, top = excluded.top, seq = excluded.seq,
    numerator_seq = excluded.numerator_seq, denominator_seq = excluded.denominator_seq,
    reported_at = coalesce(excluded.reported_at, webhook_leaders.reported_at)`;

/** What a pair differs in from what was told. */
interface Compared {
  pair: Pair;
  top: readonly ToldEntry[];
  passed: Passed | undefined;
  events: FoundEvent[];
}

/**
 * Compares boards with what endpoints were told of them, and stores events for what differs.
 * @param boards only these, bare uuids: what did not change for an endpoint is not written then; undefined: all
 * @returns true if more boards may differ
 */
export async function reportLeaders(
  trx: Knex,
  pool: pg.Pool,
  now: Date,
  boards?: readonly string[],
): Promise<boolean> {
  const statement = pairs(servedHere(trx, 'account', 'e.account_id'), boards !== undefined);
  const { rows } = await runStatement<Pair>(trx, statement, boards ? { now, boards } : { now });
  if (rows.length === 0) return false;
  const all = await compare(trx, pool, rows, now);
  await storeEvents(
    trx,
    all.flatMap(({ events }) => events),
  );
  const differing = boards ? all.filter(isDifferent) : all;
  if (differing.length > 0) await remember(trx, differing, now);
  return rows.length === PAIRS_AT_ONCE;
}

async function compare(trx: Knex, pool: pg.Pool, rows: readonly Pair[], now: Date): Promise<Compared[]> {
  const boards = await readBoards(
    trx,
    rows.map(({ board_id }) => board_id),
  );
  const tops = await readTops(trx, widest(rows));
  const former = rows.flatMap(({ top }) => top?.slice(0, 1) ?? []);
  const names = await readPlayerNames(trx, former);
  const friendly = rows.filter(({ by_friends }) => by_friends);
  const asked = friendly.map(({ board_id: board, is_test: isTest, marks: from }) => ({
    board,
    isTest,
    from,
  }));
  const read = asked.length > 0 ? await readPassedByFriends(pool, asked) : [];
  const passedOf = new Map(friendly.map((pair, index) => [pair, read[index]]));
  return rows.map((pair) => {
    const board = boards.get(pair.board_id);
    const top = tops.get(topKey(pair.board_id, pair.is_test)) ?? [];
    const passed = passedOf.get(pair);
    const events = board ? eventsOf(pair, board, top, passed, names, now) : [];
    return { pair, top, passed, events };
  });
}

function topOf({ pair, top }: Compared): string[] {
  return playersIn(top).slice(0, Math.max(1, pair.overtakes));
}

function isDifferent(one: Compared): boolean {
  return one.events.length > 0 || one.pair.top?.join() !== topOf(one).join();
}

async function remember(trx: Knex, all: readonly Compared[], now: Date): Promise<void> {
  await runStatement(trx, REMEMBER, {
    now,
    endpoints: all.map(({ pair }) => pair.endpoint_id),
    boards: all.map(({ pair }) => pair.board_id),
    tests: all.map(({ pair }) => pair.is_test),
    // Versions of the boards as they were read: a newer version is compared again.
    versions: all.map(({ pair }) => pair.version),
    tops: all.map((one) => `{${topOf(one).join()}}`),
    reported: all.map(({ events }) => events.length > 0),
    seqs: all.map(({ passed }) => passed?.to.seq ?? null),
    nums: all.map(({ passed }) => passed?.to.numeratorSeq ?? null),
    dens: all.map(({ passed }) => passed?.to.denominatorSeq ?? null),
  });
}

/** Entries of each board and population that the most interested endpoint needs: twice what it watches. */
function widest(rows: readonly Pair[]) {
  const most = new Map<string, { board: string; isTest: boolean; most: number }>();
  for (const { board_id: board, is_test: isTest, overtakes } of rows) {
    const key = topKey(board, isTest);
    most.set(key, { board, isTest, most: Math.max(1, 2 * overtakes, most.get(key)?.most ?? 0) });
  }
  return [...most.values()];
}

/** Each player once, in order: boards may rank every run. */
function playersIn(top: readonly ToldEntry[]): string[] {
  return [...new Set(top.map(({ identity_id }) => identity_id))];
}

function eventsOf(
  pair: Pair,
  board: ToldBoard,
  top: readonly ToldEntry[],
  passed: Passed | undefined,
  names: ReadonlyMap<string, string>,
  at: Date,
): FoundEvent[] {
  const told = pair.top ?? (pair.is_new ? [] : undefined);
  if (!told) return [];
  const common = {
    ...{ account: pair.account_id, game: pair.game_id, board: pair.board_id, isTest: pair.is_test },
    ...{ endpoint: pair.endpoint_id, at },
  };
  const events: FoundEvent[] = [];
  const [leader] = top;
  const [former = null] = told;
  if (pair.leads && (leader?.identity_id ?? null) !== former) {
    const previous = former && { player: playerOf(former, names.get(former) ?? null) };
    const data = { board: boardOf(board), leader: leader ? toldEntry(board, leader) : null, previous };
    const players = [leader?.identity_id, former].filter((id) => id != null);
    events.push({ ...common, id: uuid7(at.getTime()), type: 'board.leader_changed', data, players });
  }
  const all: OvertakenPlayer[] = passed?.overtaken ?? overtakenIn(told.slice(0, pair.overtakes), top);
  for (const { overtaken, previousRank, by } of all) {
    const data = {
      board: boardOf(board),
      overtaken: { ...toldEntry(board, overtaken), previous_rank: previousRank },
      by: toldEntry(board, by),
    };
    const players = [overtaken.identity_id, by.identity_id];
    events.push({ ...common, id: uuid7(at.getTime()), type: 'player.overtaken', data, players });
  }
  return events;
}
