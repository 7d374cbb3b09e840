import cluster, { type Worker } from 'node:cluster';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AggregatorRegistry } from 'prom-client';
import type { Log } from '../base/log.js';
import { Metrics, type MetricsSnapshot } from '../base/metrics.js';
import { Channel, type Listening, type Orders, type PrimaryRequest, type WorkerRequest } from './channel.js';

/** In the directory of this file, as source or compiled. */
const PROGRAM = path.join(__dirname, `worker${path.extname(__filename)}`);

/** A worker that lived this long is replaced immediately; if it dies sooner, the pauses grow. */
const STABLE_WORKER_MS = 10_000;
const SHORTEST_PAUSE_MS = 250;
const LONGEST_RESTART_PAUSE_MS = 15_000;
/** Time to drain; a worker that takes longer is killed, so that the database can still shut down in order. */
const END_MS = 12_000;
/** Time to answer a scrape; for a worker that takes longer its last figures are used. */
const SCRAPE_MS = 1_000;

interface Running {
  worker: Worker;
  channel: Channel<WorkerRequest, PrimaryRequest>;
  /** When it began to serve, by performance.now(). */
  since: number;
  /** Resolves with the signal or code when the process has ended. */
  ended: Promise<string>;
}

/**
 * The processes that serve requests, managed by the primary. The primary serves none itself: it owns the embedded
 * database, restarts workers that die, has one worker run the jobs, and adds up the metrics.
 */
export class Workers {
  /** Listening workers, by number. */
  readonly #serving = new Map<number, Running>();
  readonly #all = new Set<Running>();
  readonly #closing = new AbortController();
  readonly #sum = new MetricsSum();
  readonly #own = new Metrics();
  /** Number of the worker that runs the jobs. */
  #waking: number | undefined;
  #restarts = 0;

