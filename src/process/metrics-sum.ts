import { AggregatorRegistry } from 'prom-client';
import type { MetricsSnapshot } from '../base/metrics.js';

/** Types as the library writes them; its own declaration calls them numbers. */
const GROWING = new Set(['counter', 'histogram']);

/**
 * Adds up what processes count. What a process counted before it ended stays in the sum: a counter that went back
 * would look, to whoever computes rates of it, like all of it happening once more.
 */
export class MetricsSum {
  /** The newest that each living process has told. */
  readonly #told = new Map<number, MetricsSnapshot>();
  #former: MetricsSnapshot = [];
  #folding: Promise<void> = Promise.resolve();

  tell(process: number, snapshot: MetricsSnapshot): void {
    this.#told.set(process, snapshot);
  }

  /** It has ended: its counters stay, its gauges are gone. */
  forget(process: number): void {
    const last = this.#told.get(process);
    this.#told.delete(process);
    if (!last) return;
    const growing = last.filter(({ type }) => GROWING.has(String(type)));
    this.#folding = this.#folding.then(async () => {
      this.#former = await AggregatorRegistry.aggregate([this.#former, growing]).getMetricsAsJSON();
    });
  }

  /** Everything, in the text format. @param own of the process that adds up */
  async text(own: MetricsSnapshot): Promise<string> {
    await this.#folding;
    return AggregatorRegistry.aggregate([own, ...this.#told.values(), this.#former]).metrics();
  }
}
