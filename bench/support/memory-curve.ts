import { readFileSync } from 'node:fs';

const LOOK_MS = 500;
/** Points of a printed curve. */
const POINTS = 8;

/** MiB. */
export interface Memory {
  /** Some points at equal distances. */
  curve: string;
  highest: number;
}

/** Resident memory of a process over its life, in MiB, twice a second. */
export class MemoryCurve {
  readonly #points: number[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(pid: number) {
    this.#timer = setInterval(() => {
      try {
        const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
        if (kilobytes) this.#points.push(Number(kilobytes) / 1_024);
      } catch {
        clearInterval(this.#timer);
      }
    }, LOOK_MS);
  }

  /** Ends the curve. */
  end(): Memory {
    clearInterval(this.#timer);
    const step = Math.max(1, (this.#points.length - 1) / (POINTS - 1));
    const shown = Array.from(
      { length: Math.min(POINTS, this.#points.length) },
      (_, n) => this.#points[Math.round(n * step)] ?? 0,
    );
    return {
      curve: shown.map((mebibytes) => mebibytes.toFixed(0)).join(' '),
      highest: Math.max(0, ...this.#points),
    };
  }
}
