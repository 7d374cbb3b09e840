import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../src/db/pool.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';
import { type Caller, type Data, send } from '../support/http.js';
import { DataDir, type Program, settingsOn, startService, superadminOf } from '../support/process.js';

// Random acts on two processes that are killed again and again, and a receiver that refuses some attempts: then what each endpoint
// got is compared with what happened, as other tables tell it.

const ROUNDS = 6;
const ACTS_A_ROUND = 12;
const EVENTS = [
  ...['board.opened', 'board.closed', 'board.leader_changed', 'score.flagged', 'score.reviewed'],
  ...['key.created', 'key.revoked'],
];

interface Got {
  path: string;
  body: Data;
  ok: boolean;
}

const got: Got[] = [];
let receiver: Server;
/** Two processes on one database. */
const programs: Program[] = [];
const admins: Caller[] = [];
const dataDir = new DataDir();
let clone: TestDatabase;
let database: Database;

async function startProcess(index: number): Promise<void> {
  const local = { WEBHOOK_ALLOW_HTTP: 'true', WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8', LOG_LEVEL: 'warn' };
  const { program, url } = await startService({ ...settingsOn(clone, dataDir), ...local });
  programs[index] = program;
  admins[index] = superadminOf(url);
}

async function created(path: string, body: Data): Promise<Data> {
  const answer = await admins[0]!.post(path, body);
  if (answer.status !== 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

beforeAll(async () => {
  clone = await cloneDatabase();
  database = clone.open();
  for (const index of [0, 1]) await startProcess(index);
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
});
afterAll(async () => {
  for (const program of programs) if (program.running) await program.kill('SIGKILL');
  await clone.drop();
  await dataDir.remove();
  receiver.closeAllConnections();
  receiver.close();
});

const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!;

test('each event reaches each endpoint that asked, none that did not happen, in order where asked', async () => {
  const accountId = (await created('/v1/accounts', { name: 'Killed' })).id;
  const game = { account_id: accountId, name: 'Killed', anti_cheat_enabled: false };
  const gameId = (await created('/v1/games', game)).id;
  const url = (path: string) => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}${path}`;
  const endpoint = async (path: string, more: Data = {}) =>
    (
      await created('/v1/webhook-endpoints', {
        ...{ account_id: accountId, name: path, url: url(path), events: EVENTS, leader_seconds: 10 },
        ...more,
      })
    ).id as string;
  await endpoint('/any');
  await endpoint('/ordered', { ordered: true });
  await endpoint('/closed', { events: ['board.closed'] });

  const players: string[] = [];
  for (let n = 0; n < 3; n += 1) {
    const body = { game_id: gameId, kind: 'custom', external_key: `p${n}`, display_name: `P${n}` };
    players.push((await created('/v1/identities', body)).id);
  }
  const user = (
    await created('/v1/users', { account_id: accountId, email: 'k@example.com', display_name: 'Kim' })
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
  await acts[0]!(admins[0]!);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let act = 0; act < ACTS_A_ROUND; act += 1) {
      const admin = pick(admins);
      // The one that is killed answers nothing; whether it was done, the tables tell.
      const done = Promise.resolve(pick(acts)(admin)).catch(() => undefined);
      if (act === 5) {
        await delay(Math.random() * 20);
        const index = round % 2;
        await programs[index]!.kill('SIGKILL');
        await done;
        await startProcess(index);
      } else {
        await done;
      }
    }
    // Connections break, as when a server is failed over.
    await database.knex.raw(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
         and application_name like 'leaderboard jobs%'`,
    );
  }
  // Leaders are told after their span, and nothing is open then.
  const rest = async () => {
    const { rows } = await database.knex.raw<{ rows: { open: number }[] }>(
      `select (select count(*) from webhook_events where dispatched_at is null)::int
        + (select count(*) from webhook_deliveries where status <> 'delivered')::int
        + (select count(*) from board_rankings r join boards b on b.id = r.board_id and b.deleted_at is null
            cross join (select id from webhook_endpoints where 'board.leader_changed' = any(events)) e
            left join webhook_leaders w on w.board_id = r.board_id and w.endpoint_id = e.id and not w.is_test
            where r.version > 0 and w.version is distinct from r.version)::int as open`,
    );
    return rows[0]!.open === 0;
  };
  const deadline = Date.now() + 240_000;
  while (!(await rest())) {
    if (Date.now() > deadline)
      throw new Error(
        JSON.stringify(await database.knex('webhook_deliveries').whereNot('status', 'delivered')),
      );
    await delay(500);
  }

  const received = (path: string, type: string) => {
    const byId = new Map(
      got
        .filter((one) => one.ok && one.path === path && one.body.type === type)
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
    const { rows } = await database.knex.raw<{ rows: { id: string; n: number }[] }>(sql);
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
  expect(got.filter(({ path, body }) => path === '/closed' && body.type !== 'board.closed')).toEqual([]);

  // At rest, the leader that was told last is the leader.
  const leaders = await database.knex.raw<{ rows: { id: string; leader: string | null }[] }>(`
    select 'brd_' || r.board_id as id, (select 'ide_' || e.identity_id from entries e where e.board_id = r.board_id and e.generation = r.generation
      and not e.is_test and e.ranked order by e.rank_key, e.seq limit 1) as leader from board_rankings r`);
  const told = new Map<string, string | null>();
  for (const { body } of got.filter(
    (one) => one.ok && one.path === '/ordered' && one.body.type === 'board.leader_changed',
  )) {
    told.set(body.board_id, body.data.leader?.player.id ?? null);
  }
  for (const { id, leader } of leaders.rows) expect([id, told.get(id) ?? null]).toEqual([id, leader]);

  // With an order: 1, 2, 3 …, and none before the one in front of it was accepted.
  const accepted = new Map<string, number>();
  for (const { path, body, ok } of got) {
    if (path !== '/ordered' || body.number === undefined) continue;
    const before = accepted.get(body.board_id) ?? 0;
    expect(body.number).toBeLessThanOrEqual(before + 1);
    if (ok) accepted.set(body.board_id, Math.max(before, body.number));
  }
  const numbers = await facts(`select 'brd_' || w.board_id as id, w.number::int as n from webhook_boards w
    join webhook_endpoints e on e.id = w.endpoint_id where e.ordered and w.number > 0`);
  expect(Object.fromEntries([...accepted].toSorted())).toEqual(numbers);
  for (const program of programs) expect(await program.kill('SIGTERM')).toEqual({ code: 0, signal: null });
}, 600_000);
