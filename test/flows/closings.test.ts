import { uuidOf } from '../../src/base/ids.js';
import { verifyBoard } from '../../src/rankings/upkeep/verify.js';
import { startApp, type TestApp } from '../support/app.js';
import { DAY, HOUR, MINUTE } from '../support/clock.js';
import { flag, play as playAs, review } from '../support/flags.js';
import type { Data } from '../support/http.js';
import { holding, waiting } from '../support/locks.js';
import {
  change,
  makeBoard,
  makeGame,
  makeStudio,
  makeTemplate,
  type Player,
  type Studio,
  startSession,
} from '../support/make.js';
import { submit } from '../support/play.js';

let app: TestApp;
let studio: Studio;
let game: Data;
let players: Player[];
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio);
  players = [];
  for (let i = 0; i < 3; i += 1) players.push(await startSession(app, game.id));
});
afterAll(() => app.close());

const SET = `mutation($input: UpdateBoardInput!) { updateBoard(input: $input) { board { id closingRules {
  view settleMinutes reviewTop reviewHours places } } } }`;
const CLOSE = 'mutation($input: CloseBoardInput!) { closeBoard(input: $input) { board { id isActive } } }';
const CLOSINGS = `query($id: ID!) { board(by: { id: $id }) { closings(first: 20) { nodes {
  id view period group isTest reason status totalCount openFlags heldRuns frozenAt places { rank displayRank playerName value } } } } }`;

const closings = async (id: string): Promise<Data[]> =>
  (await studio.admin.data(CLOSINGS, { id })).board.closings.nodes;
const rule = (input: Data, rules: Data[]) =>
  studio.admin.data(SET, { input: { id: input.id, closingRules: rules } });
const run = () => app.app.jobs.run('close-rankings');
const at = (millis: number) => new Date(app.clock.now() + millis).toISOString();

async function play(board: Data, values: number[]): Promise<void> {
  for (const [i, value] of values.entries())
    await submit(players[i]!, board.id, value, { playerName: `Player ${i}` });
}

test('a board that ends settles, and then its places are fixed, once', async () => {
  const board = await makeBoard(studio, game.id, { endsAt: at(HOUR), tiePolicy: 'COMPETITION' });
  await rule(board, [{ settleMinutes: 30, places: 2 }]);
  await play(board, [10, 30, 30]);
  app.clock.advance(HOUR);
  await app.app.jobs.run('expire-boards');
  await run();
  expect(await closings(board.id)).toMatchObject([
    { status: 'SETTLING', reason: 'ENDED', view: null, places: [], totalCount: null },
  ]);
  app.clock.advance(30 * MINUTE);
  await run();
  await run();
  const [closed, ...others] = await closings(board.id);
  expect(others).toEqual([]);
  expect(closed).toMatchObject({ status: 'FROZEN', totalCount: 3, openFlags: null, isTest: false });
  expect(closed!.places).toEqual([
    { rank: 1, displayRank: 1, playerName: 'Player 1', value: 30 },
    { rank: 2, displayRank: 1, playerName: 'Player 2', value: 30 },
  ]);
  const rest = await studio.admin.get(`/v1/closings/${closed!.id}`);
  expect(rest.body).toMatchObject({ id: closed!.id, board_id: board.id, status: 'frozen', total_count: 3 });
  const list = await studio.admin.get(`/v1/boards/${board.id}/closings?status=frozen`);
  expect(JSON.stringify(list.body)).toContain(closed!.id);
});

