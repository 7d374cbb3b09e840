import { setTimeout as delay } from 'node:timers/promises';
import { SetupError } from '../../base/errors.js';
import { dropOtherCopies } from './binaries.js';
import type { Cluster } from './cluster.js';
import { connectionString, dropEndpoint, type Endpoint, endpointOf, newEndpoint } from './endpoint.js';
import { type LaunchFailure, launch, shutDown } from './launch.js';
import { type ClaimFailure, claim, type Ownership } from './owner.js';
import { isRunning, readPidFile } from './server-process.js';

type Trouble = ClaimFailure | LaunchFailure;

/** Callbacks of the supervisor. They must not throw. */
interface Watcher {
  log(line: string): void;
  /** The server has ended or accepts no connections. */
  onDown(): void;
  /** The server accepts connections again and this process owns it. Only after `onDown`. */
  onUp(): void;
}

/** Longest wait at the start for the rest of a former server (a killed one's busy sessions). */
const START_PATIENCE_MS = 30_000;
const LONGEST_PAUSE_MS = 1_000;
/** A server that ran this long is restarted immediately; if it exits sooner, the pauses keep growing. */
const STABLE_MS = 10_000;

/**
 * Owns the server of one cluster: claims or starts it, and again whenever the owner's connection ends. That connection
 * is the only sign of life, for a started and an adopted server alike: it ends within milliseconds of the server,
 * whatever the cause.
 */
export class Supervisor {
  /** True if the server ran before `start`. */
  adopted = false;
  /** Of the present server, or the last one while it is down. */
  pid = 0;
  /** Fixed after the first start: connection strings that were handed out stay valid. */
  #endpoint?: Endpoint;
  #newEndpoint?: Endpoint;
  #owned?: Ownership;
  #launched = false;
  #heldElsewhere = false;
  #failures = 0;
  #upSince = 0;
  #recovery: Promise<void> = Promise.resolve();
  #stopped?: Promise<void>;
  readonly #stopping = new AbortController();

  constructor(
    private readonly cluster: Cluster,
    private readonly watcher: Watcher,
  ) {}

