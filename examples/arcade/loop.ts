import { STEP, type World } from './world.js';

/** Seconds of one frame at most: after a pause of the browser the game continues where it was. */
const LONGEST_FRAME = 0.1;

interface LoopParts {
  /** Called once for each step, before it. */
  isHeld(): boolean;
  /** After the steps of a frame. */
  frame(world: World, happenings: ReturnType<World['step']>, seconds: number): void;
  over(world: World): void;
}

/** Runs a world in steps of the same length, however often the screen shows it. */
export class Loop {
  #world: World | undefined;
  #isPaused = false;
  #last = 0;
  #owed = 0;
  #next = 0;

  constructor(private readonly parts: LoopParts) {}

  get isRunning(): boolean {
    return this.#world !== undefined && !this.#world.isOver && !this.#isPaused;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  start(world: World): void {
    this.#world = world;
    this.#owed = 0;
    this.resume();
  }

  pause(): void {
    if (this.isRunning) this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#last = performance.now();
    cancelAnimationFrame(this.#next);
    this.#next = requestAnimationFrame(this.#frame);
  }

  readonly #frame = (now: number): void => {
    const world = this.#world;
    if (!world || this.#isPaused) return;
    const seconds = Math.min(LONGEST_FRAME, Math.max(0, (now - this.#last) / 1_000));
    this.#last = now;
    this.#owed += seconds;
    const happenings = [];
    for (; this.#owed >= STEP && !world.isOver; this.#owed -= STEP)
      happenings.push(...world.step(this.parts.isHeld()));
    this.parts.frame(world, happenings, seconds);
    if (world.isOver) this.parts.over(world);
    else this.#next = requestAnimationFrame(this.#frame);
  };
}
