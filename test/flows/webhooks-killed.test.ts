import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { Webhook } from 'standardwebhooks';
import { uuidOf } from '../../src/base/ids.js';
import { Directory } from '../../src/cells/directory.js';
import { AccountMover } from '../../src/cells/move/move.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/db/embedded/embedded.js';
import { Caller, type Data, send } from '../support/http.js';
import { makeKey, makeUser } from '../support/make.js';
import { DataDir, type Program, startService } from '../support/process.js';
import { until } from '../support/wait.js';

// Random acts on two gateways of the same two cells, which are killed, as their Postgres is, while endpoints are changed, accounts
// change cells, and a receiver refuses some attempts: then what each endpoint got is compared with what happened, as other tables
// tell it.

const CELLS = ['east', 'west'] as const;
type Cell = (typeof CELLS)[number];
/** What is killed amid the acts of each round. */
const ROUNDS: readonly (0 | 1 | 'postgres')[] = [0, 'postgres', 1];
/** Before it is killed, amid that, and after it came back. */
const ACTS_A_ROUND = [6, 8, 10];
const EVENTS = [
  ...['board.opened', 'board.closed', 'board.leader_changed', 'score.flagged', 'score.reviewed'],
  ...['score.held', 'device.banned', 'player.erased', 'import.finished', 'user.invited', 'key.created'],
  ...['key.revoked', 'reward.granted'],
];
/** What an endpoint asks for before it is changed, and afterwards; then of one game alone. */
const BEFORE = ['board.closed', 'key.created', 'score.flagged'];
const AFTER = ['board.opened', 'key.revoked', 'score.flagged'];
const KEY = 'svc_the-key-of-the-superadmin-in-all-cells';

interface Got {
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
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
      got.push({ path: request.url!, headers: request.headers, text, body, ok });
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

/** As if the leases of what was being sent had expired: nobody waits for that here. */
async function endLeases(): Promise<void> {
  for (const cell of CELLS) {
    // Rows that a moved account left behind cannot be changed.
    await query(
      cell,
      `update webhook_deliveries set due_at = now() where status = 'sending'
        and account_id not in (select account_id from account_moves where state <> 'incoming')`,
    );
  }
}

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
  await endLeases();
  await startGateway(what);
}

