import { existsSync, readdirSync } from 'node:fs';
import pg from 'pg';
import { type Respelled, respellAddresses } from '../accounts/users/respell-addresses.js';
import { systemClock } from '../base/clock.js';
import { SetupError } from '../base/errors.js';
import type { Log } from '../base/log.js';
import { migrationsDir } from '../base/package.js';
import type { Config } from '../config/table.js';
import { type ClusterOptions, openCluster } from '../db/embedded/cluster.js';
import { startEmbeddedPostgres } from '../db/embedded/embedded.js';
import { connectionString, endpointOf } from '../db/embedded/endpoint.js';
import { isRunning, readPidFile } from '../db/embedded/server-process.js';
import { type Database, openDatabase, type ServerRoute, sessionConfig } from '../db/pool.js';
import { type Inspected, inspectRoute } from '../db/pooler.js';
import { type Migrated, migrate } from '../db/schema/migrate.js';
import { unfitPooler } from './pooler.js';

/** A reachable Postgres, and the function that releases it. */
interface DatabaseServer {
  /** Direct. */
  connectionString: string;
  route: ServerRoute;
  /** Description for people, without credentials. */
  place: string;
  /** Of the embedded server's cluster: `<DATA_DIR>/postgres-<major>`. */
  cluster?: string;
  close(): Promise<void>;
}

type Where = Pick<Config, 'databaseUrl' | 'dataDir' | 'postgresBinDir'> &
  Partial<Pick<Config, 'databaseDirectUrl' | 'databasePreparedStatements'>>;

/**
 * The Postgres of DATABASE_URL, or the embedded one of the data directory, which this process owns until `close`.
 * @throws SetupError when it is not available
 */
export async function openServer(where: Where, log: Log): Promise<DatabaseServer> {
  const {
    databaseUrl,
    databaseDirectUrl,
    databasePreparedStatements: preparedStatements = true,
    dataDir,
  } = where;
  if (databaseUrl !== undefined) return external(databaseUrl, databaseDirectUrl, preparedStatements);
  const postgres = await startEmbeddedPostgres(dataDir, {
    ...programsOf(where),
    log: (line) => log.info(line),
    onDown: () => log.error('the embedded Postgres is down; requests get 503 until it recovers'),
    onUp: () => log.info('the embedded Postgres is up again'),
  });
  return {
    connectionString: postgres.connectionString(),
    route: { preparedStatements },
    place: dataDir,
    cluster: postgres.dir,
    close: () => postgres.stop(),
  };
}

/** Of POSTGRES_BIN_DIR. */
export function programsOf({ postgresBinDir }: Where): Pick<ClusterOptions, 'installedBin'> {
  return postgresBinDir === undefined ? {} : { installedBin: postgresBinDir };
}

/**
 * The same for a command that runs next to the service: a running embedded Postgres is used as it is and left running.
 * @throws SetupError when there is none and none can be started
 */
export async function visitServer(where: Where, log: Log): Promise<DatabaseServer> {
  if (where.databaseUrl === undefined) {
    const cluster = await openCluster(where.dataDir, programsOf(where));
    const file = readPidFile(cluster.dir);
    const endpoint = endpointOf(file, cluster.password);
    if (file && endpoint && isRunning(file.pid)) {
      const running = connectionString(endpoint, 'leaderboard');
      if (await serves(running, cluster.dir)) {
        const route = { preparedStatements: where.databasePreparedStatements ?? true };
        const [place, close] = [where.dataDir, async () => undefined];
        return { connectionString: running, route, place, cluster: cluster.dir, close };
      }
    }
  }
  return openServer(where, log);
}

/**
 * For commands that make no sense in a new database.
 * @throws SetupError when the embedded database was never created
 */
export function requireCluster({ databaseUrl, dataDir }: Pick<Where, 'databaseUrl' | 'dataDir'>): void {
  if (databaseUrl !== undefined) return;
  const names = existsSync(dataDir) ? readdirSync(dataDir) : [];
  if (names.some((name) => /^postgres-\d+$/.test(name))) return;
  throw new SetupError(
    `There is no database in ${dataDir}. Correct DATA_DIR, or set DATABASE_URL. To create a new one, run "npm start".`,
  );
}