test('a board that is only deactivated is not closed, one that is closed now is, and one that is opened again withdraws it', async () => {
  const board = await makeBoard(studio, game.id);
  await rule(board, [{ settleMinutes: 60 }]);
  await change(studio.admin, 'Board', board.id, { isActive: false });
  await run();
  expect(await closings(board.id)).toEqual([]);
  await change(studio.admin, 'Board', board.id, { isActive: true });
  await studio.admin.data(CLOSE, { input: { id: board.id } });
  const [first] = await closings(board.id);
  expect(first).toMatchObject({ status: 'SETTLING', reason: 'CLOSED' });
  await change(studio.admin, 'Board', board.id, { isActive: true, endsAt: null });
  expect(await closings(board.id)).toMatchObject([{ id: first!.id, status: 'WITHDRAWN' }]);
  await studio.admin.data(CLOSE, { input: { id: board.id } });
  app.clock.advance(HOUR);
  await run();
  expect(await closings(board.id)).toMatchObject([{ id: first!.id, status: 'FROZEN', totalCount: 0 }]);
  // After the freeze nothing is closed again.
  await change(studio.admin, 'Board', board.id, { isActive: true, endsAt: null });
  await studio.admin.data(CLOSE, { input: { id: board.id } });
  app.clock.advance(2 * HOUR);
  await run();
  expect(await closings(board.id)).toMatchObject([{ id: first!.id, status: 'FROZEN', totalCount: 0 }]);
});

test('closing is an end: the board has ended now, and its page, places and winners stay', async () => {
  const board = await makeBoard(studio, game.id, { endsAt: at(DAY) });
  await rule(board, [{ settleMinutes: 0, places: 3 }]);
  await play(board, [7, 9]);
  const now = at(0);
  const ended = async (id: string) =>
    (await studio.admin.data(CLOSE.replace('isActive', 'isActive phase startsAt endsAt'), { input: { id } }))
      .closeBoard.board;
  const closed = { id: board.id, isActive: false, phase: 'ENDED', startsAt: null, endsAt: now };
  expect(await ended(board.id)).toEqual(closed);
  app.clock.advance(MINUTE);
  expect(await ended(board.id)).toEqual(closed);
  await run();
  expect(await closings(board.id)).toMatchObject([
    { status: 'FROZEN', reason: 'CLOSED', places: [{ playerName: 'Player 1' }, { playerName: 'Player 0' }] },
  ]);
  const page = async (id: string, by: Data) =>
    (
      await app.anyone.data(
        `query ($by: BoardKey!) { publicBoard(by: $by) { phase ranking { entries(first: 1) { nodes { playerName } } } } }`,
        { by },
      )
    ).publicBoard ?? id;
  const shown = { phase: 'ENDED', ranking: { entries: { nodes: [{ playerName: 'Player 1' }] } } };
  expect(await page(board.id, { shortCode: board.shortCode })).toEqual(shown);

  // One that was hidden, over REST; one that has not started never does; one that has ended keeps its end.
  const hidden = await makeBoard(studio, game.id, { isActive: false });
  const rest = await studio.admin.post(`/v1/boards/${hidden.id}/close`, {});
  expect([rest.status, rest.body.is_active, rest.body.ends_at]).toEqual([200, false, at(0)]);
  const upcoming = await makeBoard(studio, game.id, { startsAt: at(HOUR), endsAt: at(DAY) });
  expect(await ended(upcoming.id)).toMatchObject({ phase: 'ENDED', startsAt: null, endsAt: at(0) });
  const over = await makeBoard(studio, game.id, { startsAt: at(0), endsAt: at(MINUTE) });
  app.clock.advance(HOUR);
  expect(await ended(over.id)).toMatchObject({
    phase: 'ENDED',
    startsAt: over.startsAt,
    endsAt: over.endsAt,
  });

  // Deactivated alone, a board is hidden, as before.
  const off = await makeBoard(studio, game.id);
  await change(studio.admin, 'Board', off.id, { isActive: false });
  expect(
    await app.anyone.code('query ($c: String!) { publicBoard(by: { shortCode: $c }) { phase } }', {
      c: off.shortCode,
    }),
  ).toBe('NOT_FOUND');
});

