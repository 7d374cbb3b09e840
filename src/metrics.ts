import { Gauge, Registry } from 'prom-client';

/** What the service tells a monitoring system, in Prometheus' text format. One of an app; modules add theirs. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #refresh: (() => Promise<void>)[] = [];

  readonly contentType = this.#registry.contentType;

  /** A value that is set when it is asked for, see {@link onScrape}. */
  gauge<L extends string>(name: string, help: string, labelNames: L[]): Gauge<L> {
    return new Gauge({ name, help, labelNames, registers: [this.#registry] });
  }

  /** Called before every answer. One that fails must leave nothing old behind. */
  onScrape(refresh: () => Promise<void>): void {
    this.#refresh.push(refresh);
  }

  async text(): Promise<string> {
    // What cannot be read at the moment is missing in the answer; the rest is told all the same.
    await Promise.allSettled(this.#refresh.map((refresh) => refresh()));
    return this.#registry.metrics();
  }
}
