import pg from 'pg';
import { uuidOf } from '../../src/base/ids.js';
import { startApp } from '../support/app.js';
import { checkedGame } from '../support/checked-game.js';
import { DAY, HOUR, SECOND } from '../support/clock.js';
import type { Answer, Caller, Data } from '../support/http.js';
import {
  change,
  changeFault,
  makeBoard,
  makeGame,
  makeStudio,
  makeTemplate,
  type Player,
  startSession,
} from '../support/make.js';
import { post, submit, takeNonce } from '../support/play.js';
import { expectSound } from '../support/standings.js';

const { on, flags, events, session, board } = checkedGame();

const REQUIRED = { mode: 'REQUIRED' };
const DAILY = { ...REQUIRED, view: 'daily', attempts: 3 };
const WITH_DAYS = { views: [{ name: 'daily', period: 'DAY' }], timeZone: 'Europe/Berlin' };
const CLOCK = { minSeconds: 10, maxPerSecond: 100, slackSeconds: 2 };

const setTickets = (boardId: string, tickets: Data | null) =>
  change(on.studio.admin, 'Board', boardId, { tickets });
const ticketsFault = (boardId: string, tickets: Data) =>
  changeFault(on.studio.admin, 'Board', boardId, { tickets });

const issue = (player: Player, boardId: string, more: Data = {}, headers: Record<string, string> = {}) =>
  player.client.with(headers).post('/v1/client/tickets', { board_id: boardId, ...more });

async function ticketOf(player: Player, boardId: string, more: Data = {}): Promise<string> {
  const { status, body } = await issue(player, boardId, more);
  expect([status, body]).toEqual([200, body]);
  return body.tickets[0].ticket;
}

const codeOf = ({ status, body }: Answer<Data>) => body.code ?? status;

const send = async (player: Player, boardId: string, value: number, nonce: string, more: Data = {}) =>
  codeOf(await post(player, { board_id: boardId, value, ...more }, { 'service-client-nonce': nonce }));

const runsOn = async (boardId: string): Promise<Data[]> =>
  (
    await on.app.database.pool.query('select * from runs where board_id = $1 order by event_seq', [
      uuidOf(boardId),
    ])
  ).rows;

const READ = `query ($id: ID!) { board(by: { id: $id }) {
  tickets { mode seed view attempts advance hours content clock { minSeconds maxPerSecond slackSeconds pauses } }
  attempts { used left startsOver }
  ticketFigures { since runs withTicket short rate fast slow }
} }`;
const read = async (caller: Caller, id: string): Promise<Data> => (await caller.data(READ, { id })).board;

test('settings: defaults, bounds and what they name', async () => {
  const { id } = await board({ tickets: REQUIRED });
  expect(await read(on.studio.admin, id)).toMatchObject({
    tickets: {
      ...{ mode: 'REQUIRED', seed: 'NONE', view: null, attempts: null, advance: 0, hours: 24, content: '' },
      clock: null,
    },
  });
  await setTickets(id, { ...REQUIRED, clock: {} });
  const clock = { minSeconds: 0, maxPerSecond: null, slackSeconds: 5, pauses: false };
  expect((await read(on.studio.admin, id)).tickets.clock).toEqual(clock);
  for (const wrong of [
    { mode: 'ASKED', attempts: 3 },
    { ...REQUIRED, attempts: 0 },
    { ...REQUIRED, attempts: 101 },
    { ...REQUIRED, hours: 0 },
    { ...REQUIRED, hours: 721 },
    { ...REQUIRED, advance: 101 },
    { ...REQUIRED, content: 'x'.repeat(101) },
    { ...REQUIRED, view: 'daily' },
    { ...REQUIRED, clock: { minSeconds: -1 } },
    { ...REQUIRED, clock: { maxPerSecond: 0 } },
    { ...REQUIRED, clock: { slackSeconds: 0 } },
  ])
    expect([wrong, await ticketsFault(id, wrong)]).toEqual([wrong, 'VALIDATION_FAILED']);
  expect((await read(on.studio.admin, id)).tickets.clock).toEqual(clock);
  await setTickets(id, null);
  expect((await read(on.studio.admin, id)).tickets).toBeNull();
  // Both interfaces, and the place of the fault.
  const { status, body } = await on.studio.admin.patch(`/v1/boards/${id}`, {
    tickets: { mode: 'asked', attempts: 3 },
  });
  expect([status, body.details[0].loc]).toEqual([422, ['body', 'tickets', 'attempts']]);
});