test('an open flag on the first places delays the freeze, at most by the time of the rule', async () => {
  const board = await makeBoard(studio, game.id);
  await rule(board, [{ reviewTop: 1, reviewHours: 5 }]);
  const [, second] = players;
  await play(board, [5]);
  const scoreEventId = await playAs(studio.admin, board.id, second!.session.identityId, 9);
  const FLAG =
    'mutation($input: CreateScoreFlagInput!) { createScoreFlag(input: $input) { scoreFlag { id } } }';
  await studio.admin.data(FLAG, { input: { scoreEventId } });
  await studio.admin.data(CLOSE, { input: { id: board.id } });
  app.clock.advance(HOUR);
  await run();
  expect(await closings(board.id)).toMatchObject([{ status: 'SETTLING' }]);
  app.clock.advance(4 * HOUR);
  await run();
  expect(await closings(board.id)).toMatchObject([{ status: 'FROZEN', openFlags: 1, heldRuns: 0 }]);
});

test('a review that is committed while the places are found is in them', async () => {
  const board = await makeBoard(studio, game.id);
  await rule(board, [{}]);
  await play(board, [5]);
  const scoreEventId = await playAs(studio.admin, board.id, players[1]!.session.identityId, 9);
  const { id } = await flag(studio.admin, scoreEventId);
  await studio.admin.data(CLOSE, { input: { id: board.id } });
  const release = await holding(
    app,
    'select from board_rankings where board_id = $1 for update',
    uuidOf(board.id),
  );
  const reviewed = review(studio.admin, id, { status: 'CONFIRMED_CHEAT' });
  await waiting(app, 1);
  const closed = run();
  await waiting(app, 2);
  await release();
  await Promise.all([reviewed, closed]);
  await run();
  expect(await closings(board.id)).toMatchObject([
    { status: 'FROZEN', totalCount: 1, places: [{ value: 5 }] },
  ]);
});

test('rules that name no view with periods, or one twice, are refused, and their change is in the audit trail', async () => {
  const board = await makeBoard(studio, game.id, {
    views: [
      { name: 'week', period: 'WEEK' },
      { name: 'land', by: ['country'] },
    ],
  });
  const code = (rules: Data[]) => studio.admin.code(SET, { input: { id: board.id, closingRules: rules } });
  expect(await code([{ view: 'land' }])).toBe('VALIDATION_FAILED');
  expect(await code([{ view: 'none' }])).toBe('VALIDATION_FAILED');
  expect(await code([{ view: 'week' }, { view: 'week' }])).toBe('VALIDATION_FAILED');
  expect(await code([{ places: 101 }])).toBe('VALIDATION_FAILED');
  await rule(board, [{ view: 'week' }, {}]);
  const { body } = await studio.admin.get(`/v1/boards/${board.id}`);
  expect(body.closing_rules).toMatchObject([{ view: 'week', places: 10 }, { view: null }]);
  // A view that is closed is not dropped by mistake.
  const views = [{ name: 'land', by: ['country'] }];
  const change = 'mutation($input: UpdateBoardInput!) { updateBoard(input: $input) { board { id } } }';
  expect(await studio.admin.code(change, { input: { id: board.id, views } })).toBe('VALIDATION_FAILED');
  const entries = await studio.admin.get(`/v1/audit-entries?subject_id=${board.id}`);
  expect(JSON.stringify(entries.body)).toContain('closingRules');
});

