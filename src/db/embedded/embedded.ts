import path from 'node:path';
import { type ClusterOptions, openCluster } from './cluster.js';
import { Supervisor } from './supervisor.js';

export interface EmbeddedOptions extends ClusterOptions {
  /** Lines for the service's log: starts, ends, restarts. Default: nowhere. Must not throw. */
  log?: (line: string) => void;
  /** The server is gone or takes no connections; a restart is under way. Must not throw. */
  onDown?: () => void;
  /** The server answers again, at the same connection strings. Comes only after `onDown`. Must not throw. */
  onUp?: () => void;
}

/** A Postgres of the service's own, which this process owns until `stop`. */
export interface EmbeddedPostgres {
  /** For pg and knex; true for as long as this process lives, restarts included. Default database: `leaderboard`. */
  connectionString(database?: string): string;
  /** Whether the server was already running, left behind by a service that was killed. */
  readonly adopted: boolean;
  /** Process id of the present server; while it is down, of the last one. */
  readonly pid: number;
  /**
   * Disconnects all sessions, writes a checkpoint, waits for the server's end, and with it gives up the ownership. May
   * be called again. Without it (a killed process) the server stays and the next start adopts it.
   */
  stop(): Promise<void>;
}

const DATABASE = 'leaderboard';

/**
 * Starts the Postgres in `<dataDir>/postgres-<major>`, or adopts it where a killed service left it running; makes
 * directory, cluster and database where they are missing. Its log is `<dataDir>/postgres.log`. It answers on a socket
 * (on Windows: the loopback address, with a password) and is started again whenever it dies.
 * @throws SetupError, one sentence for the console: programs missing or not runnable, directory not usable, in use by
 * another process (known after 2 s), or of another major version.
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
    get adopted() {
      return supervisor.adopted;
    },
    get pid() {
      return supervisor.pid;
    },
    stop: () => supervisor.stop(),
  };
}
