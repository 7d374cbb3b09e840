import { World } from './world.js';

/** The first byte of a file: another one is of another game, or of another version of its format. */
const FORMAT = 1;
/** Twenty minutes: no run takes longer. */
const MOST_STEPS = 20 * 60 * 120;

/** The player's inputs: a key that is held or not, step by step. */
export class Inputs {
  readonly #bytes: number[] = [FORMAT];
  #isHeld = false;
  #steps = 0;

  /** Called for each step, before it. */
  add(isHeld: boolean): void {
    if (isHeld !== this.#isHeld) {
      this.#write(this.#steps);
      this.#isHeld = isHeld;
      this.#steps = 0;
    }
    this.#steps += 1;
  }

  /** The file: after how many steps each time the key was pressed or released, and how many follow. */
  file(): Uint8Array {
    const kept = this.#bytes.length;
    this.#write(this.#steps);
    const file = Uint8Array.from(this.#bytes);
    this.#bytes.length = kept;
    return file;
  }

  /** Seven bits a byte, the lowest first; the eighth says that more follow. */
  #write(steps: number): void {
    let left = steps;
    for (; left > 127; left = Math.floor(left / 128)) this.#bytes.push(128 + (left % 128));
    this.#bytes.push(left);
  }
}

/** Plays a file again, step by step, as the game's clock goes. */
export class Replay {
  readonly world: World;
  #stretch = 0;
  #steps = 0;

  private constructor(
    seed: number,
    private readonly stretches: readonly number[],
  ) {
    this.world = new World(seed);
  }

  /** Undefined: the file cannot be read. */
  static of(seed: number, file: Uint8Array): Replay | undefined {
    const stretches = stretchesOf(file);
    return stretches && new Replay(seed, stretches);
  }

  /** Nothing more happens after the last input. */
  step(): void {
    while (this.#steps === this.stretches[this.#stretch]) {
      this.#stretch += 1;
      this.#steps = 0;
    }
    if (this.#stretch >= this.stretches.length) return;
    this.#steps += 1;
    this.world.step(this.#stretch % 2 === 1);
  }
}

/** Plays a file again. @returns the world after its last step; undefined: it cannot be read */
export function playAgain(seed: number, file: Uint8Array): World | undefined {
  const stretches = stretchesOf(file);
  if (!stretches || stretches.reduce((sum, steps) => sum + steps, 0) > MOST_STEPS) return undefined;
  const world = new World(seed);
  for (const [n, steps] of stretches.entries())
    for (let step = 0; step < steps; step += 1) world.step(n % 2 === 1);
  return world;
}

/** Numbers of steps, the key released and held by turns; undefined: it is no such file. */
function stretchesOf(file: Uint8Array): number[] | undefined {
  if (file[0] !== FORMAT || file.length < 2) return undefined;
  const stretches: number[] = [];
  let [steps, unit] = [0, 1];
  for (const byte of file.subarray(1)) {
    steps += (byte % 128) * unit;
    if (steps > MOST_STEPS) return undefined;
    unit *= 128;
    if (byte > 127) continue;
    stretches.push(steps);
    [steps, unit] = [0, 1];
  }
  return unit === 1 ? stretches : undefined;
}
