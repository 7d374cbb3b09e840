import { startApp, type TestApp } from '../support/app.js';
import type { Data } from '../support/http.js';
import { makeBoard, makeGame, makeStudio, startSession } from '../support/make.js';
import { restOf } from '../support/rest.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

test('an error of a misspelt member names it and the required one', async () => {
  const studio = await makeStudio(app);
  const game = await makeGame(studio);
  const board = await makeBoard(studio, game.id);
  const { client } = await startSession(app, game.id);
  const player = restOf(app).with({ ...client.headers, 'service-client-nonce': 'x' });
  const messages = async (body: Data) => {
    const answer = await player.post('/v1/client/scores', body);
    expect(answer.status).toBe(422);
    return answer.body.details.map(({ loc, msg, type }: Data) => [loc[1], msg, type]);
  };
  expect(await messages({ board_id: board.id, score: 1, name: 'Ann' })).toEqual([
    ['player_name', 'is required; "name" is not known here: is it meant?', 'missing'],
    ['value', 'is required; "score" is not known here: is it meant?', 'missing'],
  ]);
  expect(await messages({ board_id: board.id, player_name: 'Ann', other: 1 })).toEqual([
    ['value', 'is required', 'missing'],
  ]);
  // Unknown members beside what is required stay ignored.
  const whole = { board_id: board.id, player_name: 'Ann', value: 1, score: 2, name: 'x' };
  expect((await player.post('/v1/client/scores', whole)).body.code).toBe('NONCE_INVALID');
  const token = { token: 'x', account_name: 'Blue' };
  expect((await restOf(app).post('/register/complete', token)).body.details).toEqual([
    {
      loc: ['body', 'verification_token'],
      msg: 'is required; "token" is not known here: is it meant?',
      type: 'missing',
    },
  ]);
});
