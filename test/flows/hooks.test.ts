import pino from 'pino';
import { FiringHooks } from '../../src/hooks/firing.js';
import type { Hooks } from '../../src/hooks/hooks.js';
import { startApp, type TestApp } from '../support/app.js';
import { Recorder } from '../support/hooks/recorder.js';
import type { Data } from '../support/http.js';
import { WriteJournal } from '../support/journal.js';
import { codeFor } from '../support/mail.js';
import {
  change,
  makeBoard,
  makeGame,
  makeStudio,
  makeTemplate,
  type Player,
  type Studio,
  startSession,
  unique,
} from '../support/make.js';
import { post, takeNonce } from '../support/play.js';
import { restOf } from '../support/rest.js';
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
let journal: WriteJournal;

beforeAll(async () => {
  const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  app = await startApp({}, { hooks: recorder.hooks, log });
  studio = await makeStudio(app);
  game = await makeGame(studio, { antiCheatEnabled: false });
  board = await makeBoard(studio, game.id);
  player = await startSession(app, game.id);
  journal = await WriteJournal.open(app.database.knex);
});
afterAll(() => app.close());
beforeEach(async () => {
  await journal.news();
  logged = [];
  recorder.does({});
});
afterEach(() => recorder.does({}));

const nextRun = '2099-01-01T00:00:00.000Z';
/** One request for each pre-hook, that is in order. */
function writes(): Record<string, () => Promise<{ status: number; body: Data }>> {
  const rest = restOf(app).with(studio.admin.headers);
  const owned = { account_id: studio.accountId, name: `Made ${unique()}` };
  return {
    preCreateGame: () => rest.post('/v1/games', owned),
    preCreateBoard: () => rest.post('/v1/boards', { ...owned, game_id: game.id }),
    preCreateBoardTemplate: () =>
      rest.post('/v1/board-templates', {
        ...owned,
        ...{ game_id: game.id, repeat_interval: '1 day', next_run_at: nextRun },
      }),
    preUpdateBoardTemplate: async () => {
      const { id } = await makeTemplate(studio, game.id);
      await journal.news();
      recorder.calls = [];
      return rest.patch(`/v1/board-templates/${id}`, { series: 'x' });
    },
    preCreateScore: () => post(player, { board_id: board.id, value: unique() }),
  };
}
const PRE = [
  'preCreateGame',
  'preCreateBoard',
  'preCreateBoardTemplate',
  'preUpdateBoardTemplate',
  'preCreateScore',
];

test.each(PRE)('%s may refuse: the caller gets the code and sentence, nothing is written', async (name) => {
  recorder.does({
    [name]: (_input: never, _caller: never, { refuse }: { refuse: (...all: unknown[]) => never }) =>
      refuse('FORBIDDEN', 'Not on a Sunday', { details: [] }),
  });
  const { status, body } = await writes()[name]!();
  expect([status, body]).toEqual([
    403,
    expect.objectContaining({ code: 'FORBIDDEN', error: 'Not on a Sunday' }),
  ]);
  expect(await journal.news()).toEqual([]);
  expect(recorder.names().filter((hook) => hook.startsWith('post'))).toEqual([]);
  expect(logged).toEqual([]);
});

test.each(PRE)('what %s throws otherwise is a fault of ours: 500, logged, nothing written', async (name) => {
  recorder.does({ [name]: () => Promise.reject(new Error('connection is closed: secret')) });
  const { status, body } = await writes()[name]!();
  expect([status, body.code]).toEqual([500, 'INTERNAL']);
  expect(JSON.stringify(body)).not.toContain('secret');
  expect(await journal.news()).toEqual([]);
  const told = { hook: name, msg: 'a hook failed; nothing was written', requestId: body.request_id };
  expect(logged[0]).toMatchObject({ ...told, err: { message: 'connection is closed: secret' } });
});

test.each(PRE)('%s is asked about what is in order, with the request, who asks, and copies', async (name) => {
  const tools: Data[] = [];
  recorder.does({
    [name]: (input: Data, _caller: never, given: Data) => {
      tools.push(given);
      input.name = 'changed';
      input.value = 10_000;
      delete input.accountId;
    },
  });
  const { status, body } = await writes()[name]!();
  expect(status).toBeLessThan(300);
  expect(JSON.stringify(body)).not.toContain('changed');
  const [call, after] = recorder.take();
  expect(call).toMatchObject({ hook: name, caller: name === 'preCreateScore' ? 'client' : 'admin' });
  const id = expect.stringMatching(/^.{8,}$/);
  expect(tools).toMatchObject([{ request: { id, ip: '127.0.0.1', userAgent: 'node' } }]);
  expect(after?.hook).toBe(
    { preCreateGame: 'postCreateGame', preCreateBoard: 'postCreateBoard', preCreateScore: 'postCreateScore' }[
      name
    ],
  );
});