test('a view that tickets name has periods, is no group alone, and cannot be dropped', async () => {
  const views = [...WITH_DAYS.views, { name: 'country', by: ['country'] }];
  const { id } = await board({ views });
  expect(await ticketsFault(id, { ...REQUIRED, view: 'country' })).toBe('VALIDATION_FAILED');
  await setTickets(id, DAILY);
  const drop = { views: [views[1]] };
  expect(await changeFault(on.studio.admin, 'Board', id, drop)).toBe('VALIDATION_FAILED');
  await change(on.studio.admin, 'Board', id, { ...drop, tickets: REQUIRED });
  expect((await read(on.studio.admin, id)).tickets.view).toBeNull();
});

test('ratio boards have no tickets, counter boards and templates do', async () => {
  const counter = await board({ boardType: 'COUNTER', keepStrategy: 'ALL', tickets: REQUIRED });
  const other = await board({ boardType: 'COUNTER', keepStrategy: 'ALL' });
  const ratioConfig = { numeratorBoardId: counter.id, denominatorBoardId: other.id };
  const ratio = await board({ boardType: 'RATIO', keepStrategy: undefined, ratioConfig });
  expect(await ticketsFault(ratio.id, REQUIRED)).toBe('VALIDATION_FAILED');
  const template = await makeTemplate(on.studio, on.game.id, { ...WITH_DAYS, tickets: DAILY });
  const fault = (input: Data) => changeFault(on.studio.admin, 'BoardTemplate', template.id, input);
  expect(await fault({ views: [] })).toBe('VALIDATION_FAILED');
  expect(await fault({ tickets: { ...DAILY, view: 'weekly' } })).toBe('VALIDATION_FAILED');
});

test('the bounds of the clock are for those who administer the board', async () => {
  const { id } = await board({ tickets: { ...REQUIRED, clock: CLOCK } });
  const stranger = await makeStudio(on.app);
  const player = await session();
  expect((await read(on.studio.admin, id)).tickets.clock).toMatchObject(CLOCK);
  expect(await read(player.client, id)).toMatchObject({
    tickets: { mode: 'REQUIRED', clock: null },
    ticketFigures: null,
  });
  const { body } = await player.client.get(`/v1/client/boards/${id}`);
  expect([body.tickets.mode, body.tickets.clock]).toEqual(['required', null]);
  expect(await stranger.admin.code(READ, { id })).toBe('FORBIDDEN');
});

test('a trial counts every run, flags nothing, and says what would be flagged', async () => {
  const { id } = await board({ tickets: { mode: 'ASKED', clock: CLOCK, content: 'map 1' }, holdTop: 3 });
  const player = () => session();
  await submit(await player(), id, 50_000);
  const run = async (value: number, seconds: number, more: Data = {}) => {
    const one = await player();
    const ticket = await ticketOf(one, id);
    on.app.clock.advance(seconds * SECOND);
    return send(one, id, value, ticket, more);
  };
  expect(await run(5_000, 60, { run_ms: 59_000 })).toBe(201);
  expect(await run(5_001, 60)).toBe(201);
  expect(await run(10, 9)).toBe(201);
  expect(await run(6_300, 60)).toBe(201);
  expect(await run(5, 60, { run_ms: 63_000 })).toBe(201);
  expect(await run(6, 60, { run_ms: 40_000 })).toBe(201);
  expect(await flags(id)).toEqual([]);
  const { ticketFigures: figures } = await read(on.studio.admin, id);
  const { since, ...counts } = figures;
  expect(counts).toEqual({ runs: 7, withTicket: 6, short: 1, rate: 1, fast: 1, slow: 1 });
  const { data } = await on.studio.admin.got(
    on.studio.admin.get(`/v1/score-events?board_id=${id}&sort=created_at:asc`),
  );
  expect(data.map(({ run: one }: Data) => one && [one.elapsed_ms, one.fault])).toEqual([
    null,
    [60_000, null],
    [60_000, null],
    [9_000, 'short'],
    [60_000, 'rate'],
    [60_000, 'fast'],
    [60_000, 'slow'],
  ]);
  // Expired and stale tickets are refused; the client sends the run again with a nonce.
  const one = await player();
  const stale = await ticketOf(one, id);
  await setTickets(id, { mode: 'ASKED', content: 'map 2' });
  expect(await send(one, id, 7, stale)).toBe('TICKET_STALE');
  expect(await send(one, id, 7, await takeNonce(one.client))).toBe(201);
  await expectSound(on.app.database, id);
});

