import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import pg from 'pg';
import { uuid7, uuidOf } from '../../src/base/ids.js';
import { Outbox, Seal } from '../../src/mail/outbox.js';
import { SETTINGS, startApp, type TestApp } from '../support/app.js';
import { HOUR, MINUTE } from '../support/clock.js';
import type { Data } from '../support/http.js';
import { ImportClient } from '../support/imports.js';
import { waiting } from '../support/locks.js';
import { makeBoard, makeGame, makeStudio, type Studio } from '../support/make.js';
import { MailServer } from '../support/smtp.js';
import { until } from '../support/wait.js';

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

test('each shared slot of the code is in the table', () => {
  const root = path.resolve(__dirname, '../..');
  const table = readFileSync(path.join(root, 'docs/decisions/shared-slots.md'), 'utf8');
  const files = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) => {
    if (!name.endsWith('.ts') || name === 'base/limits.ts') return false;
    const text = readFileSync(path.join(root, 'src', name), 'utf8');
    return /new (?:Turns|Hands|PictureThread)[(<]|extends Turns|import \{ inTurns \}/.test(text);
  });
  expect(files.filter((name) => !table.includes(`\`${name}\``))).toEqual([]);
  expect(files.length).toBeGreaterThan(12);
});
