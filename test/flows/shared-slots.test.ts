import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import pg from 'pg';
import { idOf, uuid7, uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { guardedFetch } from '../../src/base/outbound/guarded-fetch.js';
import { Changes } from '../../src/db/changes.js';
import type { Database } from '../../src/db/pool.js';
import { BulkReviews } from '../../src/fairplay/reviews/bulk.js';
import { Outbox, Seal } from '../../src/mail/outbox.js';
import { ErasureWorker } from '../../src/privacy/worker.js';
import { Builds } from '../../src/rankings/upkeep/builds.js';
import { Ratios } from '../../src/rankings/upkeep/ratios.js';
import { RemovalWorker } from '../../src/rankings/upkeep/removals.js';
import { Retirement } from '../../src/rankings/upkeep/retire.js';
import { Issuers } from '../../src/registration/provider/issuers.js';
import { ingest } from '../../src/submissions/ingest.js';
import { SETTINGS, startApp, type TestApp } from '../support/app.js';
import { HOUR, MINUTE } from '../support/clock.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';
import { makePlayer, play as playOn, RUNS } from '../support/flags.js';
import type { Data } from '../support/http.js';
import { ImportClient } from '../support/imports.js';
import { waiting } from '../support/locks.js';
import { makeBoard, makeGame, makeStudio, type Studio } from '../support/make.js';
import { MailServer } from '../support/smtp.js';
import { declareView } from '../support/views.js';
import { until } from '../support/wait.js';
import {
  makeIdentities,
  makeWorld,
  makeBoard as makeWorldBoard,
  submissionOf,
  type World,
} from '../support/world.js';

// One account fills a slot that all share (docs/decisions/shared-slots.md), and another's work goes through: by what was served before what.

let app: TestApp;
let mails: MailServer;
let many: Studio;
let few: Studio;
/** Receivers that hold their answers, by account's path. */
const held: { path: string; response: ServerResponse; isCut: boolean }[] = [];
let onRequest: (request: IncomingMessage, response: ServerResponse) => void;
const receiver = createServer((request, response) => {
  request.resume();
  onRequest(request, response);
});
const of = (start: string) => held.filter((one) => one.path.startsWith(start));
const answerAll = () => {
  for (const { response } of held.splice(0)) response.writeHead(200).end();
};

beforeAll(async () => {
  mails = await MailServer.start();
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const webhooks = { webhookAllowHttp: true, webhookAllowNetworks: ['127.0.0.0/8'] };
  app = await startApp({ ...webhooks, smtpUrl: mails.url, mailFrom: 'boards@play.example.com' });
  [many, few] = [await makeStudio(app), await makeStudio(app)];
});
afterAll(async () => {
  answerAll();
  await app.close();
  await mails.stop();
  receiver.closeAllConnections();
  receiver.close();
});
beforeEach(() => {
  onRequest = ({ url }, response) => {
    const one = { path: url!, response, isCut: false };
    held.push(one);
    response.on('close', () => {
      one.isCut = true;
    });
  };
});

async function endpoints(studio: Studio, name: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const { status, body } = await studio.admin.post('/v1/webhook-endpoints', {
      ...{ account_id: studio.accountId, name: `${name}${n}`, events: ['device.banned'] },
      url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/${name}/${n}`,
    });
    expect(status).toBe(201);
    ids.push(uuidOf(body.id));
  }
  return ids;
}

const FILL = `
  insert into webhook_events (id, account_id, type, game_id, is_test, subject, occurred_at, due_at, created_at)
  select gen_random_uuid(), :account, 'device.banned', :game, null,
    jsonb_build_object('device_id', 'dev_00000000-0000-7000-8000-000000000000', 'player_id', null, 'review_id', null), :now, :now, :now
  from generate_series(1, :n)`;

async function report({ accountId }: Studio, game: Data, n: number): Promise<void> {
  const now = new Date(app.clock.now());
  await app.database.knex.raw(FILL, { account: uuidOf(accountId), game: uuidOf(game.id), n, now });
}

async function sendOut(): Promise<void> {
  await app.app.jobs.run('dispatch-webhooks');
  await app.app.jobs.run('send-webhooks');
}

const sent = () =>
  until(async () => {
    answerAll();
    const left = await app.database.knex('webhook_deliveries').whereIn('status', ['queued', 'sending']);
    if (left.length > 0) await app.app.jobs.run('send-webhooks');
    return left.length === 0;
  });

/** Ids of rows, in the order in which they were last written. */
async function inOrder(table: string, ids: readonly string[], more = ''): Promise<string[]> {
  const { rows } = await app.database.knex.raw<{ rows: { id: string }[] }>(
    `select t.id from ${table} t where t.id = any(?::uuid[]) ${more} order by t.xmin::text::bigint`,
    [[...ids]],
  );
  return rows.map(({ id }) => id);
}

test('webhooks: twenty receivers of an account hold a fifth of the requests, and another account is sent to', async () => {
  const [game, others] = [await makeGame(many), await makeGame(few)];
  const slow = await endpoints(many, 'slow', 20);
  const [quick] = await endpoints(few, 'quick', 1);
  await report(many, game, 3);
  await sendOut();
  await until(() => of('/slow').length === 20);
  await report(few, others, 30);
  await sendOut();
  await until(() => of('/quick').length === 10);
  expect([of('/slow').length, held.filter(({ isCut }) => isCut).length]).toEqual([20, 0]);
  await sent();
  // Those whose last answer was slow share other requests than the rest.
  await app.database.knex('webhook_endpoints').whereIn('id', slow).update({ is_slow: true });
  await report(many, game, 1);
  await sendOut();
  await until(() => of('/slow').length === 10);
  // One that is not, of the same account.
  const busy = of('/slow').map((one) => Number(one.path.slice('/slow/'.length)));
  const other = slow.findIndex((_id, n) => !busy.includes(n));
  await app.database.knex('webhook_endpoints').where('id', slow[other]!).update({ is_slow: false });
  await app.app.jobs.run('send-webhooks');
  await until(() => of(`/slow/${other}`).length === 1);
  expect(of('/slow')).toHaveLength(11);
  await sent();
  const left = await app.database.knex('webhook_endpoints').where('is_slow', true);
  expect(left).toEqual([]);
  expect(await app.database.knex('webhook_deliveries').where('endpoint_id', quick!)).toHaveLength(30);
});

test('webhooks: an answer of more than three seconds puts its receiver into the slow lane, a fast one back', async () => {
  const studio = await makeStudio(app);
  const game = await makeGame(studio);
  const [id] = await endpoints(studio, 'turtle', 1);
  const isSlow = async () =>
    (await app.database.knex('webhook_endpoints').where({ id }).first('is_slow')).is_slow;
  let pause = 3_200;
  onRequest = (_request, response) => void setTimeout(() => response.writeHead(200).end(), pause);
  await report(studio, game, 1);
  await sendOut();
  await until(isSlow);
  pause = 0;
  await report(studio, game, 1);
  await sendOut();
  await until(async () => !(await isSlow()));
});

test('webhooks: an account that reports much delays no event of another', async () => {
  const [loud, quiet] = [await makeStudio(app), await makeStudio(app)];
  await report(loud, await makeGame(loud), 450);
  await report(quiet, await makeGame(quiet), 1);
  const ids: { id: string; account_id: string }[] = await app.database
    .knex('webhook_events')
    .whereIn('account_id', [uuidOf(loud.accountId), uuidOf(quiet.accountId)])
    .update({ endpoint_id: null })
    .returning(['id', 'account_id']);
  await endpoints(loud, 'loud', 1);
  await endpoints(quiet, 'still', 1);
  onRequest = (_request, response) => void response.writeHead(200).end();
  await app.app.jobs.run('dispatch-webhooks');
  const order = await inOrder(
    'webhook_events',
    ids.map(({ id }) => id),
  );
  const own = ids.find(({ account_id }) => account_id === uuidOf(quiet.accountId))!.id;
  // A transaction dispatches two hundred, and its rows are in no order.
  expect(order.indexOf(own)).toBeLessThan(200);
  expect(order).toHaveLength(451);
  await sent();
});

test('mails: an account has two on their way, and what others queue comes before the rest of its own', async () => {
  const outbox = new Outbox(new Seal(SETTINGS.keySecret));
  const { knex } = app.database;
  const put = (account: string | null, recipient: string) =>
    knex.transaction((trx) => {
      const now = new Date(app.clock.now());
      const content = { subject: 'Hello', text: 'Hello', html: '<p>Hello</p>', kind: 'test' };
      const until = new Date(now.getTime() + HOUR);
      const mail = { ...content, recipient, accountId: account, about: uuid7(), expiresAt: until };
      return outbox.put(trx, mail, now);
    });
  let answer = () => undefined as unknown;
  mails.manners = {
    hold: new Promise<void>((resolve) => {
      answer = resolve;
    }),
  };
  for (let n = 0; n < 30; n += 1) await put(uuidOf(many.accountId), `m${n}@example.com`);
  const sending = app.app.jobs.run('send-mails');
  const status = async (of: string) =>
    (await knex('mails').where('recipient', 'like', of).select('status')).map((row) => row.status);
  const going = async (of: string) => (await status(of)).filter((one) => one === 'sending').length;
  await until(async () => (await going('m%')) === 2);
  await put(uuidOf(few.accountId), 'few@example.com');
  for (let n = 0; n < 3; n += 1) await put(null, `code${n}@example.com`);
  await app.app.jobs.run('send-mails');
  await until(async () => (await going('few@%')) + (await going('code%')) === 4);
  expect(await going('m%')).toBe(2);
  answer();
  await sending;
  const done = async () => !(await status('%')).some((one) => one !== 'sent');
  await until(async () => (await done()) || (await app.app.jobs.run('send-mails')) < 0);
});

test('imports: a small one does not wait for the rest of a large one', async () => {
  const boardOf = async (studio: Studio) => makeBoard(studio, (await makeGame(studio)).id);
  const [large, small] = [await boardOf(many), await boardOf(few)];
  const client = (studio: Studio) => new ImportClient(() => studio.admin);
  const lines = (count: number, from = 0) =>
    `external_key,value\n${Array.from({ length: count }, (_, n) => `p${from + n},${n}`).join('\n')}`;
  const begin = async (studio: Studio, board: Data, chunks: string[]) => {
    const id = await client(studio).begin(board.id);
    for (const [number, chunk] of chunks.entries()) await client(studio).send(id, number, chunk);
    return id;
  };
  const first = await begin(many, large, [lines(5_000), lines(5_000, 5_000)]);
  const second = await begin(few, small, [lines(1)]);
  const holder = new pg.Client({ connectionString: app.database.connectionString });
  await holder.connect();
  await holder.query('begin');
  await holder.query('select from board_rankings where board_id = $1 for update', [uuidOf(large.id)]);
  const finish = (studio: Studio, id: string) => studio.admin.post(`/v1/imports/${id}/finish`, {});
  expect((await finish(many, first)).status).toBe(200);
  await waiting(app, 1);
  expect((await finish(few, second)).status).toBe(200);
  await holder.query('commit');
  await holder.end();
  const isDone = async (studio: Studio, id: string) => (await client(studio).read(id)).status === 'finished';
  await until(async () => (await isDone(many, first)) && (await isDone(few, second)));
  expect(await inOrder('score_imports', [first, second].map(uuidOf))).toEqual([second, first].map(uuidOf));
});

test('templates and closings: accounts take turns, however many are due', async () => {
  const [crowd, single] = [await makeStudio(app), await makeStudio(app)];
  const at = (millis: number) => new Date(app.clock.now() + millis).toISOString();
  const ending = async (studio: Studio, game: Data, millis: number) =>
    (await makeBoard(studio, game.id, { endsAt: at(millis), closingRules: [{}] })).id as string;
  const template = async (studio: Studio, game: Data, name: string, millis: number) => {
    const { status } = await studio.admin.post('/v1/board-templates', {
      ...{ account_id: studio.accountId, game_id: game.id, name },
      ...{ repeat_interval: '1 day', next_run_at: at(millis) },
    });
    expect(status).toBe(201);
  };
  const [games, game] = [await makeGame(crowd), await makeGame(single)];
  const boards: string[] = [];
  for (let n = 0; n < 4; n += 1) {
    boards.push(await ending(crowd, games, MINUTE + n));
    await template(crowd, games, `crowd ${n}`, MINUTE + n);
  }
  const last = await ending(single, game, 2 * MINUTE);
  await template(single, game, 'single', 2 * MINUTE);
  app.clock.advance(3 * MINUTE);
  await app.app.jobs.run('run-board-templates');
  const made = await app.database.knex
    .from('boards')
    .whereIn(
      'game_id',
      [games, game].map(({ id }) => uuidOf(id)),
    )
    .whereNotNull('created_from_template_id')
    .orderByRaw('xmin::text::bigint')
    .select('game_id');
  expect(made.map(({ game_id }) => game_id === uuidOf(game.id)).indexOf(true)).toBe(1);
  await app.app.jobs.run('close-rankings');
  app.clock.advance(2 * HOUR);
  await app.app.jobs.run('close-rankings');
  const ids: { id: string; board_id: string }[] = await app.database
    .knex('closings')
    .whereIn('board_id', [...boards, last].map(uuidOf))
    .select('id', 'board_id');
  const order = await inOrder(
    'closings',
    ids.map(({ id }) => id),
    "and t.status = 'frozen'",
  );
  expect(order).toHaveLength(5);
  expect(order.indexOf(ids.find(({ board_id }) => board_id === uuidOf(last))!.id)).toBe(1);
});

test('single sign-on: an account whose issuer does not answer has ten requests, and another is asked', async () => {
  const bounds = { timeoutMs: MINUTE, mostRequestBytes: 10_000, mostResponseBytes: 10_000 };
  const reach = guardedFetch({ allowHttp: true, allowNetworks: ['127.0.0.0/8'], ...bounds });
  const issuers = new Issuers(reach, true, makeLog('silent'));
  const { port } = receiver.address() as AddressInfo;
  const check = (owner: string, n: number) => {
    const refused = { code: 'VALIDATION_FAILED' };
    return expect(issuers.check(`http://127.0.0.1:${port}/${owner}${n}`, owner)).rejects.toMatchObject(
      refused,
    );
  };
  const checks = Array.from({ length: 12 }, (_, n) => check('mute', n));
  await until(() => of('/mute').length === 10);
  checks.push(check('heard', 0));
  await until(() => of('/heard').length === 1);
  expect(of('/mute')).toHaveLength(10);
  let isOver = false;
  const all = Promise.all(checks).finally(() => {
    isOver = true;
  });
  await until(() => {
    answerAll();
    return isOver;
  });
  await all;
});