test('hooks get the fields of the contract', async () => {
  const { preUpdateBoardTemplate, ...others } = writes();
  for (const write of [preUpdateBoardTemplate!, ...Object.values(others)])
    expect((await write()).status).toBeLessThan(300);
  const names = recorder.take().map(({ hook, input }) => [
    hook,
    Object.keys(input as object)
      .toSorted()
      .join(' '),
  ]);
  expect(Object.fromEntries(names)).toEqual({
    preCreateGame: 'accountId name',
    postCreateGame:
      'accountId antiCheatEnabled antiCheatSettings createdAt defaultBoardId description id name pageUrl platformAppId slug tags updatedAt',
    preCreateBoard: 'accountId gameId name',
    postCreateBoard:
      'accountId boardType createdAt createdFromTemplateId description endsAt gameId icon id isActive isPublished keepStrategy name shortCode slug sortDirection startsAt tags templateName unit updatedAt',
    preCreateBoardTemplate: 'accountId gameId name nextRunAt repeatInterval',
    preUpdateBoardTemplate: 'accountId id series',
    preCreateScore:
      'accountId boardId deviceId gameId identityId isTest metadata playerName value valueDisplay',
    postCreateScore:
      'accountId boardId createdAt eventId gameId id identityId isTest kept metadata playerName rank updatedAt value valueDisplay',
  });
});

test('requests that would be refused anyway are not asked about', async () => {
  const stranger = (await makeStudio(app)).admin;
  const closed = await makeBoard(studio, game.id, { isActive: false });
  const used = await takeNonce(player.client);
  const first = { 'service-client-nonce': used, 'idempotency-key': 'first' };
  expect((await post(player, { board_id: board.id, value: 1 }, first)).status).toBe(201);
  recorder.calls = [];
  const owned = { accountId: studio.accountId, name: game.name };
  const template = { ...owned, gameId: game.id, repeatInterval: '1 day', nextRunAt: nextRun };
  const create = (kind: string) =>
    `mutation ($input: Create${kind}Input!) { create${kind}(input: $input) { __typename } }`;
  const missing = 'gam_00000000-0000-7000-8000-00000000dead';
  expect([
    await stranger.code(create('Game'), { input: owned }),
    await studio.admin.code(create('Game'), { input: owned }),
    await studio.admin.code(create('Game'), { input: { ...owned, name: '' } }),
    await studio.admin.code(create('Board'), { input: { ...owned, gameId: missing } }),
    await studio.admin.code(create('BoardTemplate'), { input: { ...template, repeatInterval: '1 month' } }),
    await studio.admin.code(create('BoardTemplate'), { input: { ...template, gameId: missing } }),
    (await post(player, { board_id: closed.id, value: 1 })).body.code,
    (await post(player, { board_id: board.id, value: 'x' })).body.code,
    (await post(player, { board_id: board.id, value: 1 }, { 'service-client-nonce': used })).body.code,
    (await post(player, { board_id: board.id, value: 1 }, { 'service-client-nonce': 'made-up' })).body.code,
    (await post(player, { board_id: board.id, value: 2 }, { 'idempotency-key': 'first' })).body.code,
  ]).toEqual([
    ...['FORBIDDEN', 'CONFLICT', 'VALIDATION_FAILED', 'NOT_FOUND', 'VALIDATION_FAILED', 'NOT_FOUND'],
    ...['BOARD_CLOSED', 'VALIDATION_FAILED', 'NONCE_USED', 'NONCE_INVALID', 'CONFLICT'],
  ]);
  const replay = await post(player, { board_id: board.id, value: 1 }, { 'idempotency-key': 'first' });
  expect([replay.status, replay.headers.get('service-replayed')]).toEqual([201, 'true']);
  expect(recorder.names()).toEqual([]);
});

