import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { idOf, uuidOf } from '../../src/base/ids.js';
import { migrationsDir } from '../../src/base/package.js';
import { buildBoards } from './bulk-board.js';
import { inSession } from './bulk-session.js';
import { KIND } from './bulk-sql.js';
import { pick } from './keys.js';
import type { Player } from './player.js';
import type { Scratch, ScratchDatabase } from './scratch.js';
import { count, say, size } from './table.js';

/** A player's place on one board: who submits and whose rank is read. Ids prefixed. */
export interface Seat extends Player {
  boardId: string;
}

/** Boards of one size in a database that is kept between runs, including what submissions add. Ids prefixed. */
export interface HttpData {
  made: ScratchDatabase;
  accountId: string;
  gameId: string;
  boardIds: string[];
  /** Per board, as built. */
  entries: number;
}

/** Raise it when the same migrations should be filled with different data. */
const BUILDER = 1;
/** Players with a device and a session, out of all with an entry. */
const DEVICES = 5_000;

function version(): string {
  const hash = createHash('sha256').update(String(BUILDER));
  const files = readdirSync(migrationsDir, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => name.endsWith('.sql')).sort()) {
    hash.update(file).update(readFileSync(path.join(migrationsDir, file)));
  }
  return hash.digest('hex').slice(0, 12);
}

/** Opens the boards, and builds them if they are missing or of an older schema. */
export async function openHttpData(scratch: Scratch, boards: number, entries: number): Promise<HttpData> {
  const family = `bench_http_${boards}_x_${size(entries)}`;
  const made = await scratch.keep(family, version(), async (draft) => {
    say(`Building ${count(boards)} board(s) of ${count(entries)} entries, once …`);
    await buildBoards(draft, { boards, entries, players: Math.min(DEVICES, entries) });
    const newcomers = `create sequence bench.newcomers start ${2 * entries + 1}`;
    await inSession(draft, (client) => client.query(newcomers));
  });
  return inSession(made, async (client) => {
    // Boards built last month would have ended by now.
    await client.query(`update device_sessions set expires_at = now() + interval '1 day',
      refresh_expires_at = now() + interval '30 days' where expires_at < now() + interval '12 hours'`);
    const { rows } = await client.query<Record<'id' | 'account_id' | 'game_id', string>>(
      'select id, account_id, game_id from boards order by id',
    );
    const { account_id: account, game_id: game } = rows[0]!;
    const boardIds = rows.map(({ id }) => idOf('board', id));
    return { made, accountId: idOf('account', account), gameId: idOf('game', game), boardIds, entries };
  });
}

interface SeatRow {
  board_id: string;
  identity_id: string;
  device_id: string;
  session_id: string;
  score_id: string;
  value: number;
  name: string;
}

const SEATS = `
  select u.board_id, e.identity_id, d.id as device_id, s.id as session_id, e.id as score_id, e.value, e.player_name as name
  from unnest($1::uuid[], $2::uuid[]) with ordinality u(board_id, identity_id, ord)
  join board_rankings b on b.board_id = u.board_id
  join entries e on e.board_id = u.board_id and e.generation = b.generation and not e.is_test and e.slot = u.identity_id
  join devices d on d.identity_id = u.identity_id
  join device_sessions s on s.device_id = d.id
  order by u.ord`;

/** Players and their current entries, in random order: the same number per board. */
export function readSeats(data: HttpData, wanted: number): Promise<Seat[]> {
  return inSession(data.made, async (client) => {
    const { rows: known } = await client.query<{ id: string }>(
      `select identity_id as id from devices where client_fingerprint like 'device %'`,
    );
    const each = Math.max(1, Math.round(wanted / data.boardIds.length));
    const places = data.boardIds.flatMap((board) => pick(known, each).map(({ id }) => ({ board, id })));
    const shuffled = pick(places, places.length);
    const { rows } = await client.query<SeatRow>(SEATS, [
      shuffled.map(({ board }) => uuidOf(board)),
      shuffled.map(({ id }) => id),
    ]);
    return rows.map((row) => ({
      boardId: idOf('board', row.board_id),
      identityId: idOf('identity', row.identity_id),
      deviceId: idOf('device', row.device_id),
      sessionId: idOf('deviceSession', row.session_id),
      scoreId: idOf('score', row.score_id),
      name: row.name,
      value: row.value,
    }));
  });
}

/** Parameters: first and last number, account, game. */
const NEWCOMERS = [
  `insert into identities (id, account_id, game_id, kind, external_key, display_name, created_at, updated_at)
   select bench.uuid_of(${KIND.identity}, i), $3, $4, 'custom', 'newcomer ' || i, 'Newcomer ' || i, now(), now()
   from generate_series($1::bigint, $2::bigint) i`,
  `insert into devices (id, account_id, game_id, identity_id, client_fingerprint, platform, status, metadata,
     first_seen_at, last_seen_at, created_at, updated_at)
   select bench.uuid_of(${KIND.device}, i), $3, $4, bench.uuid_of(${KIND.identity}, i), 'newcomer ' || i, 'linux', 'active', '{}',
     now(), now(), now(), now()
   from generate_series($1::bigint, $2::bigint) i`,
  `insert into device_sessions (id, account_id, game_id, device_id, identity_id, test_mode, version, status, expires_at,
     refresh_expires_at, created_at, updated_at)
   select bench.uuid_of(${KIND.session}, i), $3, $4, bench.uuid_of(${KIND.device}, i), bench.uuid_of(${KIND.identity}, i), false, 1,
     'active', now() + interval '1 day', now() + interval '30 days', now(), now()
   from generate_series($1::bigint, $2::bigint) i`,
];

/** Players with a session and without any score, each for the next board in turn; `scoreId` doesn't exist yet. */
export function makeNewcomers(data: HttpData, wanted: number): Promise<Seat[]> {
  const { made, accountId, gameId, boardIds } = data;
  return inSession(made, async (client) => {
    const { rows: numbers } = await client.query<{ first: number }>(
      `select setval('bench.newcomers', nextval('bench.newcomers') + $1::bigint) - $1::bigint as first`,
      [wanted],
    );
    const [first, last] = [Number(numbers[0]!.first), Number(numbers[0]!.first) + wanted - 1];
    for (const text of NEWCOMERS) await client.query(text, [first, last, uuidOf(accountId), uuidOf(gameId)]);
    const { rows } = await client.query<Record<'i' | 'identity' | 'device' | 'session', string>>(
      `select i, bench.uuid_of(${KIND.identity}, i) as identity, bench.uuid_of(${KIND.device}, i) as device,
         bench.uuid_of(${KIND.session}, i) as session from generate_series($1::bigint, $2::bigint) i`,
      [first, last],
    );
    return rows.map(({ i, identity, device, session }, k) => ({
      boardId: boardIds[k % boardIds.length]!,
      identityId: idOf('identity', identity),
      deviceId: idOf('device', device),
      sessionId: idOf('deviceSession', session),
      scoreId: idOf('score', identity),
      name: `Newcomer ${i}`,
      value: Math.round(10_000 * Math.exp(Math.random() + Math.random() + Math.random() - 1.5)),
    }));
  });
}