  /**
   * @returns the owner's connection, to the database `postgres`
   * @throws SetupError when another process owns the cluster, or the server does not start
   */
  async start(): Promise<Ownership['client']> {
    const left = readPidFile(this.cluster.dir);
    const deadline = Date.now() + START_PATIENCE_MS;
    try {
      const { client } = await this.#bringUp(
        () => undefined,
        (trouble) => {
          const hopeless = trouble.kind === 'held' || trouble.kind === 'failed';
          const endless = trouble.kind === 'starting'; // recovery takes as long as it takes
          if (hopeless || (!endless && Date.now() > deadline)) throw new SetupError(this.#explain(trouble));
        },
      );
      this.adopted = !this.#launched;
      this.#dropLeftovers(left?.socketDir);
      return client;
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  connectionString(database: string): string {
    if (!this.#endpoint) throw new Error('the embedded Postgres was not started');
    return connectionString(this.#endpoint, database);
  }

  /** Stops the server, unless another process has become its owner; waits for its end. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#stopping.abort();
    await this.#recovery;
    const file = readPidFile(this.cluster.dir);
    if (!this.#heldElsewhere && file?.pid === this.pid && isRunning(this.pid)) {
      await shutDown(this.cluster, this.pid);
      this.watcher.log(`Postgres stopped (process ${this.pid})`);
    }
    await this.#owned?.client.end();
    for (const endpoint of [this.#endpoint, this.#newEndpoint]) {
      const used = this.#heldElsewhere && endpoint?.host === file?.socketDir;
      if (endpoint && !used) dropEndpoint(endpoint);
    }
  }

  /**
   * Claims the server, starting it if there is none, until it is owned.
   * @param wait called when an attempt finds that the claim will take time
   * @param report gets the reason of each failed attempt; it ends the attempts by throwing
   */
  async #bringUp(wait: () => void, report: (trouble: Trouble) => void): Promise<Ownership> {
    for (;;) {
      let outcome: Ownership | Trouble = await this.#claim();
      if ('kind' in outcome) {
        wait();
        await delay(this.#pause(), undefined, { signal: this.#stopping.signal });
        if (outcome.kind === 'absent') outcome = (await this.#launch()) ?? (await this.#claim());
      }
      if (!('kind' in outcome)) return this.#own(outcome);
      this.#failures += 1;
      report(outcome);
    }
  }

  #pause(): number {
    return this.#failures === 0 ? 0 : Math.min(25 * 2 ** this.#failures, LONGEST_PAUSE_MS);
  }

  async #claim(): Promise<Ownership | ClaimFailure> {
    const endpoint = this.#endpoint ?? endpointOf(readPidFile(this.cluster.dir), this.cluster.password);
    if (!endpoint) return { kind: 'absent', reason: 'no server is running' };
    const outcome = await claim(this.cluster.dir, endpoint);
    this.#heldElsewhere = 'kind' in outcome && outcome.kind === 'held';
    if (!('kind' in outcome)) this.#endpoint = endpoint;
    return outcome;
  }

  async #launch(): Promise<LaunchFailure | undefined> {
    const { cluster, watcher } = this;
    const since = Date.now();
    try {
      this.#newEndpoint ??= this.#endpoint ?? (await newEndpoint(cluster.user, cluster.password));
      const failure = await launch(cluster, this.#newEndpoint, this.#stopping.signal);
      if (failure) return failure;
    } catch (error) {
      if (error instanceof SetupError) throw error;
      return { kind: 'failed', reason: (error as Error).message };
    }
    this.#launched = true;
    this.pid = readPidFile(cluster.dir)?.pid ?? this.pid;
    watcher.log(
      `Postgres ${cluster.binaries.major} started in ${Date.now() - since} ms (process ${this.pid})`,
    );
    return undefined;
  }

  #own(owned: Ownership): Ownership {
    this.#owned = owned;
    this.#upSince = Date.now();
    this.pid = readPidFile(this.cluster.dir)?.pid ?? this.pid;
    void owned.ended.then(() => {
      if (!this.#stopping.signal.aborted) this.#recovery = this.#recover();
    });
    return owned;
  }

  async #recover(): Promise<void> {
    this.#failures = Date.now() - this.#upSince > STABLE_MS ? 0 : this.#failures + 1;
    let down = false;
    const said = new Set<string>();
    try {
      await this.#bringUp(
        () => {
          if (down) return;
          down = true;
          this.watcher.log(`Postgres is down (process ${this.pid}); restarting it`);
          this.watcher.onDown();
        },
        ({ reason }) => {
          if (!said.has(reason)) this.watcher.log(`Postgres is still down: ${reason}`);
          said.add(reason);
        },
      );
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      throw error;
    }
    this.watcher.log(`Postgres is up again (process ${this.pid})`);
    if (down) this.watcher.onUp();
  }

  /** Removes the leftovers of former servers; called once a new one runs, which no longer needs them. */
  #dropLeftovers(formerSocketDir: string | undefined): void {
    if (this.#newEndpoint && this.#newEndpoint.host !== this.#endpoint?.host) dropEndpoint(this.#newEndpoint);
    if (this.adopted) return;
    dropOtherCopies(this.cluster.binaries, this.cluster.dataDir);
    if (formerSocketDir && formerSocketDir !== this.#endpoint?.host) {
      dropEndpoint({ host: formerSocketDir, port: 0 });
    }
  }

  #explain({ kind, reason }: Trouble): string {
    const { dataDir, dir, logFile } = this.cluster;
    switch (kind) {
      case 'held':
        return (
          `The data directory ${dataDir} is in use by another instance of the service (${reason}). Stop ` +
          `that one, or choose another directory with DATA_DIR.`
        );
      case 'occupied':
        return (
          `The database in ${dir} cannot start because another process is using it (${reason}). Stop that ` +
          `process (or, if the process in the first line of ${dir}/postmaster.pid is not Postgres, delete that file), and start again.`
        );
      default:
        return (
          `The embedded Postgres in ${dir} failed to start (${reason}). See ${logFile} for the cause, or ` +
          `set DATABASE_URL to your own Postgres.`
        );
    }
  }
}
