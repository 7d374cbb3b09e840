import pino from 'pino';
import { FiringHooks } from '../../src/hooks/firing.js';
import type { Hooks } from '../../src/hooks/hooks.js';
import { startApp, type TestApp } from '../support/app.js';
import { Recorder } from '../support/hooks/recorder.js';
import type { Data } from '../support/http.js';
import { codeFor } from '../support/mail.js';
import {
  change,
  makeBoard,
  makeGame,
  makeStudio,
  type Player,
  type Studio,
  startSession,
  unique,
} from '../support/make.js';
import { post } from '../support/play.js';
import { TestSocket } from '../support/socket.js';

const done: unknown[] = [];
const recorder = new Recorder({
  note: (payload) => {
    if (payload.fails) throw new Error('not yet');
    done.push(payload);
  },
});

let app: TestApp;
let logged: Data[] = [];
let studio: Studio;
let game: Data;
let board: Data;
let player: Player;

beforeAll(async () => {
  const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  app = await startApp({}, { hooks: recorder.hooks, log });
  studio = await makeStudio(app);
  game = await makeGame(studio, { antiCheatEnabled: false });
  board = await makeBoard(studio, game.id);
  player = await startSession(app, game.id);
});
afterAll(() => app.close());
beforeEach(() => {
  logged = [];
  recorder.does({});
});
afterEach(() => recorder.does({}));

const PLAYER = 'ide_01976d7e-5a3f-7c3b-9d0a-3f2c5d9e8b11';

test('no submission waits for the pre-hook of another one to the same board', async () => {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let asked: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => {
    asked = resolve;
  });
  recorder.does({
    preCreateScore: ({ value }) => {
      if (value !== 111) return;
      asked();
      return held;
    },
  });
  const slow = post(player, { board_id: board.id, value: 111 });
  await reached;
  const rival = await startSession(app, game.id);
  expect((await post(rival, { board_id: board.id, value: 3 })).status).toBe(201);
  await change(studio.admin, 'Board', board.id, { description: 'Changed meanwhile' });
  release();
  expect((await slow).status).toBe(201);
});

test('a hook that does not answer times out', async () => {
  const parts = { database: app.database, clock: app.clock.now, log: pino({ level: 'silent' }) };
  let undone = 0;
  let answer: (undo: () => void) => void = () => undefined;
  const hooks: Hooks = {
    preCreateScore: () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
    postCreateScore: () => new Promise(() => undefined),
  };
  const firing = new FiringHooks(hooks, parts, 20);
  const asker = {
    caller: { kind: 'anonymous' } as const,
    requestId: 'r',
    ip: undefined,
    userAgent: undefined,
    sent: () => undefined,
  };
  let wrote = false;
  const write = async () => {
    wrote = true;
  };
  await expect(firing.guard('preCreateScore', asker, {} as never, write)).rejects.toMatchObject({
    code: 'INTERNAL',
  });
  expect(wrote).toBe(false);
  // A connection that it takes too late is given back.
  answer(() => {
    undone += 1;
  });
  await Promise.resolve().then(() => Promise.resolve());
  expect(undone).toBe(1);
  await firing.after('postCreateScore', asker, {} as never);
  await firing.close();
});

test('jobs of the module are scheduled, run, retried and listed like all others', async () => {
  recorder.does({
    postCreateGame: async ({ name }, _caller, { schedule }) => {
      await schedule('note', { name });
      await schedule('note', { later: true }, { delaySeconds: 3_600, key: 'once' });
      await schedule('note', { latest: true }, { delaySeconds: 3_600, key: 'once' });
      await schedule('nothing');
    },
  });
  const { name } = await makeGame(studio);
  expect(JSON.stringify(logged)).toContain('The hooks module exports no job nothing');
  const { rows } = await app.database.knex.raw(
    `select payload, max_attempts, run_at > now() + interval '50 minutes' as waits from graphile_worker._private_jobs j
     join graphile_worker._private_tasks t on t.id = j.task_id where t.identifier = 'hook-note' order by j.id`,
  );
  expect(rows).toMatchObject([
    { payload: { name }, waits: false },
    { payload: { latest: true }, waits: true },
  ]);
  expect(rows[0].max_attempts).toBeGreaterThan(10);
  await app.app.jobs.run('hook-note', rows[0].payload);
  expect(done).toEqual([{ name }]);
  await expect(app.app.jobs.run('hook-note', { fails: true, player: PLAYER })).rejects.toThrow('not yet');
  const { jobs } = await app.superadmin.data('{ jobs { name runs failures lastError } }');
  expect(jobs).toContainEqual({ name: 'hook-note', runs: 2, failures: 1, lastError: 'not yet' });
  // The player that the run was about: its erasure clears the error.
  const stored = await app.database.knex('jobs').where('name', 'hook-note').first();
  expect(stored.last_error_of).toEqual([PLAYER.slice(4)]);
});

