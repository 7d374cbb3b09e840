import { setTimeout as delay } from 'node:timers/promises';

const LOOK_MS = 20;
const ASK_MS = 100;
const ANSWER_MS = 5_000;

/** How long after an event readiness may differ from what is: HAProxy's checks and the probe. */
const LATE_MS = 5_000;

interface Sample {
  sentAt: number;
  answeredAt: number;
  ready: boolean;
}

/** Watches what a service does: when it acknowledges submissions, and what /health/ready answers. */
export class Outage {
  readonly #samples: Sample[] = [];
  /** When submissions were acknowledged. */
  readonly #times: number[] = [performance.now()];
  readonly #asking: Promise<void>;
  readonly #looking: NodeJS.Timeout;
  #ended = false;
  #noPrimaryAt = 0;

  /** @param acknowledged counts the acknowledged submissions so far */
  constructor(
    private readonly url: () => string,
    acknowledged: () => number,
  ) {
    let before = acknowledged();
    this.#looking = setInterval(() => {
      const now = acknowledged();
      if (now !== before) this.#times.push(performance.now());
      before = now;
    }, LOOK_MS);
    this.#asking = this.#ask();
  }

  async #ask(): Promise<void> {
    while (!this.#ended) {
      const sentAt = performance.now();
      const signal = AbortSignal.timeout(ANSWER_MS);
      const answer = await fetch(`${this.url()}/health/ready`, { signal }).catch(() => undefined);
      await answer?.text();
      this.#samples.push({ sentAt, answeredAt: performance.now(), ready: answer?.status === 200 });
      await delay(ASK_MS);
    }
  }

  /** True after a ready answer since the longest time without a submission. */
  get readyAgain(): boolean {
    const last = this.#samples.at(-1);
    return last?.ready === true && last.sentAt > this.gap().to;
  }

  async end(): Promise<void> {
    this.#ended = true;
    clearInterval(this.#looking);
    await this.#asking;
  }

  /** The longest time without an acknowledged submission. */
  gap(): { from: number; to: number; seconds: number } {
    let [from, to] = [0, 0];
    for (const [i, at] of this.#times.entries()) {
      const before = this.#times[i - 1] ?? at;
      if (at - before > to - from) [from, to] = [before, at];
    }
    return { from, to, seconds: (to - from) / 1_000 };
  }

  /** Notes that Patroni has named no other primary since this look began. */
  hadNoPrimary(lookedAt: number): void {
    this.#noPrimaryAt = lookedAt;
  }

  /**
   * @param limit seconds within which the service is ready again
   * @returns sentences on answers of /health/ready that are not true to what is
   */
  untrue(limit: number): string[] {
    const { from, to } = this.gap();
    const until = Math.min(this.#noPrimaryAt, to);
    const early = this.#samples.filter(
      ({ ready, sentAt, answeredAt }) => ready && sentAt >= from + LATE_MS && answeredAt < until,
    );
    const again = this.#samples.find(({ ready, sentAt }) => ready && sentAt >= until);
    const seconds = (at: number) => `${((at - from) / 1_000).toFixed(1)} s after the last write`;
    return [
      ...early.map(({ sentAt }) => `ready without a primary, ${seconds(sentAt)}`),
      ...(again && again.sentAt <= from + 1_000 * limit
        ? []
        : [`ready only ${seconds(again?.sentAt ?? Infinity)}`]),
    ];
  }

  /** Seconds during which the service said that it is not ready. */
  unready(): number {
    const unready = this.#samples.filter(({ ready }) => !ready);
    return unready.length === 0 ? 0 : (unready.at(-1)!.answeredAt - unready[0]!.sentAt) / 1_000;
  }
}