test('sessions of players: an account has four at a time, and another account starts its own', async () => {
  const playersOf = async (studio: Studio, count: number) => {
    const game = await makeGame(studio);
    return Promise.all(Array.from({ length: count }, (_, n) => makePlayer(studio.admin, game.id, `p${n}`)));
  };
  const [crowd, [other]] = [await playersOf(many, 30), await playersOf(few, 1)];
  const lock = await app.database.knex.transaction();
  await lock.raw('lock table identities in access exclusive mode');
  const begin = (studio: Studio, id: string) => studio.admin.post(`/v1/identities/${id}/sessions`, {});
  const looking = async () => {
    const { rows } = await app.database.pool.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%is_banned_here%'`,
    );
    return rows.length;
  };
  const asked = crowd.map((id) => begin(many, id));
  let next: Promise<{ status: number }>;
  try {
    await until(async () => (await looking()) === 4);
    next = begin(few, other!);
    await until(async () => (await looking()) >= 5);
    expect(await looking()).toBe(5);
  } finally {
    await lock.rollback();
  }
  expect((await next).status).toBe(201);
  // On a busy machine, some of the others have waited for too long.
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  expect(statuses.filter((status) => status !== 201 && status !== 503)).toEqual([]);
});

/** Of a request whose turn did not come; the database has other words when it is away. */
const BUSY = 'The service is busy. Try again in a moment.';

