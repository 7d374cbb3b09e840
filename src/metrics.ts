import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** A value of a gauge that has labels. */
export type Reading<L extends string> = [labels: Record<L, string>, value: number];

let ofProcess: Registry | undefined;

/** CPU, memory, event loop and garbage collection. They are watched from the first call on, once in a process. */
function processRegistry(): Registry {
  if (!ofProcess) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return ofProcess;
}

/**
 * What one app counts of itself, as Prometheus reads it. Names follow its rules: base units, `_total` for counters.
 * Labels are of small closed sets: never an id, a path or a name that a caller chose.
 */
export class Metrics {
  readonly #own = new Registry();
  readonly #process = processRegistry();

  readonly contentType: string = this.#own.contentType;

  counter<L extends string>(name: string, help: string, labelNames: L[]): Counter<L> {
    return new Counter({ name, help, labelNames, registers: [this.#own] });
  }

  /** @param buckets upper bounds in the unit of the name, ascending */
  histogram<L extends string>(
    name: string,
    help: string,
    buckets: number[],
    labelNames: L[] = [],
  ): Histogram<L> {
    return new Histogram({ name, help, buckets, labelNames, registers: [this.#own] });
  }

  /** A number that is read when somebody asks; nothing is done for it meanwhile. */
  gauge(name: string, help: string, read: () => number): void {
    this.gauges(name, help, [], () => [[{}, read()]]);
  }

  /** The same with labels. */
  gauges<L extends string>(name: string, help: string, labelNames: L[], read: () => Reading<L>[]): void {
    new Gauge({
      name,
      help,
      labelNames,
      registers: [this.#own],
      collect() {
        this.reset();
        for (const [labels, value] of read()) this.set(labels, value);
      },
    });
  }

  /** Everything, in the text format of {@link contentType}. */
  async text(): Promise<string> {
    const parts = await Promise.all([this.#process.metrics(), this.#own.metrics()]);
    return parts.join('\n');
  }
}
