import { startApp, type TestApp } from '../support/app.js';
import { entriesOf, flag, makePlayer, play, review } from '../support/flags.js';
import type { Caller, Data } from '../support/http.js';
import {
  change,
  makeBoard,
  makeGame,
  makeStudio,
  type Studio,
  startSession,
  unique,
} from '../support/make.js';
import { submit } from '../support/play.js';
import { expectSound } from '../support/standings.js';

let app: TestApp;
let studio: Studio;
let rest: Caller;
let game: Data;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  rest = studio.admin;
  game = await makeGame(studio, { antiCheatEnabled: false });
});
afterAll(() => app.close());

const player = () => makePlayer(studio.admin, game.id, `player ${unique()}`);

test('flags are listed with every filter, read, annotated and refused by REST', async () => {
  const other = await makeGame(studio, { antiCheatEnabled: false });
  const board = await makeBoard(studio, other.id, { keepStrategy: 'ALL' });
  const device = await startSession(app, other.id);
  const { scoreEvent: event } = await submit(device, board.id, 5);
  const made = await rest.post('/v1/score-flags', {
    score_event_id: event.id,
    confidence: 'medium',
    metadata: { why: 'odd' },
  });
  expect([made.status, made.body.flag_type, made.body.confidence, made.body.status]).toEqual([
    201,
    'manual',
    'medium',
    'pending',
  ]);
  const { id } = made.body;
  expect(made.body).toMatchObject({
    device_id: device.session.deviceId,
    compared_event_ids: [],
    is_test: false,
  });
  const list = async (query: string): Promise<string[]> =>
    (await rest.got(rest.get(`/v1/score-flags?${query}`))).data.map((found: Data) => found.id);
  const identity = `identity_id=${device.session.identityId}`;
  for (const query of [
    `board_id=${board.id}`,
    `game_id=${other.id}`,
    `account_id=${studio.accountId}&game_id=${other.id}`,
    identity,
    `score_event_id=${event.id}`,
    `${identity}&status=pending`,
    `${identity}&flag_type=manual`,
  ]) {
    expect([query, await list(query)]).toEqual([query, [id]]);
  }
  for (const query of [
    `${identity}&status=dismissed`,
    `${identity}&flag_type=velocity`,
    `game_id=${game.id}&${identity}`,
  ]) {
    expect([query, await list(query)]).toEqual([query, []]);
  }

  const patch = async (body: unknown) => {
    const { status, body: answer } = await rest.patch(`/v1/score-flags/${id}`, body);
    return [status, answer.code ?? answer.status, answer.reviewer_decision];
  };
  const refused = [400, 'INVALID_FLAG_UPDATE', undefined];
  expect(await patch({})).toEqual(refused);
  expect(await patch({ nothing: 1 })).toEqual(refused);
  expect(await patch({ status: 'cheater' })).toEqual(refused);
  expect(await patch({ status: 5 })).toEqual(refused);
  expect(await patch({ status: null })).toEqual(refused);
  expect(await patch({ status: 'dismissed', reviewer_decision: 5 })).toEqual([
    422,
    'VALIDATION_FAILED',
    undefined,
  ]);
  expect(await patch({ reviewer_decision: 'x'.repeat(2_001) })).toEqual([
    422,
    'VALIDATION_FAILED',
    undefined,
  ]);
  expect(await patch({ reviewer_decision: 'Looks fine' })).toEqual([200, 'pending', 'Looks fine']);
  const noted = (await rest.get(`/v1/score-flags/${id}`)).body;
  expect([noted.reviewed_at, noted.reviewer_id]).toEqual([null, null]);
  app.clock.advance(1_000);
  expect(await patch({ status: 'dismissed' })).toEqual([200, 'dismissed', 'Looks fine']);
  const decided = (await rest.get(`/v1/score-flags/${id}`)).body;
  app.clock.advance(1_000);
  // The value that it has already: nothing changes.
  expect(await patch({ status: 'dismissed', reviewer_decision: 'Looks fine' })).toEqual([
    200,
    'dismissed',
    'Looks fine',
  ]);
  expect((await rest.get(`/v1/score-flags/${id}`)).body).toEqual(decided);
  expect(await patch({ reviewer_decision: null })).toEqual([200, 'dismissed', null]);
  expect(await patch({ deleted: true })).toEqual([200, 'dismissed', null]);
  expect(await patch({ deleted: true })).toEqual([200, 'dismissed', null]);
  expect(await list(identity)).toEqual([]);
  expect(await patch({ deleted: false, status: 'pending' })).toEqual([200, 'pending', null]);
  expect(await list(identity)).toEqual([id]);

  const stranger = await makeStudio(app);
  const strange = stranger.admin;
  expect((await strange.get(`/v1/score-flags/${id}`)).status).toBe(403);
  expect((await strange.patch(`/v1/score-flags/${id}`, { status: 'dismissed' })).status).toBe(403);
  expect((await strange.post('/v1/score-flags', { score_event_id: event.id })).status).toBe(403);
  // A deleted board takes its flags along.
  await change(studio.admin, 'Board', board.id, { deleted: true });
  expect((await rest.get(`/v1/score-flags/${id}`)).status).toBe(404);
  expect(await patch({ status: 'dismissed' })).toEqual([404, 'NOT_FOUND', undefined]);
  expect(await list(`game_id=${other.id}`)).toEqual([]);
});

test('a rejected event counts when its flags are cleared, and leaves no trace otherwise', async () => {
  const board = await makeBoard(studio, game.id, { keepStrategy: 'ALL' });
  const fast = await player();
  await play(studio.admin, board.id, fast, 3);
  const run = await play(studio.admin, board.id, fast, 9);
  // As a rejection stores it.
  await app.database.knex('score_events').where('id', run.slice(4)).update({ disposition: 'rejected' });
  const rederive = () =>
    app.database.knex.raw('select rederive(board_id, ?::uuid[], ?) from board_rankings where board_id = ?', [
      [fast.slice(4)],
      new Date(app.clock.now()),
      board.id.slice(4),
    ]);
  await rederive();
  expect(await entriesOf(app, board.id, fast)).toEqual(['3 active']);
  const { id } = await flag(studio.admin, run);
  expect(await entriesOf(app, board.id, fast)).toEqual(['3 active']);
  await review(studio.admin, id, { status: 'FALSE_POSITIVE' });
  expect(await entriesOf(app, board.id, fast)).toEqual(['3 active', '9 active']);
  await review(studio.admin, id, { status: 'CONFIRMED_CHEAT' });
  expect(await entriesOf(app, board.id, fast)).toEqual(['3 active']);
  await expectSound(app.database, board.id);
});