/** True if a server of this very cluster responds there: an old file may name the path of another one. */
async function serves(running: string, dir: string): Promise<boolean> {
  const client = new pg.Client(sessionConfig(running, 'leaderboard visitor'));
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ data_directory: string }>('show data_directory');
    return rows[0]?.data_directory === dir;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function external(
  url: string,
  directUrl: string | undefined,
  preparedStatements: boolean,
): Promise<DatabaseServer> {
  const place = hostOf(url);
  const pooler = directUrl === undefined ? undefined : url;
  const [through, direct] = await Promise.all([
    inspect(url, pooler === undefined),
    directUrl === undefined ? undefined : inspect(directUrl, true),
  ]);
  const fault = unfitPooler({ place, preparedStatements, through, direct });
  if (fault !== undefined) throw new SetupError(fault);
  const route = { pooler, preparedStatements };
  return { connectionString: directUrl ?? url, route, place, close: async () => undefined };
}

async function inspect(url: string, withOptions: boolean): Promise<Inspected> {
  try {
    return await inspectRoute(url, withOptions);
  } catch (error) {
    throw new SetupError(explain(hostOf(url), error));
  }
}

/** Host, port and database of a connection string, without user and password. */
function hostOf(url: string): string {
  const { hostname, port, pathname, searchParams } = new URL(url);
  const host = hostname || searchParams.get('host');
  return `${host}:${port || searchParams.get('port') || 5432}${pathname}`;
}

/** Explains why the database of DATABASE_URL cannot be used, and what to do. */
function explain(place: string, error: unknown): string {
  const { code, message } = error as Error & { code?: string };
  const why = message || code || 'no reason given';
  switch (code) {
    case '28000':
    case '28P01':
      return `The Postgres at ${place} rejects the user or password in DATABASE_URL (${why}). Correct them.`;
    case '3D000':
      return `The database ${place} does not exist. Create it, or correct DATABASE_URL.`;
    case '42501':
      return (
        `The user in DATABASE_URL lacks privileges in ${place} (${why}). Make it the owner of that ` +
        `database, or grant it CREATE on the database and on the schema public.`
      );
    case '25006':
      return `The Postgres at ${place} is read-only (${why}). Set DATABASE_URL to the primary server.`;
    default:
      return `Cannot connect to the Postgres at ${place} (${why}). Start it, correct DATABASE_URL, or unset it to use the embedded one.`;
  }
}

/** Failures of connection or permissions, which the operator can correct; any other error is a bug of the service. */
const MENDABLE = /^(08...|25006|28...|3D000|42501|53...|57P0.|E[A-Z]+)$/;

/** A database with its pools open. */
interface Opened extends Migrated {
  database: Database;
  respelled?: Respelled;
  close(): Promise<void>;
}

/**
 * Opens the pools on a migrated database.
 * @param again see {@link migrate}
 * @throws SetupError when the server is too old, the schema was modified, or the permissions do not suffice
 */
export async function openMigrated(
  server: DatabaseServer,
  timeoutSeconds?: number,
  again = false,
): Promise<Opened> {
  const direct = openDatabase(server.connectionString, undefined, timeoutSeconds);
  try {
    const migrated = await migrate(direct.knex, direct.connectionString, migrationsDir, again);
    const respelled = await respellAddresses(direct.knex, new Date(systemClock()));
    let database = direct;
    if (server.route.pooler !== undefined || !server.route.preparedStatements) {
      await direct.close();
      database = openDatabase(server.connectionString, undefined, timeoutSeconds, server.route);
    }
    return { database, ...migrated, ...(respelled && { respelled }), close: () => database.close() };
  } catch (error) {
    await direct.close();
    if (MENDABLE.test((error as { code?: string }).code ?? ''))
      throw new SetupError(explain(server.place, error));
    throw error;
  }
}
