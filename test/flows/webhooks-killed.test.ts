import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/db/embedded/embedded.js';
import { Caller, type Data, send } from '../support/http.js';
import { makeKey, makeUser } from '../support/make.js';
import { DataDir, type Program, startService } from '../support/process.js';
import { until } from '../support/wait.js';

// Random acts on two gateways of the same two cells, which are killed, as their Postgres is, and a receiver that refuses some attempts:
// then what each endpoint got is compared with what happened, as other tables tell it.

const CELLS = ['east', 'west'] as const;
type Cell = (typeof CELLS)[number];
/** What is killed amid the acts of each round. */
const ROUNDS: readonly (0 | 1 | 'postgres')[] = [0, 'postgres', 1];
/** Before it is killed, amid that, and after it came back. */
const ACTS_A_ROUND = [6, 8, 10];
const EVENTS = [
  ...['board.opened', 'board.closed', 'board.leader_changed', 'score.flagged', 'score.reviewed'],
  ...['key.created', 'key.revoked'],
];
const KEY = 'svc_the-key-of-the-superadmin-in-all-cells';

interface Got {
  path: string;
  body: Data;
  ok: boolean;
}

const got: Got[] = [];
let receiver: Server;
const programs: Program[] = [];
const urls: string[] = [];
const ground = new DataDir();
const own = [new DataDir(), new DataDir()];
let postgres: EmbeddedPostgres;

function databaseUrl(name: string): string {
  return postgres.connectionString().replace(/\/\w+(?=\?|$)/, `/${name}`);
}

