import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { centreOf } from '../../examples/arcade/course.js';
import { Inputs, playAgain } from '../../examples/arcade/inputs.js';
import { World } from '../../examples/arcade/world.js';
import { startApp, type TestApp } from '../support/app.js';
import { MINUTE } from '../support/clock.js';
import { type Data, send } from '../support/http.js';
import { makeBoard, makeGame, makeKey, makeStudio, type Studio, startSession } from '../support/make.js';
import { takeNonce } from '../support/play.js';

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

/** Keeps to the middle of the next gate for so many seconds, then lets go. */
function play(seed: number, seconds: number): { score: number; file: Uint8Array } {
  const world = new World(seed);
  const inputs = new Inputs();
  while (!world.isOver) {
    const gate = world.course.gates.find((one) => one.x + 40 > world.x);
    const isHeld =
      world.seconds < seconds &&
      gate !== undefined &&
      world.y + world.drift * 0.13 > centreOf(gate, world.seconds);
    inputs.add(isHeld);
    world.step(isHeld);
  }
  return { score: world.score, file: inputs.file() };
}

/** Submits a run with a ticket, and sends its file. @returns the id of the event */
async function record(
  boardId: string,
  change: (played: { score: number; file: Uint8Array }) => { score: number; file: Uint8Array } = (same) =>
    same,
  gameVersion: string | null = '1',
): Promise<string> {
  const player = await startSession(app, game.id);
  const { body } = await player.client.post('/v1/client/tickets', {
    board_id: boardId,
    ...(gameVersion !== null && { game_version: gameVersion }),
  });
  const [{ ticket, seed }] = body.tickets;
  const { score, file } = change(play(seed, 15));
  app.clock.advance(MINUTE);
  const { body: run } = await player.client
    .with({ 'service-client-nonce': ticket })
    .post('/v1/client/scores', {
      ...{ board_id: boardId, player_name: 'Ann', value: score },
      recording_hash: createHash('sha256').update(file).digest('hex'),
    });
  const event = run.recording.score_event_id;
  const { status } = await send(`${app.url}/v1/client/score-events/${event}/recording`, {
    method: 'PUT',
    headers: { ...player.client.headers, 'service-client-nonce': await takeNonce(player.client) },
    body: file,
  });
  expect(status).toBe(200);
  return event;
}

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
  const real = await record(id);
  const ten = await record(id, ({ score, file }) => ({ score: score + 10, file }));
  const other = await record(id, ({ score, file }) => ({ score, file: file.slice(0, 4) }));
  const noise = await record(id, ({ score }) => ({ score, file: Buffer.from('not a run') }));
  const older = await record(id, undefined, null);
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