  constructor(
    private readonly count: number,
    private readonly orders: Omit<Orders, 'number'>,
    private readonly log: Log,
  ) {
    this.#own.gauge('workers', 'Processes that serve requests.', () => this.#serving.size);
    this.#own.counters(
      'worker_restarts_total',
      'Workers that exited unexpectedly and were restarted.',
      [],
      () => [[{}, this.#restarts]],
    );
  }

  /** Starts all. @throws SetupError when they cannot listen */
  async start(): Promise<Listening> {
    cluster.setupPrimary({ exec: PROGRAM });
    // One first: an error that stops it would stop all, and is to be reported once.
    const listening = await this.#launch(1, 0);
    const others = Array.from({ length: this.count - 1 }, (_, i) => this.#launch(i + 2, 0));
    await Promise.all(others);
    return listening;
  }

  /** Makes all workers finish accepted requests, and waits for their ends. */
  async close(): Promise<void> {
    this.#closing.abort();
    const all = [...this.#all];
    for (const { channel } of all) channel.ask('end', null).catch(() => undefined);
    const late = setTimeout(() => {
      for (const { worker } of this.#all) worker.process.kill('SIGKILL');
    }, END_MS);
    await Promise.all(all.map(({ ended }) => ended));
    clearTimeout(late);
  }

  /** Metrics of all processes, this one included, in the text format. */
  async metrics(): Promise<string> {
    await Promise.all(
      [...this.#serving.values()].map(async (running) => {
        const snapshot = await running.channel.ask('metrics', null, SCRAPE_MS).catch(() => undefined);
        if (snapshot && this.#all.has(running)) this.#sum.add(running.worker.id, snapshot);
      }),
    );
    return this.#sum.text(await this.#own.snapshot());
  }

  /** @param failures how often in a row the worker of this number has ended soon after its start */
  async #launch(number: number, failures: number): Promise<Listening> {
    const worker = cluster.fork();
    closeWithWorker(worker);
    // Sending to a worker that is just ending fails; its `exit` event follows.
    worker.on('error', () => undefined);
    const channel = new Channel<WorkerRequest, PrimaryRequest>(worker, { scrape: () => this.metrics() });
    const ended = new Promise<string>((resolve) => {
      worker.once('exit', (code, signal) => resolve(signal ?? `code ${code}`));
    });
    const running: Running = { worker, channel, since: Number.POSITIVE_INFINITY, ended };
    this.#all.add(running);
    void ended.then((why) => {
      this.#all.delete(running);
      this.#sum.forget(worker.id);
      // If a worker fails at the first start, its error is reported and the whole start fails.
      const started = this.#serving.get(number) === running || failures > 0;
      this.#serving.delete(number);
      if (started && !this.#closing.signal.aborted) void this.#replace(number, running, failures, why);
    });
    const listening = await channel.ask('serve', { ...this.orders, number });
    running.since = performance.now();
    this.#serving.set(number, running);
    this.log.info({ worker: number, pid: worker.process.pid }, `worker ${number} is ready`);
    this.#assignJobRunner();
    return listening;
  }

  async #replace(number: number, { since, worker }: Running, failures: number, why: string): Promise<void> {
    if (this.#waking === number) this.#waking = undefined;
    this.#assignJobRunner();
    const soon = performance.now() - since < STABLE_WORKER_MS ? failures + 1 : 1;
    const pause = soon === 1 ? 0 : Math.min(SHORTEST_PAUSE_MS * 2 ** (soon - 2), LONGEST_RESTART_PAUSE_MS);
    this.log.error(
      { worker: number, pid: worker.process.pid },
      `worker ${number} exited (${why}); restarting ${pause === 0 ? 'now' : `in ${pause / 1_000} s`}`,
    );
    this.#restarts += 1;
    await delay(pause, undefined, { signal: this.#closing.signal }).catch(() => undefined);
    if (this.#closing.signal.aborted) return;
    await this.#launch(number, soon).catch((error: unknown) =>
      this.log.error({ worker: number, err: error }, `worker ${number} failed to start`),
    );
  }

  /** One worker runs the jobs. When it exits, another one takes over. */
  #assignJobRunner(): void {
    if (this.#waking !== undefined) return;
    const [next] = this.#serving;
    if (!next) return;
    const [number, { channel }] = next;
    this.#waking = number;
    // A worker that ends before it could answer is replaced like any other.
    channel.ask('wake', null).catch(() => undefined);
  }
}

/** A connection as node:cluster sends it to a worker: a handle of the Node.js runtime. */
interface Handle {
  close(...args: unknown[]): void;
}

/**
 * Closes, when a worker dies, the connections that were sent to it and that it had not accepted. node:cluster closes
 * the primary's handle only when the worker acknowledges it, and forgets the others: their callers would wait forever.
 */
function closeWithWorker({ process: child }: Worker): void {
  const underWay = new Set<Handle>();
  const send = child.send.bind(child) as (...args: unknown[]) => boolean;
  const watched = (...args: unknown[]) => {
    const [, handle] = args;
    if (isHandle(handle)) {
      const close = handle.close.bind(handle);
      underWay.add(handle);
      handle.close = (...rest) => {
        underWay.delete(handle);
        close(...rest);
      };
    }
    return send(...args);
  };
  Object.assign(child, { send: watched });
  child.once('exit', () => {
    for (const handle of [...underWay]) handle.close();
  });
}

function isHandle(sent: unknown): sent is Handle {
  return typeof sent === 'object' && sent !== null && 'close' in sent && typeof sent.close === 'function';
}

/** Metric types as the library writes them; its own declaration says they are numbers. */
const GROWING = new Set(['counter', 'histogram']);

/**
 * Adds up the metrics of processes. Counts of ended processes stay in the sum: monitoring would take a counter that
 * drops for a reset, and count all of it again.
 */
class MetricsSum {
  /** The newest snapshot of each living process. */
  readonly #snapshots = new Map<number, MetricsSnapshot>();
  #former: MetricsSnapshot = [];
  #folding: Promise<void> = Promise.resolve();

  add(process: number, snapshot: MetricsSnapshot): void {
    this.#snapshots.set(process, snapshot);
  }

  /** Call when a process has ended: its counters stay, its gauges are dropped. */
  forget(process: number): void {
    const last = this.#snapshots.get(process);
    this.#snapshots.delete(process);
    if (!last) return;
    const growing = last.filter(({ type }) => GROWING.has(String(type)));
    this.#folding = this.#folding.then(async () => {
      this.#former = await AggregatorRegistry.aggregate([this.#former, growing]).getMetricsAsJSON();
    });
  }

  /** The sum in the text format. @param own snapshot of the process that adds up */
  async text(own: MetricsSnapshot): Promise<string> {
    await this.#folding;
    return AggregatorRegistry.aggregate([own, ...this.#snapshots.values(), this.#former]).metrics();
  }
}
