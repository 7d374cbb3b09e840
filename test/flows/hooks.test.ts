import { readFileSync } from 'node:fs';
import path from 'node:path';
import pino from 'pino';
import { startApp, type TestApp } from '../support/app.js';
import { Recorder } from '../support/hooks/recorder.js';
import type { Data } from '../support/http.js';
import { WriteJournal } from '../support/journal.js';
import {
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

const recorder = new Recorder();

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
  const rest = studio.admin;
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

test.each(PRE)('a refusal of %s answers its code and sentence, and nothing is written', async (name) => {
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

test.each(PRE)('any other error of %s is a 500, is logged, and nothing is written', async (name) => {
  recorder.does({ [name]: () => Promise.reject(new Error('connection is closed: secret')) });
  const { status, body } = await writes()[name]!();
  expect([status, body.code]).toEqual([500, 'INTERNAL']);
  expect(JSON.stringify(body)).not.toContain('secret');
  expect(await journal.news()).toEqual([]);
  const entry = { hook: name, msg: 'a hook failed; nothing was written', requestId: body.request_id };
  expect(logged[0]).toMatchObject({ ...entry, err: { message: 'connection is closed: secret' } });
});

test.each(PRE)('%s gets a copy of the valid input, the caller and the request', async (name) => {
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

/** Names of the members of a printed type. */
function membersOf(type: string): string {
  const printed = readFileSync(path.resolve(__dirname, '../../src/hooks/printed.ts'), 'utf8');
  const [, members = ''] = new RegExp(`interface ${type} {([\\s\\S]*?)\\n}`).exec(printed) ?? [];
  return [...members.matchAll(/^ {2}(\w+)\??:/gm)]
    .map(([, name]) => name)
    .toSorted()
    .join(' ');
}

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
      'accentColour accountId antiCheatEnabled antiCheatSettings createdAt defaultBoardId description environment id name overlayOrigins pageUrl platformAppId playersMerge slug tags updatedAt',
    preCreateBoard: 'accountId gameId name',
    postCreateBoard: membersOf('Board'),
    preCreateBoardTemplate: 'accountId gameId name nextRunAt repeatInterval',
    preUpdateBoardTemplate: 'accountId id series',
    preCreateScore:
      'accountId boardId deviceId gameId identityId isTest metadata playerName run tags value valueDisplay',
    postCreateScore:
      'accountId boardId createdAt eventId gameId id identityId isTest kept metadata playerName rank updatedAt value valueDisplay',
  });
});

test('no hook is called for a request that is refused anyway', async () => {
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

test('a refusal leaves the nonce usable, in GraphQL, too', async () => {
  const nonce = await takeNonce(player.client);
  recorder.does({
    preCreateScore: (_input, _caller, { refuse }) =>
      refuse('RATE_LIMITED', 'Enough', { retryAfterSeconds: 77 }),
  });
  const headers = { 'service-client-nonce': nonce };
  const refused = await post(player, { board_id: board.id, value: 5 }, headers);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '77']);
  const submit =
    'mutation ($input: SubmitScoreInput!) { submitScore(input: $input) { submission { kept } } }';
  const input = { boardId: board.id, playerName: 'Ann', value: 5, nonce };
  const { extensions } = await player.client.fault(submit, { input });
  expect(extensions).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 77 });
  recorder.does({});
  expect((await post(player, { board_id: board.id, value: 5 }, headers)).status).toBe(201);
});

test('a hook sees the run of a ticket, and its refusal leaves the ticket usable', async () => {
  const ticketed = await makeBoard(studio, game.id, { tickets: { mode: 'REQUIRED', seed: 'RUN' } });
  const { body } = await player.client.post('/v1/client/tickets', {
    ...{ board_id: ticketed.id, game_version: '1.4.2' },
  });
  const [{ ticket, seed }] = body.tickets;
  const startedAt = new Date(app.clock.now());
  app.clock.advance(60_000);
  const seen: unknown[] = [];
  recorder.does({
    preCreateScore: ({ run }, _caller, { refuse }) => {
      seen.push(run);
      if (seen.length === 1) refuse('RATE_LIMITED', 'Enough');
    },
  });
  const send = async (idle_ms: number) =>
    (
      await post(
        player,
        { board_id: ticketed.id, value: 5, idle_ms, splits: [1_000] },
        { 'service-client-nonce': ticket },
      )
    ).status;
  expect([await send(100), await send(200)]).toEqual([429, 201]);
  const run = {
    startedAt,
    elapsedMs: 60_000,
    runMs: null,
    splits: [1_000],
    advance: false,
    attempt: null,
    seed,
  };
  expect(seen).toEqual([100, 200].map((idleMs) => ({ ...run, idleMs, gameVersion: '1.4.2' })));
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
      'a post-hook failed; the record was written',
    ]),
  );
});

test('the undo of a pre-hook runs when its submission is not stored after all', async () => {
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
