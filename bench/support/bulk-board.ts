import type pg from 'pg';
import { idOf, uuid7 } from '../../src/base/ids.js';
import { bulkSession, inSession } from './bulk-session.js';
import {
  DEVICES,
  ENTRIES,
  EVENT_MS,
  EVENTS,
  helpers,
  IDENTITIES,
  LATER,
  PLAYERS,
  SESSIONS,
  STATES,
} from './bulk-sql.js';
import { pick } from './keys.js';
import type { Player } from './player.js';
import type { ScratchDatabase } from './scratch.js';
import { count, say } from './table.js';
import { verifyBulk } from './verify-bulk.js';

/** A board on which each of its players has submitted once. Ids prefixed. */
export interface BuiltBoard {
  id: string;
  accountId: string;
  gameId: string;
  entries: number;
  /** Its identities with a device and a session: the active players. */
  players: Player[];
}

export interface BoardsWanted {
  boards: number;
  /** Per board. The boards share their players. */
  entries: number;
  /** Identities with a device and a session, spread evenly over all. */
  players: number;
}

const MINUTE = 60_000;
const VERIFIED = 16;

/**
 * Fills a fresh database with boards (best run of each player, highest first) by set-based statements: parents,
 * events, states, entries, then the trees, then statistics; and checks that the result is what submissions would
 * have made.
 * @throws Error if it is not
 */
export async function buildBoards(made: ScratchDatabase, wanted: BoardsWanted): Promise<BuiltBoard[]> {
  const started = performance.now();
  // The newest event is an hour old, so that no check looks at it.
  const start = Date.now() - 60 * MINUTE - wanted.entries * EVENT_MS;
  const admin = await bulkSession(made);
  await admin.query(helpers(start));
  const parents = await insertParents(admin, new Date(start));
  const boards = Array.from({ length: wanted.boards }, () => uuid7());
  const { rows: later } = await admin.query<{ away: string; back: string }>(LATER);
  for (const { away } of later) await admin.query(away);

  const { entries } = wanted;
  const numbers = playing(wanted);
  const eachBoard = (work: (client: pg.Client, id: string, number: number) => Promise<unknown>) =>
    inSession(made, async (client) => {
      for (const [k, id] of boards.entries()) await work(client, id, k + 1);
    });
  // For independent tables: two at a time keep two cores busy.
  await Promise.all([
    inSession(made, async (client) => {
      await client.query(IDENTITIES, [...parents, entries]);
      await client.query(DEVICES, [...parents, numbers]);
      await client.query(SESSIONS, [...parents, numbers]);
    }).then(() => eachBoard((client, id, number) => client.query(STATES, [...parents, id, number, entries]))),
    eachBoard(async (client, id, number) => {
      await client.query(EVENTS, [...parents, id, number, entries]);
      await client.query(ENTRIES, [id, number, entries]);
    }),
  ]);
  for (const id of boards) await insertBoard(admin, parents, id, entries, start);
  const left = later.map(({ back }) => back);
  const makeAgain = async (client: pg.Client) => {
    for (let next = left.shift(); next; next = left.shift()) await client.query(next);
  };
  await Promise.all([inSession(made, makeAgain), inSession(made, makeAgain)]);
  for (const id of boards) await admin.query('select build_rank_tree($1, 1, false)', [id]);
  // Like tables in production: with a visibility map and statistics.
  await admin.query('vacuum analyze');
  await admin.query('checkpoint');

  const built: BuiltBoard[] = [];
  for (const [k, id] of boards.entries()) {
    built.push({
      id: idOf('board', id),
      accountId: idOf('account', parents[0]),
      gameId: idOf('game', parents[1]),
      entries,
      players: await playersOf(admin, k + 1, numbers),
    });
  }
  await admin.end();
  const builtIn = seconds(started);
  const checking = performance.now();
  // Out of a thousand small boards made by the same statements, a few are checked.
  for (const board of pick(built, VERIFIED)) await verifyBulk(made, board);
  say(
    `Built ${count(wanted.boards)} × ${count(entries)} entries in ${builtIn} s, verified in ${seconds(checking)} s.`,
  );
  return built;
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1_000).toFixed(1);
}

type Parents = [account: string, game: string];

async function insertParents(client: pg.Client, at: Date): Promise<Parents> {
  const [account, game] = [uuid7(), uuid7()];
  await client.query(
    `insert into accounts (id, name, slug, status, created_at, updated_at) values ($1, 'Bench', 'bench', 'active', $2, $2)`,
    [account, at],
  );
  await client.query(
    `insert into games (id, account_id, name, slug, anti_cheat_enabled, tags, created_at, updated_at)
     values ($1, $2, 'Bench', 'bench', false, '{}', $3, $3)`,
    [game, account, at],
  );
  return [account, game];
}

async function insertBoard(
  client: pg.Client,
  parents: Parents,
  id: string,
  entries: number,
  start: number,
): Promise<void> {
  const code = id.replaceAll('-', '').slice(-12);
  await client.query(
    `insert into boards (id, account_id, game_id, name, slug, short_code, is_active, is_published, board_type,
       sort_direction, keep_strategy, tags, created_at, updated_at)
     values ($1, $2, $3, $4, $4, upper($4), true, true, 'run_identity', 'desc', 'best', '{}', $5, $5)`,
    [id, ...parents, code, new Date(start)],
  );
  await client.query(
    `insert into board_rankings (board_id, generation, board_type, sort_direction, keep_strategy, seq, version, last_event_at)
     values ($1, 1, 'run_identity', 'desc', 'best', $2, $2, bench.time_of($2))`,
    [id, entries],
  );
}

/** Numbers of the active identities, from 1. */
function playing({ entries, players }: BoardsWanted): number[] {
  const wanted = Math.min(players, entries);
  return Array.from({ length: wanted }, (_, p) => 1 + Math.floor((p * entries) / wanted));
}

async function playersOf(client: pg.Client, board: number, numbers: number[]): Promise<Player[]> {
  const { rows } = await client.query<Record<string, string> & { value: number }>(PLAYERS, [board, numbers]);
  return rows.map((row) => ({
    identityId: idOf('identity', row.identity_id!),
    deviceId: idOf('device', row.device_id!),
    sessionId: idOf('deviceSession', row.session_id!),
    scoreId: idOf('score', row.score_id!),
    name: row.name!,
    value: row.value,
  }));
}