test('rateLimit is called once for every request, and its refusal holds over every transport', async () => {
  const rest = app.anyone;
  const asked = async (request: Promise<unknown>) => {
    recorder.calls = [];
    await request;
    return recorder.calls.map(({ input, caller }) => ({ ...(input as object), caller }));
  };
  const admin = rest.with(studio.admin.headers);
  const one = (method: string, route: string, caller: string) => [{ method, route, caller }];
  expect(await asked(admin.get(`/v1/boards/${board.id}`))).toEqual(
    one('GET', '/v1/boards/{board_id}', 'admin'),
  );
  expect(await asked(rest.with({ authorization: 'Bearer a.b.c' }).get('/v1/client/boards'))).toEqual(
    one('GET', '/v1/client/boards', 'anonymous'),
  );
  expect(await asked(player.client.data('{ boards { nodes { id } } }'))).toEqual(
    one('POST', '/graphql', 'client'),
  );
  expect(await asked(rest.get('/openapi.json'))).toEqual([]);
  const socket = await TestSocket.connect(app.url, player.client.headers);
  const query = '{ boards { nodes { id } } }';
  expect(await asked(socket.run(query))).toEqual(one('WS', '/graphql', 'client'));
  expect((await socket.next()).type).toBe('complete');

  recorder.does({
    rateLimit: (_input, _caller, { refuse }) => refuse('RATE_LIMITED', 'Slower', { retryAfterSeconds: 9 }),
  });
  const { status, headers, body } = await admin.get(`/v1/boards/${board.id}`);
  expect([status, headers.get('retry-after'), body.code, body.error]).toEqual([
    429,
    '9',
    'RATE_LIMITED',
    'Slower',
  ]);
  const graph = await player.client.post('/graphql', { query });
  expect([graph.status, graph.headers.get('retry-after'), graph.body.errors[0].extensions.code]).toEqual([
    429,
    '9',
    'RATE_LIMITED',
  ]);
  const frame = await socket.run(query, {}, 'two');
  expect(frame).toMatchObject({
    type: 'error',
    payload: [{ message: 'Slower', extensions: { code: 'RATE_LIMITED', retryAfterSeconds: 9 } }],
  });
  await socket.close();
});

test('postCompleteRegistration gets registrations and accepted invitations, never the key', async () => {
  const rest = app.anyone;
  const complete = async (email: string, type: string) => {
    const code = await codeFor(app, email);
    const verified = await rest.got(rest.post('/register/verify', { email, code }));
    expect([recorder.names(), verified.type]).toEqual([[], type]);
    const body = { verification_token: verified.verification_token, account_name: `Studio of ${email}` };
    const { api_key, ...answer } = await rest.got(rest.post('/register/complete', body));
    return { key: api_key, answer };
  };
  recorder.does({ postCompleteRegistration: () => Promise.reject(new Error('the CRM is down')) });
  const email = `ann.${unique()}@example.com`;
  await rest.got(rest.post('/register/initiate', { email }));
  const { key, answer } = await complete(email, 'registration');
  const [call, ...more] = recorder.take();
  expect(more).toEqual([]);
  expect(call).toEqual({
    hook: 'postCompleteRegistration',
    caller: 'anonymous',
    input: {
      apiKeyId: expect.stringMatching(/^key_/),
      isSession: false,
      ...{
        type: 'registration',
        email,
        displayName: answer.display_name,
        userId: expect.stringMatching(/^usr_/),
      },
      ...{ accountId: answer.account_id, accountName: answer.account_name, accountSlug: answer.account_slug },
    },
  });
  expect(logged.map(({ hook, msg }) => [hook, msg])).toEqual([
    ['postCompleteRegistration', 'a post-hook failed; the record was written'],
  ]);
  const owner = rest.with({ 'service-api-key': key });
  expect((await owner.get('/v1/accounts')).status).toBe(200);

  const guest = `guest.${unique()}@example.com`;
  await owner.got(owner.post('/register/invite', { email: guest }));
  await complete(guest, 'invite');
  expect(recorder.take()).toMatchObject([
    {
      hook: 'postCompleteRegistration',
      input: { type: 'invite', email: guest, accountId: answer.account_id },
    },
  ]);
});

test('SQL of hooks has connections and transactions of its own', async () => {
  const seen: unknown[] = [];
  recorder.does({
    preCreateGame: async (_input, _caller, { query, now }) => {
      await query('create schema if not exists mine; create table if not exists mine.notes (n integer)');
      await query('insert into mine.notes values ($1)', [7]);
      seen.push(await query('select n from mine.notes'), now());
      await query('select 1 / 0');
    },
  });
  const game = { account_id: studio.accountId, name: `Made ${unique()}` };
  expect((await studio.admin.post('/v1/games', game)).status).toBe(500);
  expect(seen).toEqual([[{ n: 7 }], new Date(app.clock.now())]);
});
