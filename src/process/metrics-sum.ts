import { AggregatorRegistry } from 'prom-client';
import type { MetricsSnapshot } from '../base/metrics.js';

/** Metric types as the library writes them; its own declaration says they are numbers. */
const GROWING = new Set(['counter', 'histogram']);

/**
 * Adds up the metrics of processes. Counts of ended processes stay in the sum: monitoring would take a counter that
 * drops for a reset, and count all of it again.
 */
export class MetricsSum {
  /** The newest snapshot of each living process. */
  readonly #told = new Map<number, MetricsSnapshot>();
  #former: MetricsSnapshot = [];
  #folding: Promise<void> = Promise.resolve();

  tell(process: number, snapshot: MetricsSnapshot): void {
    this.#told.set(process, snapshot);
  }

  /** Call when a process has ended: its counters stay, its gauges are dropped. */
  forget(process: number): void {
    const last = this.#told.get(process);
    this.#told.delete(process);
    if (!last) return;
    const growing = last.filter(({ type }) => GROWING.has(String(type)));
    this.#folding = this.#folding.then(async () => {
      this.#former = await AggregatorRegistry.aggregate([this.#former, growing]).getMetricsAsJSON();
    });
  }

  /** The sum in the text format. @param own snapshot of the process that adds up */
  async text(own: MetricsSnapshot): Promise<string> {
    await this.#folding;
    return AggregatorRegistry.aggregate([own, ...this.#told.values(), this.#former]).metrics();
  }
}
