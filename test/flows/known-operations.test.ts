import { startApp, type TestApp } from '../support/app.js';
import type { Caller, Data } from '../support/http.js';
import { makeBoard, makeGame, makeStudio, type Player, type Studio, startSession } from '../support/make.js';
import { takeNonce } from '../support/play.js';

// Repeated operations do not pass Apollo any more, invisibly: bytes, headers and errors stay the same.

let app: TestApp;
let studio: Studio;
let board: Data;
let player: Player;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  const game = await makeGame(studio, { antiCheatEnabled: false });
  board = await makeBoard(studio, game.id, { boardType: 'RUN_RUNS' });
  player = await startSession(app, game.id);
});
afterAll(() => app.close());

const OFTEN = 25;

async function ask(caller: Caller, body: Data, headers: Data = {}) {
  const answer = await fetch(`${app.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...caller.headers,
      'service-request-id': 'same',
      ...headers,
    },
    body: JSON.stringify(body),
  });
  const sent = [...answer.headers].filter(([name]) => name !== 'date');
  return { status: answer.status, headers: sent, body: await answer.text() };
}

const SUBMIT = `mutation ($input: SubmitScoreInput!) { submitScore(input: $input) { submission { kept replayed score { value } } } }`;
const runs = async () =>
  (
    await studio.admin.data('query ($id: ID!) { board(by: { id: $id }) { ranking { totalCount } } }', {
      id: board.id,
    })
  ).board.ranking.totalCount;

test('a repeated mutation runs once each time, also where it fails', async () => {
  const submit = async (value: number, nonce: string, headers = {}) =>
    ask(
      player.client,
      { query: SUBMIT, variables: { input: { boardId: board.id, playerName: 'Ann', value, nonce } } },
      headers,
    );
  let nonce = '';
  for (let value = 1; value <= OFTEN; value += 1) {
    nonce = await takeNonce(player.client);
    const { status, body } = await submit(value, nonce);
    expect([status, JSON.parse(body).data.submitScore.submission.score.value]).toEqual([200, value]);
  }
  const { body } = await submit(99, nonce);
  expect(JSON.parse(body)).toEqual({
    errors: [expect.objectContaining({ extensions: { code: 'NONCE_USED', requestId: 'same' } })],
    data: { submitScore: null },
    extensions: { cost: expect.anything() },
  });
  const key = { 'idempotency-key': 'once' };
  await submit(100, await takeNonce(player.client), key);
  const again = await submit(100, await takeNonce(player.client), key);
  expect(again.headers).toContainEqual(['service-replayed', 'true']);
  expect(JSON.parse(again.body).data.submitScore.submission.replayed).toBe(true);
  expect(await runs()).toBe(OFTEN + 1);
});

test.each<[string, Data, Data?]>([
  ['data', { id: 0 }],
  ['a fault of a variable', { id: 'brd_1' }],
  ['a missing variable', {}],
  ['a variable of another type', { id: 0, first: 'many' }],
  ['too much', { id: 0, first: 6_000 }],
  ['text that cannot be kept', { id: 'a\u0000' }],
  ['a missing board', { id: 'brd_00000000-0000-0000-0000-000000000000' }],
  ['the newer name of JSON', { id: 0 }, { accept: 'application/graphql-response+json' }],
])('%s is answered like a new text', async (what, variables, headers = {}) => {
  const query =
    'query ($id: ID!, $first: Int) { board(by: { id: $id }) { name scores(first: $first) { nodes { value } } } }';
  const known = { query, variables: { id: board.id } };
  for (let n = 0; n < OFTEN; n += 1) await ask(studio.admin, known);
  const asked = variables.id === 0 ? { ...variables, id: board.id } : variables;
  const answer = await ask(studio.admin, { query, variables: asked }, headers);
  expect(answer).toEqual(await ask(studio.admin, { query: `${query} # ${what}`, variables: asked }, headers));
  expect(await ask(studio.admin, { query, operationName: 'Other', variables: asked })).toMatchObject({
    body: expect.stringContaining('Unknown operation named'),
  });
  expect((await ask(app.anyone, known)).body).toContain('API_KEY_REQUIRED');
});

test('of two operations in one text the named one runs', async () => {
  const query =
    'query A($id: ID!) { board(by: { id: $id }) { id } } query B($id: ID!) { board(by: { id: $id }) { name } }';
  const variables = { id: board.id };
  for (let n = 0; n < OFTEN; n += 1) {
    for (const [operationName, field] of [
      ['A', 'id'],
      ['B', 'name'],
    ] as const) {
      const { body } = await ask(studio.admin, { query, operationName, variables });
      expect(JSON.parse(body).data).toEqual({ board: { [field]: board[field] } });
    }
  }
  const { body } = await ask(studio.admin, { query, variables });
  expect(JSON.parse(body).errors[0].message).toMatch(/Must provide operation name/);
  expect(JSON.parse((await ask(studio.admin, { query, operationName: '', variables })).body)).toHaveProperty(
    'errors',
  );
});
