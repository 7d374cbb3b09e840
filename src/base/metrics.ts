import { Counter, collectDefaultMetrics, Gauge, Histogram, type MetricValue, Registry } from 'prom-client';

/** A value with its labels. */
export type Reading<L extends string> = [labels: Record<L, string>, value: number];

/** Combines a gauge of several processes of one service: the sum, or the highest where all report the same fact. */
type Across = 'sum' | 'max';

/** All metrics with their current values, as plain JSON. */
export type MetricsSnapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** The content type of the text format for scrapers. */
export const METRICS_FORMAT: string = Registry.PROMETHEUS_CONTENT_TYPE;

/** A source of metrics for scrapers. */
export interface MetricsSource {
  readonly contentType: string;
  /** Returns all metrics in the text format of `contentType`. */
  text(): Promise<string>;
}

let ofProcess: Registry | undefined;

/** CPU, memory, event loop and garbage collection. Observed from the first call on, once per process. */
function processRegistry(): Registry {
  if (!ofProcess) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return ofProcess;
}

/**
 * Counts values between bounds. The library's histogram checks and hashes labels at every observation, which takes
 * microseconds; this one increments a number.
 */
export class BucketCounts {
  readonly #counts: Float64Array;
  #sum = 0;

  /** @param bounds upper bounds, ascending */
  constructor(private readonly bounds: readonly number[]) {
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    let i = 0;
    while (i < this.bounds.length && value > this.bounds[i]!) i += 1;
    this.#counts[i]! += 1;
    this.#sum += value;
  }

  /** Returns the samples of a histogram with this name and these labels. */
  *samples(name: string, labels: Record<string, string>): Generator<Sample> {
    let below = 0;
    for (const [i, count] of this.#counts.entries()) {
      below += count;
      const le = String(this.bounds[i] ?? '+Inf');
      yield { metricName: `${name}_bucket`, labels: { ...labels, le }, value: below };
    }
    yield { metricName: `${name}_sum`, labels, value: this.#sum };
    yield { metricName: `${name}_count`, labels, value: below };
  }
}

type Sample = MetricValue<string> & { metricName: string };

/** A histogram of the library whose values are read from distributions. */
class DistributionHistogram extends Histogram<string> {
  constructor(
    registry: Registry,
    private readonly named: { name: string; help: string },
    private readonly read: () => Iterable<[labels: Record<string, string>, BucketCounts]>,
  ) {
    super({ ...named, registers: [registry] });
  }

  /** Called by the library for its text format and its JSON. */
  async getForPromString() {
    const values = [...this.read()].flatMap(([labels, of]) => [...of.samples(this.named.name, labels)]);
    const spread = values.map((sample) => ({ ...sample, sharedLabels: {} }));
    return { ...this.named, type: 'histogram', aggregator: 'sum', values: spread };
  }
}

/**
 * The metrics of one app in Prometheus' format. Names follow its rules: base units, `_total` for counters. Labels have
 * small closed sets of values: never an id, a path or a name that a caller chose.
 */
export class Metrics implements MetricsSource {
  readonly #own = new Registry();
  readonly #process = processRegistry();
  readonly #refresh: (() => Promise<void>)[] = [];

  readonly contentType = METRICS_FORMAT;

  /** A gauge whose value is read at each scrape; it costs nothing in between. */
  gauge(name: string, help: string, read: () => number): void {
    this.gauges(name, help, [], () => [[{}, read()]]);
  }

  /** A gauge with labels. */
  gauges<L extends string>(
    name: string,
    help: string,
    labelNames: L[],
    read: () => Reading<L>[],
    across: Across = 'sum',
  ): void {
    new Gauge({
      name,
      help,
      labelNames,
      aggregator: across,
      registers: [this.#own],
      collect() {
        this.reset();
        for (const [labels, value] of read()) this.set(labels, value);
      },
    });
  }

  /** Counters that are read at each scrape. */
  counters<L extends string>(name: string, help: string, labelNames: L[], read: () => Reading<L>[]): void {
    new Counter({
      name,
      help,
      labelNames,
      registers: [this.#own],
      collect() {
        this.reset();
        for (const [labels, value] of read()) this.inc(labels, value);
      },
    });
  }

  /** A histogram; `read` returns its distributions. */
  histogram(
    name: string,
    help: string,
    read: () => Iterable<[labels: Record<string, string>, BucketCounts]>,
  ): void {
    new DistributionHistogram(this.#own, { name, help }, read);
  }

  /** Called before every scrape to fetch values. When it fails, it must leave no outdated values behind. */
  onScrape(refresh: () => Promise<void>): void {
    this.#refresh.push(refresh);
  }

  async text(): Promise<string> {
    await this.#refreshed();
    const parts = await Promise.all([this.#process.metrics(), this.#own.metrics()]);
    return parts.join('\n');
  }

  /** Returns all metrics, for the process that adds up those of several. */
  async snapshot(): Promise<MetricsSnapshot> {
    const parts = await Promise.all([this.#process.getMetricsAsJSON(), this.appSnapshot()]);
    return parts.flat();
  }

  /** Returns the metrics of the app without those of the process, for a process of several apps. */
  async appSnapshot(): Promise<MetricsSnapshot> {
    await this.#refreshed();
    return this.#own.getMetricsAsJSON();
  }

  /** Values that cannot be fetched at the moment are left out; the rest is returned. */
  async #refreshed(): Promise<void> {
    await Promise.allSettled(this.#refresh.map((refresh) => refresh()));
  }
}