test('without a ticket a required one is missing, whatever came instead', async () => {
  const { id } = await board({ tickets: REQUIRED });
  const player = await session();
  const { client } = player;
  const body = { board_id: id, value: 1, player_name: 'Ann' };
  expect(codeOf(await client.post('/v1/client/scores', body))).toBe('TICKET_REQUIRED');
  const nonce = await takeNonce(client);
  expect(await send(player, id, 1, nonce)).toBe('TICKET_REQUIRED');
  expect(await send(player, id, 1, 'no nonce')).toBe('TICKET_REQUIRED');
  on.app.clock.advance(2 * 60 * SECOND);
  expect(await send(player, id, 1, nonce)).toBe('TICKET_REQUIRED');
  expect(await send(player, id, 1, 'tkt_forged')).toBe('TICKET_INVALID');
  // Refused submissions leave the ticket unused; game servers need none.
  const ticket = await ticketOf(player, id);
  expect(await send(player, id, Number.NaN, ticket)).toBe('VALIDATION_FAILED');
  await change(on.studio.admin, 'Board', id, { isActive: false });
  expect(await send(player, id, 1, ticket)).toBe('BOARD_CLOSED');
  expect(codeOf(await issue(player, id))).toBe('BOARD_CLOSED');
  await change(on.studio.admin, 'Board', id, { isActive: true });
  expect(await send(player, id, 1, ticket)).toBe(201);
  const server = await on.studio.admin.post('/v1/score-events', {
    ...{ board_id: id, identity_id: player.session.identityId, value: 2 },
  });
  expect(server.status).toBe(201);
  expect(await runsOn(id)).toHaveLength(1);
});

const SUBMIT = `mutation ($input: SubmitScoreInput!) { submitScore(input: $input) { submission { kept } } }`;
const SUBMIT_ALL = `mutation ($input: SubmitScoresInput!) { submitScores(input: $input) {
  results { ... on Submission { kept } ... on RefusedSubmission { code } } } }`;

test('every door of submissions takes a ticket, the length of the run and its idle time', async () => {
  const { id } = await board({ tickets: { ...REQUIRED, seed: 'RUN' } });
  const player = await session();
  const own = { board_id: id, value: 1, player_name: 'Ann', run_ms: 3_000, idle_ms: 500 };
  const ownGraph = { boardId: id, value: 1, playerName: 'Ann', runMs: 3_000, idleMs: 500 };
  const doors: ((nonce: string) => Promise<unknown>)[] = [
    (nonce) => post(player, own, { 'service-client-nonce': nonce }),
    (nonce) =>
      player.client.with({ 'service-client-nonce': nonce }).post('/v1/client/scores?standings=all', own),
    (nonce) => player.client.post('/v1/client/scores/batch', { items: [{ ...own, nonce }] }),
    (nonce) => player.client.post('/v1/client/scores/batch?standings=all', { items: [{ ...own, nonce }] }),
    (nonce) => player.client.data(SUBMIT, { input: { ...ownGraph, nonce } }),
    (nonce) => player.client.with({ 'service-client-nonce': nonce }).data(SUBMIT, { input: ownGraph }),
    (nonce) => player.client.data(SUBMIT_ALL, { input: { items: [{ ...ownGraph, nonce }] } }),
  ];
  for (const [n, door] of doors.entries()) {
    const ticket = await ticketOf(player, id, { game_version: `v${n}` });
    on.app.clock.advance(4 * SECOND);
    await door(ticket);
  }
  const stored = (await runsOn(id)).map(({ run_ms, idle_ms, elapsed_ms, game_version }) => [
    ...[run_ms, idle_ms, elapsed_ms, game_version],
  ]);
  expect(stored).toEqual(doors.map((_, n) => [3_000, 500, 4_000, `v${n}`]));
  // Idle time is no more than what passed.
  const ticket = await ticketOf(player, id);
  on.app.clock.advance(SECOND);
  await post(player, { ...own, idle_ms: 9_000 }, { 'service-client-nonce': ticket });
  expect((await runsOn(id)).at(-1)).toMatchObject({ idle_ms: 1_000 });
  for (const wrong of [{ idle_ms: -1 }, { run_ms: 1.5 }, { idle_ms: 'long' }])
    expect(await send(player, id, 1, await ticketOf(player, id), wrong)).toBe('VALIDATION_FAILED');
});

