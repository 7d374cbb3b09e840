import { startApp, type TestApp } from '../support/app.js';
import { HOUR, MINUTE } from '../support/clock.js';
import { play as playAs } from '../support/flags.js';
import type { Data } from '../support/http.js';
import {
  change,
  makeBoard,
  makeGame,
  makeStudio,
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

const SET = `mutation($input: SetClosingRulesInput!) { setClosingRules(input: $input) { board { id closingRules {
  view settleMinutes reviewTop reviewHours places } } } }`;
const CLOSE = 'mutation($input: CloseBoardInput!) { closeBoard(input: $input) { board { id isActive } } }';
const CLOSINGS = `query($id: ID!) { board(by: { id: $id }) { closings(first: 20) { nodes {
  id view period group isTest reason status total openFlags heldRuns frozenAt places { rank displayRank playerName value } } } } }`;

const closings = async (id: string): Promise<Data[]> =>
  (await studio.admin.data(CLOSINGS, { id })).board.closings.nodes;
const rule = (input: Data, rules: Data[]) => studio.admin.data(SET, { input: { id: input.id, rules } });
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
    { status: 'SETTLING', reason: 'ENDED', view: null, places: [], total: null },
  ]);
  app.clock.advance(30 * MINUTE);
  await run();
  await run();
  const [closed, ...others] = await closings(board.id);
  expect(others).toEqual([]);
  expect(closed).toMatchObject({ status: 'FROZEN', total: 3, openFlags: null, isTest: false });
  expect(closed!.places).toEqual([
    { rank: 1, displayRank: 1, playerName: 'Player 1', value: 30 },
    { rank: 2, displayRank: 1, playerName: 'Player 2', value: 30 },
  ]);
  const rest = await studio.admin.get(`/v1/closings/${closed!.id}`);
  expect(rest.body).toMatchObject({ id: closed!.id, board_id: board.id, status: 'frozen', total: 3 });
  const list = await studio.admin.get(`/v1/boards/${board.id}/closings?status=frozen`);
  expect(JSON.stringify(list.body)).toContain(closed!.id);
});

test('a board that is only deactivated is not closed, one that is closed now is, and one that is opened again withdraws it', async () => {
  const board = await makeBoard(studio, game.id);
  await rule(board, [{ settleMinutes: 60 }]);
  await change(studio.admin, 'Board', board.id, { isActive: false });
  await run();
  expect(await closings(board.id)).toEqual([]);
  expect(await studio.admin.code(CLOSE, { input: { id: board.id } })).toBe('INVALID_TRANSITION');
  await change(studio.admin, 'Board', board.id, { isActive: true });
  await studio.admin.data(CLOSE, { input: { id: board.id } });
  const [first] = await closings(board.id);
  expect(first).toMatchObject({ status: 'SETTLING', reason: 'CLOSED' });
  await change(studio.admin, 'Board', board.id, { isActive: true });
  expect(await closings(board.id)).toMatchObject([{ id: first!.id, status: 'WITHDRAWN' }]);
  await studio.admin.data(CLOSE, { input: { id: board.id } });
  app.clock.advance(HOUR);
  await run();
  expect(await closings(board.id)).toMatchObject([{ id: first!.id, status: 'FROZEN', total: 0 }]);
  // After the freeze nothing is closed again.
  await change(studio.admin, 'Board', board.id, { isActive: true });
  await studio.admin.data(CLOSE, { input: { id: board.id } });
  app.clock.advance(2 * HOUR);
  await run();
  expect(await closings(board.id)).toMatchObject([{ id: first!.id, status: 'FROZEN', total: 0 }]);
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

test('rules that name no view with periods, or one twice, are refused, and their change is in the audit trail', async () => {
  const board = await makeBoard(studio, game.id, {
    views: [
      { name: 'week', period: 'WEEK' },
      { name: 'land', by: ['country'] },
    ],
  });
  const code = (rules: Data[]) => studio.admin.code(SET, { input: { id: board.id, rules } });
  expect(await code([{ view: 'land' }])).toBe('VALIDATION_FAILED');
  expect(await code([{ view: 'none' }])).toBe('VALIDATION_FAILED');
  expect(await code([{ view: 'week' }, { view: 'week' }])).toBe('VALIDATION_FAILED');
  expect(await code([{ places: 101 }])).toBe('VALIDATION_FAILED');
  await rule(board, [{ view: 'week' }, {}]);
  const { body } = await studio.admin.get(`/v1/boards/${board.id}/closing-rules`);
  expect(JSON.stringify(body)).toContain('"view":"week"');
  const entries = await studio.admin.get(`/v1/audit-entries?subject_id=${board.id}`);
  expect(JSON.stringify(entries.body)).toContain('closing');
});
