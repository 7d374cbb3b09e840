import { centreOf } from '../../examples/arcade/course.js';
import { Inputs, playAgain, Replay } from '../../examples/arcade/inputs.js';
import { STEP, World } from '../../examples/arcade/world.js';

// The game of the demo (examples/arcade) without its page.

/** Keeps to the middle of the next gate. */
function pilot({ y, drift, x, course, seconds }: World): boolean {
  const gate = course.gates.find((one) => one.x + 40 > x);
  return gate !== undefined && y + drift * 0.13 > centreOf(gate, seconds);
}

function play(seed: number, isHeld: (world: World) => boolean, most = 40): World {
  const world = new World(seed);
  while (!world.isOver && world.seconds < most) world.step(isHeld(world));
  return world;
}

test('the same seed and the same keys are the same run, to the point', () => {
  const [first, second] = [play(7, pilot), play(7, pilot)];
  expect(first.seconds).toBeCloseTo(40, 1);
  expect([second.score, second.x, second.bestCombo]).toEqual([first.score, first.x, first.bestCombo]);
  expect(play(8, pilot).score).not.toBe(first.score);
});

test('a run without a key ends at the first gate, and one that is steered passes every gate of forty seconds', () => {
  for (let seed = 1; seed <= 40; seed += 1) {
    const idle = play(seed, () => false);
    expect([seed, idle.isOver, idle.seconds < 4]).toEqual([seed, true, true]);
    expect([seed, play(seed, pilot).isOver]).toEqual([seed, false]);
  }
});

test('a score is a number of tens that never falls, whatever is pressed', () => {
  const world = new World(3);
  const scores = [0];
  for (let step = 0; step * STEP < 20; step += 1) {
    world.step(step % 50 < 26);
    scores.push(world.score);
  }
  expect(world.score).toBeGreaterThan(1_000);
  expect(scores.filter((score, n) => score % 10 !== 0 || score < (scores[n - 1] ?? 0))).toEqual([]);
});

test('a ghost is where its player was after as many steps, and stays where the recording ends', () => {
  const [world, inputs] = [new World(7), new Inputs()];
  const places: number[][] = [];
  for (let step = 0; step < 1_000; step += 1) {
    const isHeld = pilot(world);
    inputs.add(isHeld);
    world.step(isHeld);
    places.push([world.x, world.y, world.score]);
  }
  const replay = Replay.of(7, inputs.file())!;
  const ghostAt = () => [replay.world.x, replay.world.y, replay.world.score];
  for (const place of places) {
    replay.step();
    expect(ghostAt()).toEqual(place);
  }
  for (let step = 0; step < 10; step += 1) replay.step();
  expect(ghostAt()).toEqual(places.at(-1));
  expect(playAgain(7, inputs.file())!.score).toBe(world.score);
  expect(Replay.of(7, Uint8Array.of(2, 1))).toBeUndefined();
  expect(Replay.of(7, Uint8Array.of(1, 128))).toBeUndefined();
});
