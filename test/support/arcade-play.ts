import { createHash } from 'node:crypto';
import { centreOf } from '../../examples/arcade/course.js';
import { Inputs } from '../../examples/arcade/inputs.js';
import { World } from '../../examples/arcade/world.js';
import type { TestApp } from './app.js';
import { MINUTE } from './clock.js';
import { send } from './http.js';
import { startSession } from './make.js';
import { takeNonce } from './play.js';

/** What a run of the demo's game is submitted with. */
export interface PlayedRun {
  score: number;
  file: Uint8Array;
}

/** Keeps to the middle of the next gate for so many seconds, then lets go. */
export function play(seed: number, seconds: number): PlayedRun {
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
export async function record(
  app: TestApp,
  gameId: string,
  boardId: string,
  change: (played: PlayedRun) => PlayedRun = (same) => same,
  gameVersion: string | null = '1',
): Promise<string> {
  const player = await startSession(app, gameId);
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
