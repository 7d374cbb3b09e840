import { centreOf } from '../../examples/arcade/course.js';
import { World } from '../../examples/arcade/world.js';
import { clockFinding } from '../../src/submissions/decide/clock.js';

// 1,000 real runs of the arcade and as many forged ones of each kind, judged by the clock check: the table of the guide.

let state = 12_345;
const random = () => {
  state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
  return state / 4_294_967_296;
};

/** A person: reacts late and misjudges. @param skill 0 to 1 */
function playAs(skill: number, seed: number): World {
  const world = new World(seed);
  let isHeld = false;
  let error = 0;
  let steps = 0;
  while (!world.isOver && world.seconds < 240) {
    if (steps % 24 === 0) error = (random() + random() + random() - 1.5) * 140 * (1 - skill);
    if (steps % Math.max(1, Math.round(14 * (1 - skill))) === 0) {
      const gate = world.course.gates.find((one) => one.x + 40 > world.x);
      const wish = gate !== undefined && world.y + world.drift * 0.13 + error > centreOf(gate, world.seconds);
      isHeld = wish;
    }
    world.step(isHeld);
    steps += 1;
  }
  return world;
}

const latency = () => 60 + 400 * random() ** 2;

let real: World[];
/** Seconds that runs take, ascending. */
let seconds: number[];
let best: World[];
let maxPerSecond: number;
beforeAll(() => {
  real = Array.from({ length: 1_000 }, (_, i) => playAs(0.25 + 0.7 * random(), i + 1));
  seconds = real.map((world) => world.seconds).sort((a, b) => a - b);
  best = real.toSorted((a, b) => b.score - a.score);
  const rates = real.filter((world) => world.seconds > 5).map((world) => world.score / world.seconds);
  maxPerSecond = Math.ceil(Math.max(...rates) * 1.25);
});

/** True if the run is flagged. */
function isFlagged(amount: number, elapsedMs: number, runMs: number | null, idleMs = 0): boolean {
  const settings = { minSeconds: 2, maxPerSecond, slackSeconds: 3, pauses: false };
  const run = { boardType: 'run_identity', second: undefined, advance: false } as const;
  return clockFinding(settings, { ...run, amount, elapsedMs, runMs, idleMs }) !== undefined;
}

/** Longer by a part: dropped frames, and the network twice. */
const asPlayed = (world: World) => world.seconds * 1_000 * (1 + 0.015 * random()) + latency() + latency();
const runOf = (world: World) => Math.round(world.seconds * 1_000);
const wanted = () => Math.round(best[Math.floor(100 * random())]!.score / 10) * 10;

const counts: Record<string, number> = {};
const count = (kind: string, flagged: boolean[]) => {
  counts[kind] = flagged.filter(Boolean).length;
};
const thousand = (forged: () => boolean) => Array.from({ length: 1_000 }, forged);

test('no real run is flagged, and forged ones as often as the page says', () => {
  count(
    'real',
    real.map((world) => isFlagged(world.score, asPlayed(world), runOf(world))),
  );
  count(
    'real, sent late and saying so',
    real.map((world) => {
      const idle = 600_000 * random();
      return isFlagged(world.score, world.seconds * 1_000 + idle + latency(), runOf(world), idle);
    }),
  );
  count(
    'a top score at once',
    thousand(() => isFlagged(wanted(), 500 + latency(), null)),
  );
  count(
    "a top score after a typical run's time",
    thousand(() => isFlagged(wanted(), 1_000 * seconds[Math.floor(1_000 * random())]!, null)),
  );
  count(
    'a top score after as long as it takes',
    thousand(() => {
      const world = best[Math.floor(100 * random())]!;
      return isFlagged(world.score, world.seconds * 1_000 + latency(), runOf(world));
    }),
  );
  // The tool slows the game's clock, also for what it says of itself.
  const slowed = (factor: number) => (world: World) =>
    isFlagged(world.score, (world.seconds * 1_000) / factor + latency() + latency(), runOf(world));
  for (const factor of [0.95, 0.9, 0.8, 0.5]) {
    count(`slow motion ${factor}`, real.map(slowed(factor)));
    const long = real.filter((world) => world.seconds >= 60);
    count(`slow motion ${factor}, runs of a minute and more`, long.map(slowed(factor)));
  }
  // A submission waits for the service, and is sent again with what its device has waited by then.
  count(
    'real, through an outage',
    real.map((world) => {
      let [waited, pause] = [0, 1_000];
      while (waited < 300_000) {
        waited += pause + latency();
        pause = Math.min(60_000, 2 * pause);
      }
      return isFlagged(world.score, asPlayed(world) + waited, runOf(world), Math.round(waited));
    }),
  );
  console.info(`${real.length} real runs; flagged:`, JSON.stringify(counts, null, 2));
  const honest = Object.keys(counts).filter((kind) => kind.startsWith('real'));
  expect(honest.map((kind) => counts[kind])).toEqual(honest.map(() => 0));
  // The figures of the guide, within two in a hundred of the runs.
  const figures = {
    'a top score at once': 1_000,
    "a top score after a typical run's time": 565,
    'a top score after as long as it takes': 0,
    'slow motion 0.5': 1_000,
    'slow motion 0.8': 877,
    'slow motion 0.9': 652,
    'slow motion 0.95': 44,
  };
  for (const [kind, figure] of Object.entries(figures)) {
    expect([kind, Math.abs(counts[kind]! - figure) <= 20]).toEqual([kind, true]);
  }
  for (const factor of [0.5, 0.8, 0.9])
    expect(counts[`slow motion ${factor}, runs of a minute and more`]).toBe(
      real.filter((world) => world.seconds >= 60).length,
    );
});