test('in a batch each item has its own ticket, and one in two items counts once', async () => {
  const { id } = await board({ tickets: { ...REQUIRED, advance: 2 } });
  const player = await session();
  const { body } = await issue(player, id, { count: 2 });
  const [first, second] = body.tickets.map(({ ticket }: Data) => ticket);
  const items = [first, first, second, await takeNonce(player.client)].map((nonce, n) => ({
    ...{ board_id: id, value: n, player_name: 'Ann', nonce },
  }));
  const { body: answer } = await player.client.post('/v1/client/scores/batch', { items });
  expect(answer.results.map(({ status, error }: Data) => error?.code ?? status)).toEqual([
    ...[201, 'TICKET_USED', 201, 'TICKET_REQUIRED'],
  ]);
  expect(await events(id)).toHaveLength(2);
});

test('a key of a start belongs to the whole request, and finds what was issued first', async () => {
  const { id } = await board({ ...WITH_DAYS, tickets: { ...DAILY, attempts: 10, advance: 5, seed: 'RUN' } });
  const player = await session();
  const key = 'k'.repeat(128);
  const start = { count: 2, game_version: '1.0' };
  const first = await issue(player, id, start, { 'idempotency-key': key });
  expect([first.status, first.body.attempts_left]).toEqual([200, 8]);
  for (const other of [
    { ...start, count: 1 },
    { ...start, game_version: '1.1' },
    { ...start, advance: true },
    {},
  ])
    expect(codeOf(await issue(player, id, { ...other, idempotency_key: key }))).toBe('CONFLICT');
  // Settings change, and time passes: it is what it was. The member is the same as the header.
  on.app.clock.advance(HOUR);
  await setTickets(id, { ...DAILY, attempts: 2, advance: 5, content: 'map 2', hours: 1 });
  const again = await issue(player, id, { ...start, idempotency_key: key });
  expect(again.body).toEqual({ ...first.body, attempts_left: 0 });
  expect(again.headers.get('service-replayed')).toBe('true');
  expect(codeOf(await issue(player, id))).toBe('ATTEMPTS_USED_UP');
  for (const wrong of ['', 'k'.repeat(129), ' '])
    expect([wrong, codeOf(await issue(player, id, { idempotency_key: wrong }))]).toEqual([
      ...[wrong, 'VALIDATION_FAILED'],
    ]);
  const { rows } = await on.app.database.pool.query(
    'select keys[1] as key, octet_length(keys[1]) as long, cardinality(keys) as n from attempts where board_id = $1',
    [uuidOf(id)],
  );
  expect([rows.length, rows[0].long, rows[0].n]).toEqual([1, 16, 2]);
  // Another player, and the test population, have attempts of their own.
  expect((await issue(await session(), id)).body.attempts_left).toBe(1);
});

test('fewer tickets than asked where fewer attempts are left, and the player sees how many', async () => {
  const { id } = await board({ ...WITH_DAYS, tickets: { ...DAILY, advance: 5 } });
  const player = await session();
  expect((await read(player.client, id)).attempts).toMatchObject({ used: 0, left: 3 });
  expect((await read(on.studio.admin, id)).attempts).toBeNull();
  expect((await issue(player, id)).body.attempts_left).toBe(2);
  const { body } = await issue(player, id, { count: 5 });
  expect([body.tickets.map(({ attempt }: Data) => attempt), body.attempts_left]).toEqual([[2, 3], 0]);
  const { attempts } = await read(player.client, id);
  expect(attempts).toMatchObject({ used: 3, left: 0, startsOver: body.tickets[0].expires_at });
  const overRest = async (caller: Caller) => (await caller.get(`/v1/client/boards/${id}/attempts`)).body;
  expect(await overRest(player.client)).toEqual({
    attempts: { used: 3, left: 0, starts_over: body.tickets[0].expires_at },
  });
  expect(await overRest((await session()).client)).toMatchObject({ attempts: { used: 0, left: 3 } });
  const { body: none } = await issue(player, id);
  expect([none.code, none.error.includes(attempts.startsOver)]).toEqual(['ATTEMPTS_USED_UP', true]);
  await setTickets(id, { ...DAILY, attempts: 4, advance: 5 });
  expect((await issue(player, id)).body.tickets[0].attempt).toBe(4);
  await setTickets(id, { ...DAILY, attempts: 1 });
  expect((await read(player.client, id)).attempts).toMatchObject({ used: 4, left: 0 });
});

