import path from 'node:path';
import { type ClusterOptions, openCluster } from './cluster.js';
import { Supervisor } from './supervisor.js';

export interface EmbeddedOptions extends ClusterOptions {
  /** Receives lines for the service's log: starts, ends, restarts. Default: none. Must not throw. */
  log?: (line: string) => void;
  /** Called when the server has ended or accepts no connections; a restart is under way. Must not throw. */
  onDown?: () => void;
  /**
   * Called when the server accepts connections again, at the same connection strings; only after `onDown`. Must not
   * throw.
   */
  onUp?: () => void;
}

/** An embedded Postgres, which this process owns until `stop`. */
export interface EmbeddedPostgres {
  /** For pg and knex; valid for the lifetime of this process, restarts included. Default database: `leaderboard`. */
  connectionString(database?: string): string;
  /** `<dataDir>/postgres-<major>` */
  readonly dir: string;
  /** True if the server was already running, left behind by a killed service. */
  readonly adopted: boolean;
  /** Process id of the present server; while it is down, of the last one. */
  readonly pid: number;
  /**
   * Disconnects all sessions, writes a checkpoint, waits for the server's end and gives up the ownership. May be called
   * again. Without it (a killed process) the server keeps running and the next start adopts it.
   */
  stop(): Promise<void>;
}

const DATABASE = 'leaderboard';

/**
 * Starts the Postgres in `<dataDir>/postgres-<major>`, or adopts one that a killed service left running; makes
 * directory, cluster and database where they are missing. Its log is `<dataDir>/postgres.log`. It listens on a socket
 * (on Windows: the loopback address, with a password) and is restarted whenever it ends.
 * @throws SetupError, one sentence for the console: programs missing or not runnable, directory not usable, in use by
 * another process (reported after 2 s), or of another major version
 */
export async function startEmbeddedPostgres(
  dataDir: string,
  options: EmbeddedOptions = {},
): Promise<EmbeddedPostgres> {
  const cluster = await openCluster(path.resolve(dataDir), options);
  const supervisor = new Supervisor(cluster, {
    log: options.log ?? (() => undefined),
    onDown: options.onDown ?? (() => undefined),
    onUp: options.onUp ?? (() => undefined),
  });
  const client = await supervisor.start();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`create database ${DATABASE}`);
  } catch (error) {
    await supervisor.stop();
    throw error;
  }
  return {
    connectionString: (database = DATABASE) => supervisor.connectionString(database),
    dir: cluster.dir,
    get adopted() {
      return supervisor.adopted;
    },
    get pid() {
      return supervisor.pid;
    },
    stop: () => supervisor.stop(),
  };
}
