import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { playAgain } from '../../examples/arcade/inputs.js';
import { startApp, type TestApp } from '../support/app.js';
import { play, record } from '../support/arcade-play.js';
import type { Data } from '../support/http.js';
import { makeBoard, makeGame, makeKey, makeStudio, type Studio } from '../support/make.js';

// The demo's game and its verifier (examples/verifier) with a real service.

const ROOT = path.resolve(__dirname, '../..');

let app: TestApp;
let studio: Studio;
let game: Data;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio);
});
afterAll(() => app.close());

test('the inputs of a run give it again, and a changed byte gives another run or none', () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const { score, file } = play(seed, seed);
    expect(playAgain(seed, file)?.score).toBe(score);
    expect(file.length).toBeLessThan(4_400);
  }
  const { file } = play(3, 10);
  expect(playAgain(3, file.subarray(1))).toBeUndefined();
  expect(playAgain(3, Uint8Array.of(1))).toBeUndefined();
  expect(playAgain(3, Uint8Array.of(1, 255, 255, 255, 255, 255, 255, 255))).toBeUndefined();
  expect(playAgain(3, file.slice(0, -1).with(-1, 255))).toBeUndefined();
});

test('the verifier plays the runs of a board again: real ones rank, forged ones go', async () => {
  const { id } = await makeBoard(studio, game.id, {
    ...{ keepStrategy: 'BEST', recordings: {}, tickets: { mode: 'ASKED', seed: 'RUN' } },
    verdicts: { mode: 'DECIDE', verifyTop: 10, confirmed: true },
  });
  const real = await record(app, game.id, id);
  const ten = await record(app, game.id, id, ({ score, file }) => ({ score: score + 10, file }));
  const other = await record(app, game.id, id, ({ score, file }) => ({ score, file: file.slice(0, 4) }));
  const noise = await record(app, game.id, id, ({ score }) => ({ score, file: Buffer.from('not a run') }));
  const older = await record(app, game.id, id, undefined, null);
  const { key } = await makeKey(app.superadmin, studio.accountId, studio.userId, { scopes: ['VERIFY'] });
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['-r', './test/support/ts-require.cjs', 'examples/verifier/main.ts', '--once'],
    { cwd: ROOT, env: { ...process.env, BASE: app.url, KEY: key, BOARD: id } },
  );
  const said = new Map(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split(/[ :]/).slice(0, 2) as [string, string]),
  );
  expect([real, ten, other, noise, older].map((event) => said.get(event))).toEqual([
    ...['verified', 'rejected', 'rejected', 'rejected', 'unknown'],
  ]);
  const { board } = await studio.admin.data(
    'query ($id: ID!) { board(by: { id: $id }) { ranking { entries { nodes { rank } } } scoreFlags { nodes { status scoreEventId } } } }',
    { id },
  );
  expect(board.ranking.entries.nodes).toHaveLength(1);
  const statuses = new Map(
    board.scoreFlags.nodes.map(({ scoreEventId, status }: Data) => [scoreEventId, status]),
  );
  expect([real, ten, older].map((event) => statuses.get(event))).toEqual([
    'DISMISSED',
    'CONFIRMED_CHEAT',
    'PENDING',
  ]);
});