/** A connection of its own: the server is killed meanwhile. */
async function query<T extends object>(database: string, sql: string): Promise<T[]> {
  const client = new pg.Client(databaseUrl(database));
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<T>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function startGateway(index: 0 | 1): Promise<void> {
  const { program, url } = await startService({
    ...{ WEBHOOK_ALLOW_HTTP: 'true', WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8', LOG_LEVEL: 'fatal' },
    ...{ DATA_DIR: own[index]!.path, SUPERADMIN_API_KEY: KEY, CELLS: CELLS.join() },
    ...{
      JWT_SECRET: 'a secret for tokens in tests, long enough',
      KEY_SECRET: 'a secret for hashes in tests, long enough',
    },
    ...{ DIRECTORY_URL: databaseUrl('directory') },
    ...{ CELL_EAST_DATABASE_URL: databaseUrl('east'), CELL_WEST_DATABASE_URL: databaseUrl('west') },
  });
  programs[index] = program;
  urls[index] = url;
}

async function created(admin: Caller, path: string, body: Data): Promise<Data> {
  const answer = await admin.post(path, body);
  if (answer.status !== 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

beforeAll(async () => {
  postgres = await startEmbeddedPostgres(ground.path, { settings: { fsync: 'off' } });
  for (const name of ['directory', ...CELLS]) await query('postgres', `create database ${name}`);
  await startGateway(0);
  await startGateway(1);
  const seen = new Set<string>();
  receiver = createServer((request, response) => {
    let text = '';
    request.on('data', (part) => {
      text += part;
    });
    request.on('end', () => {
      const body = JSON.parse(text);
      // Some fail, each at its first attempt.
      const ok = seen.has(body.id) || Math.random() < 0.85;
      seen.add(body.id);
      got.push({ path: request.url!, body, ok });
      if (ok) response.writeHead(200).end();
      else if (Math.random() < 0.5) response.writeHead(500).end();
      else request.socket.destroy();
    });
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
}, 180_000);
afterAll(async () => {
  for (const program of programs) if (program.running) await program.kill('SIGKILL');
  await postgres.stop();
  for (const dir of [ground, ...own]) await dir.remove();
  receiver.closeAllConnections();
  receiver.close();
});

const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!;

/** Kills amid what is done. The processes come back; so does the server, by itself. */
async function kill(what: (typeof ROUNDS)[number]): Promise<void> {
  await delay(Math.random() * 20);
  if (what === 'postgres') {
    // As `pg_ctl stop --mode immediate` does.
    process.kill(postgres.pid, 'SIGQUIT');
    await until(
      () =>
        query('directory', 'select').then(
          () => true,
          () => false,
        ),
      100,
    );
    return;
  }
  await programs[what]!.kill('SIGKILL');
  // As if the leases of what it was sending had expired: nobody waits for that here.
  for (const cell of CELLS) {
    await query(cell, "update webhook_deliveries set due_at = now() where status = 'sending'");
  }
  await startGateway(what);
}

/** An account on a cell, what is done there, and what its endpoints have to have got in the end. */
async function makeWorld(cell: Cell) {
  const superadmin = new Caller(urls[0]!, { 'service-api-key': KEY });
  const there = superadmin.with({ 'service-cell': cell });
  const accountId = (await created(there, '/v1/accounts', { name: `Killed in ${cell}` })).id as string;
  const person = await makeUser(superadmin, accountId);
  const key = (await makeKey(superadmin, accountId, person.id)).key as string;
  const adminOf = (url: string) => new Caller(url, { 'service-api-key': key });
  const first = adminOf(urls[0]!);
  const game = { account_id: accountId, name: 'Killed', anti_cheat_enabled: false };
  const gameId = (await created(first, '/v1/games', game)).id;
  const to = (path: string) => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/${cell}${path}`;
  for (const [path, more] of [
    ['/any', {}],
    ['/ordered', { ordered: true }],
    ['/closed', { events: ['board.closed'] }],
  ] as const) {
    await created(first, '/v1/webhook-endpoints', {
      ...{ account_id: accountId, name: path, url: to(path), events: EVENTS, leader_seconds: 10 },
      ...more,
    });
  }

  const players: string[] = [];
  for (let n = 0; n < 3; n += 1) {
    const body = { game_id: gameId, kind: 'custom', external_key: `p${n}`, display_name: `P${n}` };
    players.push((await created(first, '/v1/identities', body)).id);
  }
  const user = (
    await created(first, '/v1/users', {
      account_id: accountId,
      email: `${cell}@example.com`,
      display_name: 'Kim',
    })
  ).id;
  const boards: string[] = [];
  const made: string[] = [];
  const flags: string[] = [];
  const keys: string[] = [];
  let n = 0;
  const patched = (admin: Caller, path: string, body: Data) =>
    send(admin.url + path, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', ...admin.headers },
      body: JSON.stringify(body),
    });
  const acts: ((admin: Caller) => Promise<unknown>)[] = [
    async (admin) => {
      n += 1;
      const { body } = await admin.post('/v1/boards', {
        account_id: accountId,
        game_id: gameId,
        name: `B${n}`,
      });
      if (body.id) boards.push(body.id);
    },
    (admin) => patched(admin, `/v1/boards/${pick(boards)}`, { is_active: Math.random() < 0.5 }),
    (admin) => patched(admin, `/v1/boards/${pick(boards)}`, { is_active: Math.random() < 0.5 }),
    ...Array.from({ length: 4 }, () => async (admin: Caller) => {
      const body = { board_id: pick(boards), identity_id: pick(players), value: Math.random() * 1_000 };
      const answer = await admin.post('/v1/score-events', body);
      if (answer.body.id) made.push(answer.body.id);
    }),
    async (admin) => {
      if (made.length === 0) return;
      const { body } = await admin.post('/v1/score-flags', { score_event_id: pick(made) });
      if (body.id) flags.push(body.id);
    },
    async (admin) => {
      const status = pick(['confirmed_cheat', 'dismissed', 'pending', 'false_positive']);
      if (flags.length > 0) await patched(admin, `/v1/score-flags/${pick(flags)}`, { status });
    },
    async (admin) => {
      const { body } = await admin.post('/v1/api-keys', { account_id: accountId, user_id: user, name: 'k' });
      if (body.id) keys.push(body.id);
    },
    async (admin) => {
      if (keys.length > 0) await patched(admin, `/v1/api-keys/${pick(keys)}`, { status: 'revoked' });
    },
  ];
  // One of each kind that others need.
  for (const kind of [0, 3, 7]) await acts[kind]!(first);
  const act = () => pick(acts)(adminOf(pick(urls)));

  /** True when nothing is left to be told: leaders are told after their span. */
  const isAtRest = async () => {
    const [row] = await query<{ open: number }>(
      cell,
      `select (select count(*) from webhook_events where dispatched_at is null)::int
        + (select count(*) from webhook_deliveries where status <> 'delivered')::int
        + (select count(*) from board_rankings r join boards b on b.id = r.board_id and b.deleted_at is null
            cross join (select id from webhook_endpoints where 'board.leader_changed' = any(events)) e
            left join webhook_leaders w on w.board_id = r.board_id and w.endpoint_id = e.id and not w.is_test
            where r.version > 0 and w.version is distinct from r.version)::int as open`,
    );
    return row!.open === 0;
  };
  const left = () =>
    query(
      cell,
      "select id, type, status, number, attempts, last_error from webhook_deliveries where status <> 'delivered'",
    );

  const check = async () => {
    const received = (path: string, type: string) => {
      const byId = new Map(
        got
          .filter((one) => one.ok && one.path === `/${cell}${path}` && one.body.type === type)
          .map(({ body }) => [body.id, body]),
      );
      return [...byId.values()] as Data[];
    };
    const count = (list: Data[], by: (body: Data) => string) => {
      const counts = new Map<string, number>();
      for (const body of list) counts.set(by(body), (counts.get(by(body)) ?? 0) + 1);
      return Object.fromEntries([...counts].toSorted());
    };
    const facts = async (sql: string): Promise<Record<string, number>> => {
      const rows = await query<{ id: string; n: number }>(cell, sql);
      return Object.fromEntries(rows.map(({ id, n: times }) => [id, times] as const).toSorted());
    };
    const closings = await facts(`select subject_id as id, count(*)::int as n from audit_entries
    where subject_id like 'brd_%' and action = 'record_changed' and after ->> 'isActive' = 'false' group by 1`);
    const flagged = await facts(`select 'flg_' || id as id, 1 as n from score_flags`);
    const reviewed = await facts(`select subject_id as id, count(*)::int as n from audit_entries
    where action = 'flag_reviewed' and before ->> 'status' <> after ->> 'status' group by 1`);
    const opened = await facts(`select 'brd_' || id as id, 1 as n from boards`);
    const newKeys = await facts(
      `select 'key_' || id as id, 1 as n from api_keys where user_id = '${user.slice(4)}'`,
    );
    const revoked = await facts(`select 'key_' || id as id, 1 as n from api_keys where status = 'revoked'`);
    expect(Object.keys(closings).length).toBeGreaterThan(0);
    expect(Object.keys(flagged).length).toBeGreaterThan(0);
    const board = ({ board_id: id }: Data) => id;
    for (const path of ['/any', '/ordered']) {
      expect(count(received(path, 'board.closed'), board)).toEqual(closings);
      expect(count(received(path, 'board.opened'), board)).toEqual(opened);
      expect(count(received(path, 'score.flagged'), ({ data }) => data.flag_id)).toEqual(flagged);
      expect(count(received(path, 'score.reviewed'), ({ data }) => data.flag_id)).toEqual(reviewed);
      expect(count(received(path, 'key.created'), ({ data }) => data.key_id)).toEqual(newKeys);
      expect(count(received(path, 'key.revoked'), ({ data }) => data.key_id)).toEqual(revoked);
    }
    expect(count(received('/closed', 'board.closed'), board)).toEqual(closings);
    expect(
      got.filter(({ path, body }) => path === `/${cell}/closed` && body.type !== 'board.closed'),
    ).toEqual([]);

    // At rest, the leader that was told last is the leader.
    const leaders = await query<{ id: string; leader: string | null }>(
      cell,
      `
    select 'brd_' || r.board_id as id, (select 'ide_' || e.identity_id from entries e where e.board_id = r.board_id and e.generation = r.generation
      and not e.is_test and e.ranked order by e.rank_key, e.seq limit 1) as leader from board_rankings r`,
    );
    const told = new Map<string, string | null>();
    for (const { body } of got.filter(
      (one) => one.ok && one.path === `/${cell}/ordered` && one.body.type === 'board.leader_changed',
    )) {
      told.set(body.board_id, body.data.leader?.player.id ?? null);
    }
    for (const { id, leader } of leaders) expect([id, told.get(id) ?? null]).toEqual([id, leader]);

    // With an order: 1, 2, 3 …, and none before the one in front of it was accepted.
    const accepted = new Map<string, number>();
    for (const { path, body, ok } of got) {
      if (path !== `/${cell}/ordered` || body.number === undefined) continue;
      const before = accepted.get(body.board_id) ?? 0;
      expect(body.number).toBeLessThanOrEqual(before + 1);
      if (ok) accepted.set(body.board_id, Math.max(before, body.number));
    }
    const numbers = await facts(`select 'brd_' || w.board_id as id, w.number::int as n from webhook_boards w
    join webhook_endpoints e on e.id = w.endpoint_id where e.ordered and w.number > 0`);
    expect(Object.fromEntries([...accepted].toSorted())).toEqual(numbers);
  };
  return { act, isAtRest, left, check };
}

test('each event reaches each endpoint that asked, none that did not happen, in order where asked', async () => {
  const worlds = await Promise.all(CELLS.map(makeWorld));
  for (const what of ROUNDS) {
    let killed: Promise<void> = Promise.resolve();
    for (const [part, acts] of ACTS_A_ROUND.entries()) {
      if (part === 1) killed = kill(what);
      else await killed;
      for (let n = 0; n < acts; n += 1) {
        // What is killed answers nothing; whether it was done, the tables tell.
        await Promise.all(worlds.map(({ act }) => act().catch(() => undefined)));
      }
    }
  }
  const deadline = Date.now() + 150_000;
  while (!(await Promise.all(worlds.map(({ isAtRest }) => isAtRest()))).every(Boolean)) {
    if (Date.now() > deadline)
      throw new Error(`no rest: ${JSON.stringify(await Promise.all(worlds.map(({ left }) => left())))}`);
    await delay(500);
  }
  for (const { check } of worlds) await check();
  for (const program of programs) expect(await program.kill('SIGTERM')).toEqual({ code: 0, signal: null });
}, 600_000);