test('a ticket ends with its hours, its period and its board; attempts of a view without a period are closed', async () => {
  const ends = on.app.clock.now() + 2 * HOUR;
  const { id } = await board({ endsAt: new Date(ends).toISOString(), tickets: { ...REQUIRED, hours: 3 } });
  const player = await session();
  const end = async (boardId: string) =>
    Date.parse((await issue(player, boardId)).body.tickets[0].expires_at);
  expect(await end(id)).toBe(ends);
  await setTickets(id, { ...REQUIRED, hours: 1 });
  expect(await end(id)).toBe(on.app.clock.now() + HOUR);
  const startsAt = new Date(on.app.clock.now() + DAY).toISOString();
  const endsAt = new Date(on.app.clock.now() + 2 * DAY).toISOString();
  const seasons = [{ name: 'spring', startsAt, endsAt }];
  const later = await board({
    views: [{ name: 'season', seasons }],
    tickets: { ...REQUIRED, view: 'season' },
  });
  expect(codeOf(await issue(player, later.id))).toBe('BOARD_CLOSED');
});

test('turned off, an open ticket stays a good nonce and nothing is stored; limited later, it is stale', async () => {
  const { id } = await board({ tickets: REQUIRED });
  const player = await session();
  const [first, second] = [await ticketOf(player, id), await ticketOf(player, id)];
  await setTickets(id, null);
  expect(await send(player, id, 1, first)).toBe(201);
  expect(await send(player, id, 1, first)).toBe('TICKET_USED');
  expect(await runsOn(id)).toEqual([]);
  await setTickets(id, { ...REQUIRED, attempts: 5 });
  expect(await send(player, id, 1, second)).toBe('TICKET_STALE');
});

test('who may not play gets no ticket, and each ticket counts for the rate limit', async () => {
  const { id } = await board({ tickets: { ...REQUIRED, advance: 100 } });
  const player = await session();
  const ticket = await ticketOf(player, id);
  for (const wrong of [{ game_version: '' }, { game_version: 'é'.repeat(17) }, { count: 0 }, { count: 101 }])
    expect([wrong, codeOf(await issue(player, id, wrong))]).toEqual([wrong, 'VALIDATION_FAILED']);
  await change(on.studio.admin, 'Device', player.session.deviceId, { status: 'BANNED' });
  expect(codeOf(await issue(player, id))).toBe('DEVICE_BLOCKED');
  expect(await send(player, id, 1, ticket).catch(() => 'refused')).toBe('DEVICE_BLOCKED');
  const { admin } = on.studio;
  expect(codeOf(await admin.post('/v1/client/tickets', { board_id: id }))).toBe('TOKEN_REQUIRED');
  // A service with a limit: more tickets at once cost as much as more requests.
  const app = await startApp({ httpRateLimit: 50 });
  try {
    const studio = await makeStudio(app);
    const game = await makeGame(studio);
    const limited = await makeBoard(studio, game.id, { tickets: { ...REQUIRED, advance: 100 } });
    const one = await startSession(app, game.id);
    expect((await issue(one, limited.id, { count: 40 })).body.tickets).toHaveLength(40);
    expect(codeOf(await issue(one, limited.id, { count: 40 }))).toBe('RATE_LIMITED');
  } finally {
    await app.close();
  }
});

test('counter boards: what was added needs its time', async () => {
  const { id } = await board({
    ...{ boardType: 'COUNTER', keepStrategy: 'ALL' },
    tickets: { ...REQUIRED, clock: CLOCK },
  });
  const player = await session();
  for (const [value, expected] of [
    [6_000, []],
    [7_000, ['rate']],
  ] as const) {
    const ticket = await ticketOf(player, id);
    on.app.clock.advance(60 * SECOND);
    expect(await send(player, id, value, ticket)).toBe(201);
    expect((await flags(id)).map(({ metadata }) => metadata.fault)).toEqual(expected);
  }
});