describe('costly requests of administrators', () => {
  const boards = new Map<Studio, Data>();
  beforeAll(async () => {
    for (const studio of [many, few]) {
      const game = await makeGame(studio);
      const prizes = { lines: [{ name: 'gold', title: 'Gold', firstRank: 1 }] };
      const endsAt = new Date(app.clock.now() + MINUTE).toISOString();
      const ending = await makeBoard(studio, game.id, { endsAt, closingRules: [{ prizes }] });
      const open = await makeBoard(studio, game.id, { closingRules: [{ prizes }] });
      const player = await makePlayer(studio.admin, game.id, 'p');
      const twin = await makePlayer(studio.admin, game.id, 'q');
      for (const { id } of [ending, open]) await playOn(studio.admin, id, player, 5);
      const at = new Date(app.clock.now());
      const pass = uuid7();
      await app.database.knex('verification_passes').insert({
        ...{
          id: pass,
          account_id: uuidOf(studio.accountId),
          game_id: uuidOf(game.id),
          board_id: uuidOf(open.id),
        },
        ...{ status: 'open', total: 0, sent: 0, sent_upto: 0, upto: 0, created_at: at, updated_at: at },
        requested_by: (
          await app.database.knex('users').where('account_id', uuidOf(studio.accountId)).first('id')
        ).id,
      });
      boards.set(studio, {
        ...{ accountId: studio.accountId, game, pass: `vps_${pass}` },
        ...{ ending, open, player, twin },
      });
    }
    app.clock.advance(2 * MINUTE);
    await app.app.jobs.run('run-board-templates');
    await app.app.jobs.run('close-rankings');
    app.clock.advance(2 * HOUR);
    await app.app.jobs.run('close-rankings');
    for (const ids of boards.values()) {
      const { body } = await app.superadmin.get(`/v1/boards/${ids.ending.id}/closings`);
      ids.closing = body.data[0];
      expect(ids.closing).toBeDefined();
    }
  });

  test.each<[name: string, query: string, inputOf: (ids: Data) => Data]>([
    [
      'changes',
      'query ($input: PreviewBoardChangeInput!) { it: previewBoardChange(input: $input) { moved } }',
      ({ open }) => ({ id: open.id, keepStrategy: 'LAST' }),
    ],
    [
      'fair play',
      'query ($input: PreviewFairPlayInput!) { it: previewFairPlay(input: $input) { submissions } }',
      ({ open }) => ({ gameId: open.gameId }),
    ],
    [
      'reviews',
      RUNS,
      ({ player }) => ({ target: { identityId: player }, decision: 'DISMISSED', dryRun: true }),
    ],
    [
      'merges',
      'mutation ($input: MergePlayersInput!) { it: mergePlayers(input: $input) { boards { moved } } }',
      ({ player, twin }) => ({ sourceId: player, targetId: twin, dryRun: true }),
    ],
    [
      'passes',
      'mutation ($input: ApplyPassInput!) { it: applyPass(input: $input) { verificationPass { id } } }',
      ({ pass }) => ({ id: pass, dryRun: true }),
    ],
    [
      'plans of configurations',
      'query ($input: PlanConfigurationInput!) { it: planConfiguration(input: $input) { digest } }',
      ({ accountId, game }) => ({
        ...{ accountId, prune: true },
        file: { games: [{ name: game.name, slug: game.slug, boards: [] }] },
      }),
    ],
    [
      'closings',
      'query ($input: PreviewClosingInput!) { it: previewClosing(input: $input) { playerCount } }',
      ({ open }) => ({ boardId: open.id }),
    ],
    [
      'rehearsals',
      'mutation ($input: RehearseBoardInput!) { it: rehearseBoard(input: $input) { board { id } } }',
      ({ open }) => ({ id: open.id }),
    ],
    [
      'prizes given since',
      'mutation ($input: ReissuePrizesInput!) { it: reissuePrizes(input: $input) { missingCount } }',
      ({ closing }) => ({ id: closing.id, dryRun: true }),
    ],
  ])('%s: an account has one at a time, and another account the second', async (_name, query, inputOf) => {
    const ask = async (studio: Studio) => {
      const variables = { input: inputOf(boards.get(studio)!) };
      const { body } = await studio.admin.post('/graphql', { query, variables });
      return body.errors?.[0].message as string | undefined;
    };
    const lock = await app.database.knex.transaction();
    await lock.raw('lock table board_rankings, closings in access exclusive mode');
    const refused: (string | undefined)[] = [];
    const crowd = [many, many].map((studio) => ask(studio).then((message) => refused.push(message)));
    let other: Promise<string | undefined>;
    try {
      await waiting(app, 1);
      other = ask(few);
      crowd.push(ask(many).then((message) => refused.push(message)));
      // Of one account one begins, although another slot is free, which another account gets at once.
      await until(() => refused.length === 2);
    } finally {
      await lock.rollback();
    }
    await Promise.all(crowd);
    expect([...refused, await other]).toEqual([BUSY, BUSY, undefined, undefined]);
  });
});