/** An account on a cell, what is done there, and what its endpoints have to have got in the end. */
async function makeWorld(home: Cell) {
  let cell = home;
  const superadmin = new Caller(urls[0]!, { 'service-api-key': KEY });
  const there = superadmin.with({ 'service-cell': home });
  const accountId = (await created(there, '/v1/accounts', { name: `Killed in ${home}` })).id as string;
  const person = await makeUser(superadmin, accountId);
  const key = (await makeKey(superadmin, accountId, person.id)).key as string;
  const adminOf = (url: string) => new Caller(url, { 'service-api-key': key });
  const first = adminOf(urls[0]!);
  const game = { account_id: accountId, name: 'Killed', anti_cheat_enabled: false };
  const gameId = (await created(first, '/v1/games', game)).id;
  const checked = await created(first, '/v1/games', { account_id: accountId, name: 'Checked' });
  const to = (path: string) => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/${home}${path}`;
  const endpoints: Record<string, Data> = {};
  for (const [path, more] of [
    ['/any', {}],
    ['/ordered', { ordered: true }],
    ['/closed', { events: ['board.closed'] }],
    ['/changed', { events: BEFORE }],
    ['/deleted', { events: BEFORE }],
  ] as const) {
    endpoints[path] = await created(first, '/v1/webhook-endpoints', {
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
      email: `${home}@example.com`,
      display_name: 'Kim',
    })
  ).id;
  const boards: string[] = [];
  const made: string[] = [];
  const flags: string[] = [];
  const devices: string[] = [];
  for (let n = 0; n < 3; n += 1) {
    const device = { game_id: gameId, client_fingerprint: `${home} device ${n}` };
    devices.push((await created(first, '/v1/client/sessions', device)).id);
  }
  const held = { account_id: accountId, game_id: checked.id, name: 'Held', hold_top: 3 };
  const heldBoard = (await created(first, '/v1/boards', { ...held, keep_strategy: 'best' })).id;
  const keys: string[] = [];
  let n = 0;
  const patched = (admin: Caller, path: string, body: Data) =>
    send(admin.url + path, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', ...admin.headers },
      body: JSON.stringify(body),
    });
  const player = async (admin: Caller, game: string) => {
    n += 1;
    const body = { game_id: game, kind: 'custom', external_key: `own${n}`, display_name: `Own ${n}` };
    return (await created(admin, '/v1/identities', body)).id as string;
  };
  const endpoint = (path: string) => `/v1/webhook-endpoints/${endpoints[path]!.id}`;
  const secrets = [String(endpoints['/any']!.secret)];
  /** An answer was lost, and with it a secret. */
  let isSecretLost = false;
  const rotate = async (admin: Caller) => {
    isSecretLost = true;
    const { status, body } = await admin.post(`${endpoint('/any')}/rotate-secret`, { overlap_hours: 1 });
    if (status === 200) secrets.push(body.secret);
    isSecretLost = status !== 200;
  };
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
    ...Array.from({ length: 4 }, () => async (admin: Caller) => {
      const body = { board_id: pick(boards), identity_id: pick(players), value: Math.random() * 1_000 };
      const answer = await admin.post('/v1/score-events', body);
      if (answer.body.id) made.push(answer.body.id);
    }),
    async (admin) => {
      n += 1;
      const prizes = { lines: [{ name: 'all', title: 'For all' }] };
      const board = { account_id: accountId, game_id: gameId, name: `P${n}`, closing_rules: [{ prizes }] };
      const { body } = await admin.post('/v1/boards', board);
      await admin.post('/v1/score-events', { board_id: body.id, identity_id: pick(players), value: n });
      await admin.post(`/v1/boards/${body.id}/close`, {});
    },
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
    (admin) =>
      patched(admin, `/v1/devices/${pick(devices)}`, { status: pick(['banned', 'banned', 'active']) }),
    async (admin) =>
      admin.post(`/v1/identities/${await player(admin, gameId)}/erase`, { scores: pick(['keep', 'remove']) }),
    (admin) => {
      n += 1;
      return admin.post('/register/invite', { email: `guest-${home}-${n}@example.com` });
    },
    async (admin) => {
      const { body } = await admin.post(`/v1/boards/${pick(boards)}/imports`, {});
      const content = `external_key,value\np0,${Math.random() * 1_000}\n`;
      await admin.post(`/v1/imports/${body.id}/chunks`, { number: 0, format: 'csv', content });
      await admin.post(`/v1/imports/${body.id}/finish`, {});
    },
    // The second run comes too fast for a fair one.
    async (admin) => {
      const identity_id = await player(admin, checked.id);
      for (const value of [n, 1_000 + n]) {
        await admin.post('/v1/score-events', { board_id: heldBoard, identity_id, value });
      }
    },
    (admin) => patched(admin, endpoint(pick(['/any', '/ordered'])), { paused: true }),
    (admin) => patched(admin, endpoint(pick(['/any', '/ordered'])), { paused: false }),
    (admin) => patched(admin, endpoint('/any'), { paused: false }),
    (admin) => rotate(admin),
    (admin) => patched(admin, `/v1/boards/${pick(boards)}`, { is_active: Math.random() < 0.5 }),
    (admin) => patched(admin, `/v1/boards/${pick(boards)}`, { is_active: Math.random() < 0.5 }),
  ];
  // One of each kind.
  for (const make of acts) await make(first);
  await patched(first, `/v1/boards/${boards[0]}`, { is_active: false });
  await patched(first, `/v1/devices/${devices[0]}`, { status: 'active' });
  await patched(first, `/v1/devices/${devices[0]}`, { status: 'banned' });
  await patched(first, `/v1/score-flags/${flags[0]}`, { status: 'dismissed' });
  const act = () => pick(acts)(adminOf(pick(urls)));

  /** Repeats a write until it is acknowledged. */
  const insisted = async (path: string, body: Data) => {
    const isDone = () =>
      patched(adminOf(pick(urls)), path, body).then(
        ({ status }) => status === 200,
        () => false,
      );
    await until(isDone, 100);
  };
  /** When an endpoint had been changed and another one deleted for good. */
  let changedAt = Number.NaN;
  const changeEndpoints = async () => {
    await insisted(endpoint('/changed'), { events: AFTER, game_ids: [gameId] });
    await insisted(endpoint('/deleted'), { deleted: true });
    changedAt = Date.now();
  };
  const move = async () => {
    const directory = new Directory(databaseUrl('directory'));
    const { signal } = new AbortController();
    const target = cell === 'east' ? 'west' : 'east';
    try {
      const mover = new AccountMover({ directory, urlOf: databaseUrl, signal, report: () => undefined });
      // The one before may not have let go of its sessions yet.
      const isMoved = () =>
        mover.move(uuidOf(accountId), target).then(
          () => true,
          (error: Error) => {
            if (/Another move/.test(error.message)) return false;
            throw error;
          },
        );
      await until(isMoved, 200);
    } finally {
      await directory.close();
    }
    cell = target;
  };
  const resume = async () => {
    for (const path of ['/any', '/ordered']) await insisted(endpoint(path), { paused: false });
  };
  const account = uuidOf(accountId);

  /** True when nothing is left to be told: leaders are told after their span. */
  const isAtRest = async () => {
    const [row] = await query<{ open: number }>(
      cell,
      `select (select count(*) from webhook_events where dispatched_at is null and account_id = '${account}')::int
        + (select count(*) from closings where account_id =
          '${account}' and (status = 'settling' or (status = 'frozen' and prizes_status = 'granting')))::int
        + (select count(*) from score_imports where status not in ('finished', 'open') and account_id = '${account}')::int
        + (select count(*) from webhook_deliveries d where d.status <> 'delivered' and d.account_id = '${account}'
            and exists (select from webhook_endpoints e where e.id = d.endpoint_id and e.deleted_at is null))::int
        + (select count(*) from board_rankings r join boards b on b.id = r.board_id and b.deleted_at is null and b.account_id = '${account}'
            cross join (select id from webhook_endpoints where 'board.leader_changed' = any(events) and account_id = '${account}') e
            left join webhook_leaders w on w.board_id = r.board_id and w.endpoint_id = e.id and not w.is_test
            where r.version > 0 and w.version is distinct from r.version)::int as open`,
    );
    return row!.open === 0;
  };
  const left = () =>
    query(
      cell,
      `select id, type, status, number, attempts, last_error from webhook_deliveries where status <> 'delivered'
        and account_id = '${account}'`,
    );

  const check = async () => {
    const received = (path: string, type: string) => {
      const byId = new Map(
        got
          .filter((one) => one.ok && one.path === `/${home}${path}` && one.body.type === type)
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
    const audited = (which: string) => `select subject_id as id, count(*)::int as n from audit_entries
      where account_id = '${account}' and ${which} group by 1`;
    const own = `account_id = '${account}'`;
    const revoked = `select 'key_' || id as id, 1 as n from api_keys where ${own} and status = 'revoked'`;
    const flagged = `select 'flg_' || id as id, 1 as n from score_flags where ${own}`;
    const opened = `select 'brd_' || id as id, 1 as n from boards where ${own}`;
    /** What happened, by type of event: the statement, and what events of the type are counted by. */
    const happened: Record<string, [sql: string, by: (body: Data) => string]> = {
      'board.closed': [
        audited(`subject_id like 'brd_%' and action = 'record_changed' and after ->> 'isActive' = 'false'`),
        ({ board_id: id }) => id,
      ],
      'board.opened': [opened, ({ board_id: id }) => id],
      'score.flagged': [flagged, ({ data }) => data.flag_id],
      'score.reviewed': [
        audited(`action = 'flag_reviewed' and before ->> 'status' <> after ->> 'status'`),
        ({ data }) => data.flag_id,
      ],
      'score.held': [
        `select 'sev_' || v.id as id, 1 as n from held_runs h join score_events v on v.board_id = h.board_id and v.seq = h.event_seq
          join boards b on b.id = h.board_id and b.account_id = '${account}'`,
        ({ data }) => data.score_event_id,
      ],
      'device.banned': [
        audited(`subject_id like 'dev_%' and after ->> 'status' = 'banned'`),
        ({ data }) => data.device_id,
      ],
      'player.erased': [audited(`action = 'identity_erased'`), ({ data }) => data.player.id],
      'import.finished': [
        `select 'imp_' || id as id, 1 as n from score_imports where ${own} and status = 'finished'`,
        ({ data }) => data.import_id,
      ],
      'user.invited': [
        `select 'usr_' || id as id, 1 as n from users where ${own} and email like 'guest-%'`,
        ({ data }) => data.user_id,
      ],
      'key.created': [
        `select 'key_' || id as id, 1 as n from api_keys where user_id = '${user.slice(4)}'`,
        ({ data }) => data.key_id,
      ],
      'key.revoked': [revoked, ({ data }) => data.key_id],
      'reward.granted': [
        `select 'rwd_' || id as id, 1 as n from rewards where ${own}`,
        ({ data }) => data.rewards[0].reward_id,
      ],
    };
    for (const [type, [sql, by]] of Object.entries(happened)) {
      const wanted = await facts(sql);
      expect([type, Object.keys(wanted).length > 0]).toEqual([type, true]);
      for (const path of ['/any', '/ordered']) {
        expect([path, type, count(received(path, type), by)]).toEqual([path, type, wanted]);
      }
      // Of those that were changed meanwhile: nothing that did not happen, and nothing too often.
      for (const path of ['/changed', '/deleted']) {
        for (const [id, n] of Object.entries(count(received(path, type), by))) {
          expect([path, type, id, n <= (wanted[id] ?? 0)]).toEqual([path, type, id, true]);
        }
      }
    }
    const [closingsOf, board] = happened['board.closed']!;
    const closings = await facts(closingsOf);

    // What an endpoint no longer asks for is not told, and what it asks for from then on is.
    const late = got.filter(({ body }) => Date.parse(body.timestamp) > changedAt);
    const lateTypes = (path: string) =>
      new Set(late.filter((one) => one.path === `/${home}${path}`).map(({ body }) => body.type));
    expect(lateTypes('/deleted')).toEqual(new Set());
    expect([...lateTypes('/changed')].filter((type) => !AFTER.includes(type))).toEqual([]);
    const since = `> '${new Date(changedAt).toISOString()}'`;
    const revokedAt = audited(
      `subject_id like 'key_%' and after ->> 'status' = 'revoked' and created_at ${since}`,
    );
    for (const [type, sql] of [
      ['board.opened', `${opened} and game_id = '${uuidOf(gameId)}' and created_at ${since}`],
      ['score.flagged', `${flagged} and game_id = '${uuidOf(gameId)}' and created_at ${since}`],
      ['key.revoked', revokedAt],
    ] as const) {
      const told = new Set(received('/changed', type).map(happened[type]![1]));
      expect([type, Object.keys(await facts(sql)).filter((id) => !told.has(id))]).toEqual([type, []]);
      const others = late.filter(
        ({ path, body }) => path === `/${home}/changed` && body.game_id === checked.id,
      );
      expect(others).toEqual([]);
    }

    // Each delivery has an id of its own, and a signature of a secret that the endpoint had.
    const kinds = new Map<string, string>();
    for (const { path, body } of got) {
      const kind = `${path} ${body.type} ${body.timestamp}`;
      expect(kinds.get(body.id) ?? kind).toBe(kind);
      kinds.set(body.id, kind);
    }
    if (!isSecretLost) {
      const webhooks = secrets.map((secret) => new Webhook(secret));
      const isSigned = ({ text, headers }: Got) =>
        webhooks.some((webhook) => {
          try {
            return webhook.verify(text, headers as Record<string, string>);
          } catch {
            return false;
          }
        });
      const recent = got.filter(
        ({ path, headers }) =>
          path === `/${home}/any` && Number(headers['webhook-timestamp']) * 1_000 > Date.now() - 240_000,
      );
      expect(recent.filter((one) => !isSigned(one))).toEqual([]);
    }
    expect(count(received('/closed', 'board.closed'), board)).toEqual(closings);
    expect(
      got.filter(({ path, body }) => path === `/${home}/closed` && body.type !== 'board.closed'),
    ).toEqual([]);

    // At rest, the leader that was told last is the leader.
    const leaders = await query<{ id: string; leader: string | null }>(
      cell,
      `
    select 'brd_' || r.board_id as id, (select 'ide_' || e.identity_id from entries e where e.board_id = r.board_id
      and e.generation = r.generation
      and not e.is_test and e.ranked order by e.rank_key, e.seq limit 1) as leader from board_rankings r
        join boards b on b.id = r.board_id and b.account_id = '${account}'`,
    );
    const told = new Map<string, string | null>();
    for (const { body } of got.filter(
      (one) => one.ok && one.path === `/${home}/ordered` && one.body.type === 'board.leader_changed',
    )) {
      told.set(body.board_id, body.data.leader?.player.id ?? null);
    }
    for (const { id, leader } of leaders) expect([id, told.get(id) ?? null]).toEqual([id, leader]);

    // With an order: 1, 2, 3 …, and none before the one in front of it was accepted.
    const accepted = new Map<string, number>();
    for (const { path, body, ok } of got) {
      if (path !== `/${home}/ordered` || body.number === undefined) continue;
      const before = accepted.get(body.board_id) ?? 0;
      expect(body.number).toBeLessThanOrEqual(before + 1);
      if (ok) accepted.set(body.board_id, Math.max(before, body.number));
    }
    const numbers = await facts(`select 'brd_' || w.board_id as id, w.number::int as n from webhook_boards w
    join webhook_endpoints e on e.id = w.endpoint_id where e.ordered and w.number > 0 and e.account_id = '${account}'`);
    expect(Object.fromEntries([...accepted].toSorted())).toEqual(numbers);
  };
  return { act, isAtRest, left, check, changeEndpoints, move, resume };
}

async function moveAll(worlds: { move(): Promise<void> }[]): Promise<void> {
  for (const { move } of worlds) await move();
  await endLeases();
}

test('each event reaches each endpoint that asked, none that did not happen, in order where asked', async () => {
  const worlds = await Promise.all(CELLS.map(makeWorld));
  for (const [round, what] of ROUNDS.entries()) {
    let killed: Promise<void> = Promise.resolve();
    for (const [part, acts] of ACTS_A_ROUND.entries()) {
      if (part === 1) killed = kill(what);
      else await killed;
      if (round === 1 && part === 0) for (const { changeEndpoints } of worlds) await changeEndpoints();
      // Both accounts change cells amid what is done.
      const moved = round === 1 && part === 2 ? moveAll(worlds) : Promise.resolve();
      for (let n = 0; n < acts; n += 1) {
        // What is killed answers nothing; whether it was done, the tables tell.
        await Promise.all(worlds.map(({ act }) => act().catch(() => undefined)));
      }
      await moved;
    }
  }
  for (const { resume } of worlds) await resume();
  await endLeases();
  const deadline = Date.now() + 150_000;
  while (!(await Promise.all(worlds.map(({ isAtRest }) => isAtRest()))).every(Boolean)) {
    if (Date.now() > deadline)
      throw new Error(`no rest: ${JSON.stringify(await Promise.all(worlds.map(({ left }) => left())))}`);
    await delay(500);
  }
  for (const { check } of worlds) await check();
  for (const program of programs) expect(await program.kill('SIGTERM')).toEqual({ code: 0, signal: null });
}, 600_000);