const exported = async (identityId: string): Promise<string> => {
  const headers = on.studio.admin.headers;
  return (await fetch(`${on.app.url}/v1/identities/${identityId}/export`, { headers })).text();
};

test('a run is erased and exported with its player, and the audit trail has the settings', async () => {
  const { id } = await board({ ...WITH_DAYS, tickets: DAILY });
  const player = await session();
  const ticket = await ticketOf(player, id, { game_version: '1.4.2', idempotency_key: 'start' });
  expect(await send(player, id, 5, ticket)).toBe(201);
  const { identityId } = player.session;
  const lines = (await exported(identityId))
    .split('\n')
    .filter((line: string) => line !== '')
    .map((line: string) => JSON.parse(line));
  const ofKind = (kind: string) => lines.filter(({ record }: Data) => record === kind);
  expect(ofKind('run')).toMatchObject([{ game_version: '1.4.2', attempt: 1 }]);
  expect(ofKind('attempts')).toMatchObject([{ keys: [expect.stringMatching(/^[0-9a-f]{32}$/)] }]);
  await on.studio.admin.got(on.studio.admin.post(`/v1/identities/${identityId}/erase`, { scores: 'keep' }));
  expect(await runsOn(id)).toMatchObject([{ game_version: null, attempt: 1 }]);
  const { rows } = await on.app.database.pool.query('select from attempts where identity_id = $1', [
    uuidOf(identityId),
  ]);
  expect(rows).toEqual([]);
  await setTickets(id, null);
  const { data } = await on.studio.admin.got(
    on.studio.admin.get(`/v1/audit-entries?subject_id=${id}&sort=created_at:desc`),
  );
  const change = data.find(({ before }: Data) => before?.tickets);
  expect([change.before.tickets.attempts, change.after.tickets]).toEqual([3, null]);
});

test('attempts go with the periods of their view, and a rehearsal has no tickets', async () => {
  const views = [{ name: 'daily', period: 'DAY', keepPeriods: 1 }];
  const closingRules = [{ view: 'daily' }];
  const { id } = await board({ views, closingRules, tickets: { ...DAILY, seed: 'PERIOD' } });
  const fingerprint = { clientFingerprint: `keeper ${Math.random()}` };
  for (let day = 0; day < 4; day += 1) {
    const player = await session(undefined, fingerprint);
    expect(await send(player, id, day, await ticketOf(player, id))).toBe(201);
    on.app.clock.advance(DAY);
  }
  const { knex } = on.app.database;
  const periods = async () =>
    (await knex('attempts').where('board_id', uuidOf(id)).orderBy('period_number')).length;
  expect(await periods()).toBe(4);
  await knex.raw('select drop_rankings(?, ?, 100)', [uuidOf(id), new Date(on.app.clock.now())]);
  expect(await periods()).toBeLessThan(4);
  const { body } = await on.studio.admin.post(`/v1/boards/${id}/rehearse`, { view: 'daily' });
  const { rows } = await on.app.database.pool.query('select tickets from boards where rehearsal_of_id = $1', [
    uuidOf(id),
  ]);
  expect([body.code, rows]).toEqual([undefined, [{ tickets: null }]]);
});

test('tickets wait until no process of an older release runs, and then none starts or writes', async () => {
  const { database } = on.app;
  const oldest = () => database.knex('migration_checksums').where('name', 'oldest-known').first();
  const before = (await oldest())!.checksum;
  expect(before).toBe('115_runs.sql');
  await database.knex('migration_checksums').where('name', 'oldest-known').update({ checksum: '060_x.sql' });
  const old = new pg.Client({
    connectionString: database.connectionString,
    application_name: 'leaderboard changes',
  });
  await old.connect();
  const { id } = await board();
  try {
    expect(await ticketsFault(id, REQUIRED)).toBe('CONFLICT');
    expect((await read(on.studio.admin, id)).tickets).toBeNull();
    expect((await oldest())!.checksum).toBe('060_x.sql');
  } finally {
    await old.end();
  }
  await setTickets(id, REQUIRED);
  expect((await oldest())!.checksum).toBe('115_runs.sql');
  const row = `array[row('${uuidOf(id)}', null, 0, 0, null, 0, 0, 0, null, null)::board_write]`;
  const nulls = Array.from({ length: 11 }, () => 'null').join();
  await expect(database.pool.query(`select write_batches(${row}, ${nulls})`)).rejects.toMatchObject({
    code: '57P03',
  });
});
