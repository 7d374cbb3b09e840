/** Numbers that look random and are the same for the same seed (mulberry32, Tommy Ettinger). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** 0 inclusive to 1 exclusive. */
  uniform(from = 0, to = 1): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return from + (((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * (to - from);
  }

  chance(share: number): boolean {
    return this.uniform() < share;
  }

  normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.uniform()));
    return radius * Math.cos(2 * Math.PI * this.uniform());
  }

  /** Median, and spread of the logarithm. */
  logNormal(median: number, sigma: number): number {
    return median * Math.exp(sigma * this.normal());
  }

  /** Uniform in its logarithm. */
  logUniform(from: number, to: number): number {
    return from * (to / from) ** this.uniform();
  }

  /** A whole number of at least 0, each further one as likely as the first. */
  geometric(mean: number): number {
    return Math.floor(Math.log(1 - this.uniform()) / Math.log(mean / (1 + mean)));
  }

  pick<T>(things: readonly T[]): T {
    return things[Math.floor(this.uniform() * things.length)]!;
  }
}