test('a refusal burns no nonce, and is told in GraphQL, too', async () => {
  const nonce = await takeNonce(player.client);
  recorder.does({
    preCreateScore: (_input, _caller, { refuse }) =>
      refuse('RATE_LIMITED', 'Enough', { retryAfterSeconds: 77 }),
  });
  const headers = { 'service-client-nonce': nonce };
  const refused = await post(player, { board_id: board.id, value: 5 }, headers);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '77']);
  const submit = 'mutation ($input: SubmitScoreInput!) { submitScore(input: $input) { kept } }';
  const input = { boardId: board.id, playerName: 'Ann', value: 5, nonce };
  const { extensions } = await player.client.fault(submit, { input });
  expect(extensions).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 77 });
  recorder.does({});
  expect((await post(player, { board_id: board.id, value: 5 }, headers)).status).toBe(201);
});

test('a failing post-hook is logged and undoes nothing', async () => {
  const fail = () => Promise.reject(new Error('the chat is down'));
  recorder.does({ postCreateGame: fail, postCreateBoard: fail, postCreateScore: fail });
  const made = writes();
  for (const name of ['preCreateGame', 'preCreateBoard', 'preCreateScore']) {
    expect((await made[name]!()).status).toBe(201);
  }
  expect(await journal.news()).toEqual(
    expect.arrayContaining(['INSERT games', 'INSERT boards', 'INSERT score_events']),
  );
  expect(logged.map(({ hook, msg }) => [hook, msg])).toEqual(
    ['postCreateGame', 'postCreateBoard', 'postCreateScore'].map((hook) => [
      hook,
      'a hook failed; what was written stands',
    ]),
  );
});

test('what a pre-hook took is given back when its submission is not stored after all', async () => {
  let taken = 0;
  recorder.does({
    preCreateScore: () => {
      taken += 1;
      return () => {
        taken -= 1;
      };
    },
  });
  // All are foreseen to go well, and one nonce is good for one of them.
  const nonce = await takeNonce(player.client);
  const headers = { 'service-client-nonce': nonce };
  const twins = Array.from({ length: 5 }, (_, value) => post(player, { board_id: board.id, value }, headers));
  const codes = (await Promise.all(twins)).map(({ status, body }) => body.code ?? status);
  expect(codes.toSorted()).toEqual([201, 'NONCE_USED', 'NONCE_USED', 'NONCE_USED', 'NONCE_USED']);
  expect(taken).toBe(1);
  // One key is one submission.
  const nonces = await Promise.all([1, 2, 3].map(() => takeNonce(player.client)));
  const answers = await Promise.all(
    nonces.map((one) =>
      post(player, { board_id: board.id, value: 9 }, { 'service-client-nonce': one, 'idempotency-key': 'k' }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
  expect(taken).toBe(2);
});

test('nobody waits for the pre-hook of another submission to the same board', async () => {
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

test('a hook that does not answer is not waited for', async () => {
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
  };
  let wrote = false;
  const write = async () => {
    wrote = true;
  };
  await expect(firing.guard('preCreateScore', asker, {} as never, write)).rejects.toMatchObject({
    code: 'INTERNAL',
  });
  expect(wrote).toBe(false);
  // What it takes too late is given back.
  answer(() => {
    undone += 1;
  });
  await Promise.resolve().then(() => Promise.resolve());
  expect(undone).toBe(1);
  await firing.after('postCreateScore', asker, {} as never);
  await firing.close();
});

test('jobs of the module are scheduled, run, tried again and shown like all others', async () => {
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
  await expect(app.app.jobs.run('hook-note', { fails: true })).rejects.toThrow('not yet');
  const { jobs } = await app.superadmin.data('{ jobs { name runs failures lastError } }');
  expect(jobs).toContainEqual({ name: 'hook-note', runs: 2, failures: 1, lastError: 'not yet' });
});

test('rateLimit is asked once for every request, by whoever it is, and refuses at every door', async () => {
  const rest = restOf(app);
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
  expect([graph.status, graph.headers.get('retry-after'), graph.body.code]).toEqual([
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

test('a completed registration and an accepted invitation are told, never the key', async () => {
  const rest = restOf(app);
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
    ['postCompleteRegistration', 'a hook failed; what was written stands'],
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

test('hooks have connections of their own, and their SQL is a transaction of its own', async () => {
  const seen: unknown[] = [];
  recorder.does({
    preCreateGame: async (_input, _caller, { query, now }) => {
      await query('create schema if not exists mine; create table if not exists mine.notes (n integer)');
      await query('insert into mine.notes values ($1)', [7]);
      seen.push(await query('select n from mine.notes'), now());
      await query('select 1 / 0');
    },
  });
  expect((await writes().preCreateGame!()).status).toBe(500);
  expect(seen).toEqual([[{ n: 7 }], new Date(app.clock.now())]);
});
