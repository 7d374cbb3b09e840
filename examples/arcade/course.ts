/** Units of the world: the harbour is 360 high; distances are of the same unit. */
export const HEIGHT = 360;
/** Thickness of the quay at either side. */
export const QUAY = 24;
export const PIER_WIDTH = 28;

/** Two piers with water between them. */
export interface Gate {
  /** Left edge. */
  x: number;
  /** Middle of the water between the piers, at rest. */
  centre: number;
  opening: number;
  /** How far it moves up and down; 0: it is fixed. */
  sway: number;
}

export interface Lantern {
  x: number;
  y: number;
  isTaken: boolean;
}

const FIRST_GATE = 720;
const LANTERNS_A_GATE = 4;
/** Gates until the course is as narrow as it gets. */
const HARDEST = 60;
/** Gates before the first one that moves. */
const FIXED = 18;

/** The course of a seed: the same gates and lanterns every time, made as the boat comes near. */
export class Course {
  readonly gates: Gate[] = [];
  readonly lanterns: Lantern[] = [];
  readonly #random: () => number;
  #made = 0;
  #nextX = FIRST_GATE;
  #centre = HEIGHT / 2;

  constructor(seed: number) {
    this.#random = randomOf(seed);
  }

  /** Creates what is ahead of `x`, and forgets what is behind `gone`. */
  extend(x: number, gone: number): void {
    while (this.#nextX < x) this.#addGate();
    while (this.gates[0] && this.gates[0].x < gone) this.gates.shift();
    while (this.lanterns[0] && this.lanterns[0].x < gone) this.lanterns.shift();
  }

  #addGate(): void {
    const difficulty = Math.min(1, this.#made / HARDEST);
    const opening = 188 - 84 * difficulty;
    const x = this.#nextX;
    const isFirst = this.#made === 0;
    const margin = QUAY + opening / 2 + 14;
    const drift = (this.#random() * 2 - 1) * (90 + 60 * difficulty);
    const centre = isFirst ? HEIGHT / 2 : clamp(this.#centre + drift, margin, HEIGHT - margin);
    const sway = this.#made > FIXED && this.#made % 3 === 0 ? 16 + 14 * difficulty : 0;
    this.gates.push({ x, centre, opening, sway });
    const spacing = 330 - 60 * difficulty;
    if (!isFirst) this.#addLanterns(x - spacing, this.#centre, x, centre);
    this.#made += 1;
    this.#nextX = x + spacing;
    this.#centre = centre;
  }

  /** On the way from one gate to the next, some of them a little off it. */
  #addLanterns(fromX: number, fromY: number, toX: number, toY: number): void {
    const bow = (this.#random() * 2 - 1) * 26;
    for (let n = 0; n < LANTERNS_A_GATE; n += 1) {
      const share = (n + 1) / (LANTERNS_A_GATE + 1);
      const eased = share * share * (3 - 2 * share);
      const y = fromY + (toY - fromY) * eased + bow * Math.sin(Math.PI * share);
      this.lanterns.push({
        x: fromX + PIER_WIDTH + (toX - fromX - PIER_WIDTH) * share,
        y: clamp(y, QUAY + 22, HEIGHT - QUAY - 22),
        isTaken: false,
      });
    }
  }
}

/** Middle of a gate's water at a moment of the run. */
export function centreOf({ x, centre, sway }: Gate, seconds: number): number {
  return sway === 0 ? centre : centre + sway * Math.sin(seconds * 1.6 + x);
}

export function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

/** Random numbers from 0 to below 1 that are the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