describe('work in the background, without an app whose own tasks take some of it', () => {
  let clone: TestDatabase;
  let db: Database;
  let crowd: Owner;
  let single: Owner;
  const now = () => Date.parse('2026-02-03T12:00:00Z');
  const log = makeLog('fatal');

  /** An account with boards on which each of its players has two runs. */
  interface Owner {
    world: World;
    boards: string[];
    players: string[];
  }
  const makeOwner = async (boards: number, players: number): Promise<Owner> => {
    const world = await makeWorld(db.knex);
    const rules = { boardType: 'run_identity', sortDirection: 'desc', keepStrategy: 'best' } as const;
    const owner: Owner = { world, boards: [], players: await makeIdentities(db.knex, world, players) };
    for (let n = 0; n < boards; n += 1) owner.boards.push(await makeWorldBoard(db.knex, world, rules));
    const client = await db.pool.connect();
    for (const board of owner.boards) {
      const runs = [1, 2].flatMap((amount) =>
        owner.players.map((player) =>
          submissionOf(world, board, player, { amount, isTest: false, playerName: 'P' }),
        ),
      );
      await ingest(client, now, runs);
    }
    client.release();
    return owner;
  };
  beforeAll(async () => {
    clone = await cloneDatabase();
    db = clone.open();
    // More players than removals are claimed at a time.
    [crowd, single] = [await makeOwner(3, 25), await makeOwner(1, 1)];
  });
  afterAll(async () => {
    await clone.drop();
  });

  /** Rows about all players, those of the crowd due first. */
  const due = async (table: string, columns: (of: World, player: string) => Data) => {
    let at = now() - HOUR;
    for (const { world, players } of [crowd, single]) {
      const rows = players.map((player) => {
        at += 1;
        return { identity_id: uuidOf(player), leased_until: new Date(at), ...columns(world, player) };
      });
      await db.knex(table).insert(rows);
    }
  };
  const recordOf = ({ accountId, gameId }: World) => ({
    ...{ account_id: uuidOf(accountId), game_id: uuidOf(gameId), created_at: new Date(now()) },
  });

  type Changed = (topic: string) => void;
  /** @returns the boards in the order in which they were worked on, when the work doesn't tell */
  type Work = (changed: Changed) => Promise<string[] | undefined>;
  const reviews: Work = async (changed) => {
    const at = new Date(now());
    await due('identity_reviews', (world) => ({
      ...{ id: uuid7(), ...recordOf(world), upto: at, updated_at: at },
      ...{ decision: 'dismissed', ban_devices: false, status: 'applying' },
    }));
    const ratios = new Ratios(db, now, log, new Changes(), () => undefined);
    const worker = new BulkReviews(db, now, log, ratios, changed);
    expect(await worker.reconcileDue()).toBe(26);
    await Promise.all([worker.close(), ratios.close()]);
    return undefined;
  };
  const builds: Work = async (changed) => {
    const view = { name: 'all', period: null, by: [] };
    for (const board of [...crowd.boards, ...single.boards]) {
      await declareView(db.knex, board, view, new Date(now()));
    }
    const worker = new Builds(db, now, log, changed);
    expect(await worker.work()).toBe(4);
    await worker.close();
    return undefined;
  };
  const views: Work = async () => {
    // Those of the builds.
    await db.knex('generations_due').delete();
    await db.knex('board_views').update({ status: 'dropping' });
    const worker = new Retirement(db, now, log, () => undefined);
    await worker.work();
    await worker.close();
    expect(await db.knex('board_views')).toEqual([]);
    const left = await db.knex('generations_due').orderByRaw('xmin::text::bigint').select('board_id');
    return left.map(({ board_id }) => idOf('board', board_id));
  };
  const erasures: Work = async (changed) => {
    await due('identity_erasures', (world) => ({ ...recordOf(world), scores: 'keep', status: 'running' }));
    const worker = new ErasureWorker(db, now, log, changed, 1);
    await worker.eraseDue();
    await worker.close();
    expect(await db.knex('identity_erasures').whereNot('status', 'done')).toEqual([]);
    return undefined;
  };
  const removals: Work = async (changed) => {
    await due('identities_due', () => ({ effect: 'exclude', ticket: randomUUID() }));
    const worker = new RemovalWorker(db, now, log, changed);
    expect(await worker.followDue()).toBe(26);
    await worker.close();
    return undefined;
  };

  /** Of twenty players that are claimed at a time, nineteen are the crowd's. */
  const CLAIMED = 19 * 3;
  test.each<[name: string, work: Work, before: number]>([
    ['reviews take turns by account, a board each', reviews, 1],
    ['builds take turns by account', builds, 1],
    ['dropped views take turns by account', views, 1],
    ['erasures take turns by account, a step each', erasures, 1],
    ['removals are claimed by account in turns', removals, CLAIMED],
  ])('%s', async (_name, work, before) => {
    const topics: string[] = [];
    const boards =
      (await work((topic) => topics.push(topic))) ?? topics.filter((one) => one.startsWith('brd_'));
    const own = boards.indexOf(single.boards[0]!);
    expect(own).toBeGreaterThanOrEqual(0);
    expect(own).toBeLessThanOrEqual(before);
    expect(new Set(boards)).toEqual(new Set([...crowd.boards, ...single.boards]));
  });
});

