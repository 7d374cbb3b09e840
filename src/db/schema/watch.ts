import { readdirSync } from 'node:fs';
import type pg from 'pg';
import { PeriodicTask } from '../../base/clock.js';
import type { Log } from '../../base/log.js';
import { MIGRATION_FILE, OLDEST_KNOWN, outgrown } from './migrate.js';

const INTERVAL_MS = 60_000;
/** Load balancers and people send any number of probes: a look serves all of this time. */
const FRESH_MS = 250;

/**
 * Notices that a later release has migrated the database beyond what this process can work with, while it runs: a
 * load balancer then sends its requests to the others.
 */
export class SchemaWatch {
  /** Of this release: an upgrade in place replaces the files while the process runs. */
  readonly #known: ReadonlySet<string>;
  readonly #task: PeriodicTask;
  #fault: string | undefined;

  constructor(
    private readonly pool: pg.Pool,
    dir: string,
    private readonly log: Log,
  ) {
    this.#known = new Set(readdirSync(dir).filter((file) => MIGRATION_FILE.test(file)));
    this.#task = new PeriodicTask(() => this.#look(), {
      everyMillis: INTERVAL_MS,
      log,
      failure: 'failed to check the schema of the database',
      level: 'debug',
    });
  }

  start(): void {
    this.#task.start();
  }

  /** Why this process cannot work with the schema, as of the last look; causes another. Does not wait for the database. */
  fault(): string | undefined {
    this.#task.wake(FRESH_MS);
    return this.#fault;
  }

  async close(): Promise<void> {
    await this.#task.close();
  }

  async #look(): Promise<void> {
    const { rows } = await this.pool.query<{ checksum: string }>(
      'select checksum from migration_checksums where name = $1',
      [OLDEST_KNOWN],
    );
    const lacking = rows.find(({ checksum }) => !this.#known.has(checksum))?.checksum;
    const fault = lacking && outgrown(lacking);
    if (fault === this.#fault) return;
    this.#fault = fault;
    if (fault)
      this.log.warn({ lacks: lacking }, `${fault} Not ready: replace this process by the newer release.`);
    else this.log.info('the schema of the database fits this release again');
  }
}
