import { Course, centreOf, clamp, type Gate, HEIGHT, PIER_WIDTH, QUAY } from './course.js';

/** Seconds of one step: the same inputs at the same steps are the same run, on every screen. */
export const STEP = 1 / 120;
const BOAT_RADIUS = 9;
const FORCE = 960;
const MOST_DRIFT = 290;
const SLOWEST = 235;
const FASTEST = 450;
const SECONDS_TO_FASTEST = 75;
/** The boat goes straight on until the first touch, or so long. */
const STRAIGHT_SECONDS = 0.9;
const REACH = 26;
/** Lanterns in a row for the next multiplier. */
const LANTERNS_A_LEVEL = 6;
const MOST_LEVEL = 4;
const LANTERN_POINTS = 100;
const DISTANCE_POINTS = 2;
const GATE_POINTS = 500;
/** Water between boat and pier below which a gate counts double. */
const CLOSE = 14;

/** An event of a step, for the eyes. */
export type Happening =
  | { kind: 'lantern'; x: number; y: number; points: number }
  | { kind: 'level'; level: number }
  | { kind: 'lost' }
  | { kind: 'close' }
  | { kind: 'crash' };

/** One run: a boat in a harbour at night. No clock, no screen, no service. */
export class World {
  readonly course: Course;
  seconds = 0;
  /** How far the boat has come. */
  x = 0;
  y = HEIGHT / 2;
  /** Units a second, downwards. */
  drift = 0;
  speed = SLOWEST;
  isOver = false;
  /** Lanterns taken in a row. */
  combo = 0;
  bestCombo = 0;
  #points = 0;
  #isSteered = false;

  constructor(readonly seed: number) {
    this.course = new Course(seed);
    this.course.extend(1_600, -400);
  }

  /** In tens. */
  get score(): number {
    return 10 * Math.floor((this.#points + DISTANCE_POINTS * this.x) / 10);
  }

  /** Lanterns count so many times. */
  get level(): number {
    return Math.min(MOST_LEVEL, 1 + Math.floor(this.combo / LANTERNS_A_LEVEL));
  }

  /** @param isHeld the boat drifts up while it is, and down otherwise */
  step(isHeld: boolean): Happening[] {
    if (this.isOver) return [];
    this.#move(isHeld);
    this.course.extend(this.x + 1_600, this.x - 400);
    return [...this.#lanterns(), ...this.#gates()];
  }

  #move(isHeld: boolean): void {
    this.seconds += STEP;
    this.speed = SLOWEST + (FASTEST - SLOWEST) * Math.min(1, this.seconds / SECONDS_TO_FASTEST);
    this.x += this.speed * STEP;
    this.#isSteered ||= isHeld || this.seconds > STRAIGHT_SECONDS;
    if (!this.#isSteered) return;
    this.drift = clamp(this.drift + (isHeld ? -FORCE : FORCE) * STEP, -MOST_DRIFT, MOST_DRIFT);
    this.y += this.drift * STEP;
    const [least, most] = [QUAY + BOAT_RADIUS, HEIGHT - QUAY - BOAT_RADIUS];
    if (this.y < least || this.y > most) this.drift *= -0.3;
    this.y = clamp(this.y, least, most);
  }

  #lanterns(): Happening[] {
    const happenings: Happening[] = [];
    for (const lantern of this.course.lanterns) {
      if (lantern.isTaken || lantern.x > this.x + REACH) continue;
      const isNear = (lantern.x - this.x) ** 2 + (lantern.y - this.y) ** 2 < REACH ** 2;
      if (isNear) happenings.push(...this.#take(lantern));
      else if (lantern.x < this.x - REACH) {
        // Once: one that is behind and not taken costs a level.
        lantern.isTaken = true;
        if (this.combo >= LANTERNS_A_LEVEL) happenings.push({ kind: 'lost' });
        this.combo = Math.max(0, this.combo - LANTERNS_A_LEVEL);
      }
    }
    return happenings;
  }

  #take(lantern: { x: number; y: number; isTaken: boolean }): Happening[] {
    const before = this.level;
    lantern.isTaken = true;
    this.combo += 1;
    this.bestCombo = Math.max(this.bestCombo, this.combo);
    const points = LANTERN_POINTS * this.level;
    this.#points += points;
    const taken: Happening = { kind: 'lantern', x: lantern.x, y: lantern.y, points };
    return this.level > before ? [taken, { kind: 'level', level: this.level }] : [taken];
  }

  #gates(): Happening[] {
    for (const gate of this.course.gates) {
      const water = gate.opening / 2 - Math.abs(this.y - centreOf(gate, this.seconds)) - BOAT_RADIUS;
      if (this.#isWithin(gate) && water < 0) {
        this.isOver = true;
        return [{ kind: 'crash' }];
      }
      const end = gate.x + PIER_WIDTH;
      if (end > this.x - this.speed * STEP && end <= this.x) {
        this.#points += water < CLOSE ? 2 * GATE_POINTS : GATE_POINTS;
        return water < CLOSE ? [{ kind: 'close' }] : [];
      }
    }
    return [];
  }

  #isWithin({ x }: Gate): boolean {
    return this.x + BOAT_RADIUS > x && this.x - BOAT_RADIUS < x + PIER_WIDTH;
  }
}