/** The files that bound a shared slot, and the test that starves each: the beginning of its name, here or in another file. */
const TESTED: Record<string, string> = {
  'server/admission.ts': 'flows/overload: addresses take turns',
  'webhooks/sending/sender.ts': 'webhooks: twenty receivers of an account',
  'webhooks/dispatch/dispatcher.ts': 'webhooks: an account that reports much',
  'mail/sender.ts': 'mails: an account has two',
  'scores/imports/worker.ts': 'imports: a small one does not wait',
  'rankings/upkeep/builds.ts': 'builds take turns by account',
  'rankings/upkeep/retire.ts': 'dropped views take turns by account',
  'privacy/worker.ts': 'erasures take turns by account',
  'fairplay/reviews/bulk.ts': 'reviews take turns by account',
  'rankings/upkeep/due-players.ts': 'removals are claimed by account',
  'closings/job.ts': 'templates and closings: accounts take turns',
  'boards/templates/run.ts': 'templates and closings: accounts take turns',
  'scores/exports/slots.ts': 'flows/bounded-work: unread exports hold up no other account',
  'scores/schema/preview-resolver.ts': 'changes: an account has one',
  'fairplay/effect/resolver.ts': 'fair play: an account has one',
  'fairplay/reviews/resolver.ts': 'reviews: an account has one',
  'scores/merges/resolver.ts': 'merges: an account has one',
  'fairplay/verdicts/pass-resolver.ts': 'passes: an account has one',
  'closings/preview/resolver.ts': 'closings: an account has one',
  'configuration/resolver.ts': 'plans of configurations: an account has one',
  'closings/rehearsal/resolver.ts': 'rehearsals: an account has one',
  'closings/rewards/hold-resolver.ts': 'prizes given since: an account has one',
  'scores/recordings/slots.ts': 'units/upload-slots: an account has eight',
  'scores/loaders.ts': 'flows/bounded-work: one visitor searches players of an account at a time',
  'server/pages/send.ts': 'units/shared-pages: pages of one board that take long',
  'server/pages/serve/middleware.ts': 'flows/bounded-work: pages with a search are served one of a board',
  'base/pictures/draw.ts': 'flows/game-pictures: drawings of one game hold up none',
  'registration/provider/issuers.ts': 'single sign-on: an account whose issuer',
  'players/providers/prove/verify.ts':
    'flows/player-proofs: silent providers of one account hold up no other’s',
  'players/sessions/player-sessions.ts': 'sessions of players: an account has four',
};

