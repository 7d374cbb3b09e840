import { Counter, collectDefaultMetrics, Gauge, Histogram, type MetricValue, Registry } from 'prom-client';

/** A value with its labels. */
export type Reading<L extends string> = [labels: Record<L, string>, value: number];

/** What several processes that serve together tell of a gauge: the sum, or, where each tells the same fact, the highest. */
export type Across = 'sum' | 'max';

/** All metrics with their values at a moment, as plain JSON. */
export type MetricsSnapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** The text format that scrapers are given. */
export const METRICS_FORMAT: string = Registry.PROMETHEUS_CONTENT_TYPE;

/** Whatever can be scraped. */
export interface MetricsSource {
  readonly contentType: string;
  /** Everything, in the text format of `contentType`. */
  text(): Promise<string>;
}

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
 * How often values fell between bounds. The library's histogram checks and hashes labels at every observation, which costs
 * microseconds; this one adds to a number.
 */
export class Distribution {
  readonly #counts: Float64Array;
  #sum = 0;

  /** @param bounds upper ones, ascending */
  constructor(private readonly bounds: readonly number[]) {
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    let i = 0;
    while (i < this.bounds.length && value > this.bounds[i]!) i += 1;
    this.#counts[i]! += 1;
    this.#sum += value;
  }

  /** What a histogram of this name and these labels tells. */
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

/** To the library a histogram; its values are read from distributions. */
class DistributionHistogram extends Histogram<string> {
  constructor(
    registry: Registry,
    private readonly named: { name: string; help: string },
    private readonly read: () => Iterable<[labels: Record<string, string>, Distribution]>,
  ) {
    super({ ...named, registers: [registry] });
  }

  /** What the library asks for its text format, and makes its JSON of. */
  async getForPromString() {
    const values = [...this.read()].flatMap(([labels, of]) => [...of.samples(this.named.name, labels)]);
    const spread = values.map((sample) => ({ ...sample, sharedLabels: {} }));
    return { ...this.named, type: 'histogram', aggregator: 'sum', values: spread };
  }
}

/**
 * What one app counts of itself, as Prometheus reads it. Names follow its rules: base units, `_total` for counters.
 * Labels are of small closed sets: never an id, a path or a name that a caller chose.
 */
export class Metrics implements MetricsSource {
  readonly #own = new Registry();
  readonly #process = processRegistry();
  readonly #refresh: (() => Promise<void>)[] = [];

  readonly contentType = METRICS_FORMAT;

  /** A number that is read when somebody asks; nothing is done for it meanwhile. */
  gauge(name: string, help: string, read: () => number): void {
    this.gauges(name, help, [], () => [[{}, read()]]);
  }

  /** The same with labels. */
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

  /** Numbers that only grow, read when somebody asks. */
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

  /** A histogram, of which `read` tells the distributions. */
  histogram(
    name: string,
    help: string,
    read: () => Iterable<[labels: Record<string, string>, Distribution]>,
  ): void {
    new DistributionHistogram(this.#own, { name, help }, read);
  }

  /** Called before every scrape, for what has to be fetched first. One that fails must leave nothing old behind. */
  onScrape(refresh: () => Promise<void>): void {
    this.#refresh.push(refresh);
  }

  async text(): Promise<string> {
    await this.#refreshed();
    const parts = await Promise.all([this.#process.metrics(), this.#own.metrics()]);
    return parts.join('\n');
  }

  /** Everything, for the process that adds up what several tell. */
  async snapshot(): Promise<MetricsSnapshot> {
    await this.#refreshed();
    const parts = await Promise.all([this.#process.getMetricsAsJSON(), this.#own.getMetricsAsJSON()]);
    return parts.flat();
  }

  /** What cannot be fetched at the moment is missing in the answer; the rest is told all the same. */
  async #refreshed(): Promise<void> {
    await Promise.allSettled(this.#refresh.map((refresh) => refresh()));
  }
}
