import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** A value with its labels. */
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

  /** Its samples in the text format. @param labels as they stand in braces, e.g. `method="GET"` */
  *samples(name: string, labels: string): Generator<string> {
    const before = labels === '' ? '' : `${labels},`;
    let below = 0;
    for (const [i, count] of this.#counts.entries()) {
      below += count;
      yield `${name}_bucket{${before}le="${this.bounds[i] ?? '+Inf'}"} ${below}`;
    }
    const braces = labels === '' ? '' : `{${labels}}`;
    yield `${name}_sum${braces} ${this.#sum}`;
    yield `${name}_count${braces} ${below}`;
  }
}

/**
 * What one app counts of itself, as Prometheus reads it. Names follow its rules: base units, `_total` for counters.
 * Labels are of small closed sets: never an id, a path or a name that a caller chose.
 */
export class Metrics {
  readonly #own = new Registry();
  readonly #process = processRegistry();
  readonly #distributions: (() => string[])[] = [];
  readonly #refresh: (() => Promise<void>)[] = [];

  readonly contentType: string = this.#own.contentType;

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

  /** A histogram, of which `read` tells the distributions. Values of labels must need no escape. */
  histogram(
    name: string,
    help: string,
    read: () => Iterable<[labels: Record<string, string>, Distribution]>,
  ): void {
    this.#distributions.push(() => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} histogram`,
      ...[...read()].flatMap(([labels, distribution]) => {
        const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
        return [...distribution.samples(name, pairs.join())];
      }),
    ]);
  }

  /** Called before every scrape, for what has to be fetched first. One that fails must leave nothing old behind. */
  onScrape(refresh: () => Promise<void>): void {
    this.#refresh.push(refresh);
  }

  /** Everything, in the text format of {@link contentType}. */
  async text(): Promise<string> {
    // What cannot be fetched at the moment is missing in the answer; the rest is told all the same.
    await Promise.allSettled(this.#refresh.map((refresh) => refresh()));
    const parts = await Promise.all([this.#process.metrics(), this.#own.metrics()]);
    const distributions = this.#distributions.map((read) => `${read().join('\n')}\n`);
    return [...parts, ...distributions].join('\n');
  }
}
