import { centreOf } from '../../examples/arcade/course.js';
import { Inputs } from '../../examples/arcade/inputs.js';
import { World } from '../../examples/arcade/world.js';
import { verify } from '../../examples/verifier/verify.js';

// Real runs of the arcade and forged ones, from a fixed seed: what a ticket's clock sees of them.

/** A run as it arrives. */
export interface ArrivedRun {
  value: number;
  /** From the ticket to its arrival. */
  elapsedMs: number;
  /** As the game says. */
  idleMs: number;
  /** As the game says; null: it doesn't. */
  runMs: number | null;
}

interface Kind {
  name: string;
  isReal: boolean;
  runs: ArrivedRun[];
}

/** What the verifier says of runs of a kind. */
interface Verified {
  name: string;
  verified: number;
  rejected: number;
}

interface ArcadeRuns {
  /** A quarter more than the fastest real run yields. */
  maxPerSecond: number;
  kinds: Kind[];
  verdicts: Verified[];
}

const PLAYERS = 1_000;
const LATE_MS = 600_000;
const OUTAGE_MS = 300_000;
const LONGEST_PAUSE_MS = 60_000;

/** Each call makes the same ones. */
export function arcadeRuns(): ArcadeRuns {
  let state = 12_345;
  const random = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 4_294_967_296;
  };
  const latency = () => 60 + 400 * random() ** 2;
  const played = Array.from({ length: PLAYERS }, (_, i) => play(0.25 + 0.7 * random(), i + 1, random));
  const real = played.map(({ world }) => world);
  const seconds = real.map((world) => world.seconds).sort((a, b) => a - b);
  const best = real.toSorted((a, b) => b.score - a.score);
  const rates = real.filter((world) => world.seconds > 5).map((world) => world.score / world.seconds);
  const kinds: Kind[] = [];
  const add = (name: string, runs: ArrivedRun[]) =>
    kinds.push({ name, isReal: name.startsWith('real'), runs });
  const runMs = (world: World) => Math.round(world.seconds * 1_000);
  /** Longer by a part: dropped frames, and the network twice. */
  const asPlayed = (world: World) => world.seconds * 1_000 * (1 + 0.015 * random()) + latency() + latency();
  const honest = (world: World, elapsedMs: number, idleMs = 0): ArrivedRun => ({
    ...{ value: world.score, elapsedMs, idleMs, runMs: runMs(world) },
  });

  add(
    'real',
    real.map((world) => honest(world, asPlayed(world))),
  );
  add(
    'real, sent up to ten minutes late',
    real.map((world) => {
      const idleMs = LATE_MS * random();
      return honest(world, world.seconds * 1_000 + idleMs + latency(), idleMs);
    }),
  );
  const wanted = () => Math.round(best[Math.floor(100 * random())]!.score / 10) * 10;
  const forged = (make: () => ArrivedRun) => Array.from({ length: PLAYERS }, make);
  const bare = (elapsedMs: () => number) => (): ArrivedRun => ({
    ...{ value: wanted(), elapsedMs: elapsedMs(), idleMs: 0, runMs: null },
  });
  add('a top score at once', forged(bare(() => 500 + latency())));
  add(
    "a top score after a typical run's time",
    forged(bare(() => 1_000 * seconds[Math.floor(PLAYERS * random())]!)),
  );
  add(
    'a top score after as long as it takes',
    forged(() => {
      const world = best[Math.floor(100 * random())]!;
      return honest(world, world.seconds * 1_000 + latency());
    }),
  );
  // The tool slows the game's clock, also for what it says of itself.
  const slowed = (factor: number) => (world: World) =>
    honest(world, (world.seconds * 1_000) / factor + latency() + latency());
  for (const factor of [0.95, 0.9, 0.8, 0.5]) {
    add(`slow motion ${factor}`, real.map(slowed(factor)));
    const long = real.filter((world) => world.seconds >= 60);
    add(`slow motion ${factor}, runs of a minute and more`, long.map(slowed(factor)));
  }
  // A submission waits for the service, and is sent again with what its device has waited by then.
  add(
    'real, through an outage',
    real.map((world) => {
      let [waited, pause] = [0, 1_000];
      while (waited < OUTAGE_MS) {
        waited += pause + latency();
        pause = Math.min(LONGEST_PAUSE_MS, 2 * pause);
      }
      return honest(world, asPlayed(world) + waited, Math.round(waited));
    }),
  );
  const claims = (name: string, change: (run: Played, n: number) => Partial<Claim>) =>
    verdictsOn(
      name,
      played.map((run, n) => ({
        ...{ value: run.world.score, seed: run.world.seed, file: run.file },
        ...change(run, n),
      })),
    );
  const verdicts = [
    claims('real', () => ({})),
    // Nobody has inputs for it: those of another run.
    claims('a top score, however late', (_run, n) => ({
      value: best[n % 100]!.score,
      file: played.at(-1 - n)!.file,
    })),
    claims('real inputs, value + 10', ({ world }) => ({ value: world.score + 10 })),
    claims('real inputs, other seed', ({ world }) => ({ seed: world.seed + PLAYERS })),
  ];
  return { maxPerSecond: Math.ceil(Math.max(...rates) * 1.25), kinds, verdicts };
}

interface Played {
  world: World;
  file: Uint8Array;
}

/** A run with its recording, as it is submitted. */
interface Claim {
  value: number;
  seed: number;
  file: Uint8Array;
}

function verdictsOn(name: string, claims: readonly Claim[]): Verified {
  const said = claims.map(({ value, seed, file }) => {
    const run = { id: '', event_payload: { value }, run: { seed, game_version: '1' }, recording: null };
    return verify(run, file).verdict;
  });
  const count = (verdict: string) => said.filter((one) => one === verdict).length;
  return { name, verified: count('verified'), rejected: count('rejected') };
}

/** A person: reacts late and misjudges. @param skill 0 to 1 */
function play(skill: number, seed: number, random: () => number): Played {
  const world = new World(seed);
  const inputs = new Inputs();
  let isHeld = false;
  let error = 0;
  let steps = 0;
  while (!world.isOver && world.seconds < 240) {
    if (steps % 24 === 0) error = (random() + random() + random() - 1.5) * 140 * (1 - skill);
    if (steps % Math.max(1, Math.round(14 * (1 - skill))) === 0) {
      const gate = world.course.gates.find((one) => one.x + 40 > world.x);
      isHeld = gate !== undefined && world.y + world.drift * 0.13 + error > centreOf(gate, world.seconds);
    }
    inputs.add(isHeld);
    world.step(isHeld);
    steps += 1;
  }
  return { world, file: inputs.file() };
}