test('each shared slot of the code is in the table, and has a test', () => {
  const root = path.resolve(__dirname, '../..');
  const read = (name: string) => readFileSync(path.join(root, name), 'utf8');
  const table = read('docs/decisions/shared-slots.md');
  const files = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) => {
    if (!name.endsWith('.ts') || /^base\/(limits|pictures\/thread)\.ts$/.test(name)) return false;
    const text = read(`src/${name}`);
    return /new (?:Turns|Hands|PictureThread)[(<]|extends Turns|import \{ inTurns \}|partition by \S*account_id|ofAccount: OF_ACCOUNT/.test(
      text,
    );
  });
  expect(files.filter((name) => !(name in TESTED))).toEqual([]);
  expect(files.length).toBeGreaterThan(12);
  const named = [...table.matchAll(/`([\w/-]+\.ts)`/g)].map(([, name]) => name!);
  expect(named.toSorted()).toEqual(Object.keys(TESTED).toSorted());
  const own = expect.getState().testPath!;
  for (const place of Object.values(TESTED)) {
    const [, other, name] = /^(?:((?:flows|units)\/\S+): )?(.+)$/.exec(place)!;
    const text = other ? read(`test/${other}.test.ts`) : readFileSync(own, 'utf8');
    const title = other || !name!.endsWith(': an account has one') ? name! : name!.split(':')[0]!;
    expect([place, text.includes(`'${title}`)]).toEqual([place, true]);
  }
});