test('webhooks hear of both moments, once, with the first places', async () => {
  const board = await makeBoard(studio, game.id);
  await rule(board, [{ settleMinutes: 10 }]);
  const { body: endpoint } = await studio.admin.post('/v1/webhook-endpoints', {
    ...{ account_id: studio.accountId, name: 'Prizes', url: 'https://hooks.example.com' },
    ...{ events: ['ranking.settling', 'ranking.closed'], board_ids: [board.id] },
  });
  await play(board, [3, 9]);
  await studio.admin.data(CLOSE, { input: { id: board.id } });
  await studio.admin.data(CLOSE, { input: { id: board.id } });
  const told = async (): Promise<Data[]> => {
    await app.app.jobs.run('dispatch-webhooks');
    const { body } = await studio.admin.get(`/v1/webhook-endpoints/${endpoint.id}/deliveries`);
    return body.data.map(({ event }: Data) => event).toReversed();
  };
  const [closing] = await closings(board.id);
  const about = { closing_id: closing!.id, view: null, period: null, group: null, reason: 'closed' };
  app.clock.advance(10 * MINUTE);
  await run();
  await run();
  const events = await app.database.knex('webhook_deliveries').where({ endpoint_id: endpoint.id.slice(4) });
  expect(events).toEqual([]);
  await told();
  const rows = await app.database
    .knex('webhook_events')
    .where({ board_id: board.id.slice(4) })
    .orderBy('created_at');
  expect(rows.map(({ type }) => type)).toEqual(['ranking.settling', 'ranking.closed']);
  expect(rows[0].data).toMatchObject(about);
  expect(rows[1].data).toMatchObject({
    ...about,
    total: 2,
    podium: [
      { rank: 1, display_rank: 1, value: 9, player: { name: 'Player 1' } },
      { rank: 2, display_rank: 2, value: 3, player: { name: 'Player 0' } },
    ],
  });
});

test('fixed places are verified, also against the ranking as it is', async () => {
  const board = await makeBoard(studio, game.id);
  await rule(board, [{}]);
  await play(board, [3, 9]);
  await studio.admin.data(CLOSE, { input: { id: board.id } });
  await run();
  const [closing] = await closings(board.id);
  const faults = async () => (await verifyBoard(app.database, board.id)).map(({ sentence }) => sentence);
  expect(closing).toMatchObject({ status: 'FROZEN' });
  expect(await faults()).toEqual([]);
  const { knex } = app.database;
  await knex('closing_places')
    .where({ closing_id: closing!.id.slice(4), rank: 1 })
    .update({ value: 8 });
  expect(await faults()).toMatchObject([expect.stringContaining('not those of the ranking')]);
  await knex('closing_places')
    .where({ closing_id: closing!.id.slice(4), rank: 1 })
    .update({ value: 2 });
  expect(await faults()).toMatchObject([expect.stringContaining('not in order')]);
  await knex('closing_places')
    .where({ closing_id: closing!.id.slice(4), rank: 1 })
    .update({ value: 9 });
  const one = () => knex('closings').where({ id: closing!.id.slice(4) });
  await one().increment('entry_count', 1);
  expect(await faults()).toMatchObject([expect.stringContaining('number of entries')]);
  await one().decrement('entry_count', 1);
  expect(await faults()).toEqual([]);
});

test('the boards of a template close what the template says', async () => {
  const template = await makeTemplate(studio, game.id, {
    ...{ slug: 'cup', nextRunAt: at(0), repeatInterval: '1 week', endsAt: at(60 * DAY) },
    closingRules: [{ settleMinutes: 5 }, { view: 'day', places: 3 }],
    views: [{ name: 'day', period: 'DAY' }],
  });
  const wrong = { input: { id: template.id, views: [] } };
  const CHANGE =
    'mutation($input: UpdateBoardTemplateInput!) { updateBoardTemplate(input: $input) { boardTemplate { id } } }';
  expect(await studio.admin.code(CHANGE, wrong)).toBe('VALIDATION_FAILED');
  await app.app.jobs.run('run-board-templates');
  const made = await app.database
    .knex('boards')
    .where({ created_from_template_id: template.id.slice(4) })
    .first();
  await submit(players[0]!, `brd_${made.id}`, 4, { playerName: 'Player 0' });
  app.clock.advance(8 * DAY);
  await app.app.jobs.run('run-board-templates');
  await app.app.jobs.run('expire-boards');
  app.clock.advance(5 * MINUTE);
  await run();
  const all = await closings(`brd_${made.id}`);
  expect(all.filter(({ view }) => view === null)).toMatchObject([
    { status: 'FROZEN', totalCount: 1, reason: 'REPLACED' },
  ]);
  expect(all.filter(({ view }) => view === 'day').length).toBeGreaterThan(6);
});
