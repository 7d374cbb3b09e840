import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { pooledConfig, sessionConfig } from './pool.js';

/** Properties of a way to the database, seen through its connections. */
export interface Inspected {
  /** `direct`: no pooler. `transaction`: connections of the server are shared between transactions of clients. */
  mode: 'direct' | 'session' | 'transaction';
  /** False: the pooler keeps no named statements. */
  keepsNames: boolean;
  /** True: the pooler refuses session settings at the start of a connection. */
  refusesOptions: boolean;
  /** Settings of the service's sessions that are not in force behind a pooler, as `name = 'value'`. */
  missing: string[];
  /** Equal for two ways to the same database. */
  database: string;
}

/**
 * Settings that correctness and bounded waits depend on (`SESSION` in db/pool.ts), with the value to give them and the
 * values of pg_settings that will not do.
 */
const REQUIRED = `
  select required.name || ' = ' || quote_literal(required.value) as setting
  from pg_settings actual
  join (values ('TimeZone', 'UTC'), ('synchronous_commit', 'on'), ('lock_timeout', '5s'),
    ('statement_timeout', '30s'), ('idle_in_transaction_session_timeout', '5s')) required (name, value) using (name)
  where case name when 'TimeZone' then setting <> 'UTC' else setting in ('0', 'off') end
  order by name`;

const PROBE = `
  select pg_backend_pid() as pid, current_database() || ' ' || pg_postmaster_start_time() as database,
    array(${REQUIRED}) as missing`;

const OWN_PID = 'select pg_backend_pid() as pid';

/** SQLSTATEs of a name that another client has used on this connection of the server, and of one that it does not know. */
const STRANGE_NAME = ['42P05', '26000'];
/** Of a startup parameter that PgBouncer does not know. */
const PROTOCOL_VIOLATION = '08P01';

/** Two clients that a pooler never puts on the same connection of the server in so many turns have one each. */
const ROUNDS = 10;

/**
 * Detects a pooler between the service and its database, with at most two connections.
 * @param withOptions whether the service's connections on this way give session settings at their start
 * @throws the driver's errors when the database cannot be reached
 */
export async function inspectRoute(connectionString: string, withOptions: boolean): Promise<Inspected> {
  const clients: pg.Client[] = [];
  const open = async (options: boolean) => {
    const config = options ? sessionConfig : pooledConfig;
    const client = new pg.Client(config(connectionString, 'leaderboard start'));
    client.on('error', () => undefined);
    clients.push(client);
    await client.connect();
    return client;
  };
  try {
    let refusesOptions = false;
    const first = await open(withOptions).catch((error: { code?: string }) => {
      if (!withOptions || error.code !== PROTOCOL_VIOLATION) throw error;
      refusesOptions = true;
      return open(false);
    });
    const { rows } = await first.query<{ pid: number; database: string; missing: string[] }>(PROBE);
    const { pid, ...seen } = rows[0]!;
    // A pooler makes up the process id that it gives to its clients.
    if ((first as pg.Client & { processID: number }).processID === pid) {
      return { mode: 'direct', keepsNames: true, refusesOptions: false, ...seen, missing: [] };
    }
    const second = await open(withOptions && !refusesOptions);
    return { ...(await modeOf([first, second])), refusesOptions, ...seen };
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
  }
}

/**
 * Lets two clients run statements by turns: in each round one under a new name that both share, and one under the client's
 * own name. Where names are not kept, the shared one fails for the second client on the same connection of the server, and
 * the own one on any connection but its first. One shared name for all rounds would not do: while other clients are busy,
 * each connection could have it before the two meet there.
 */
async function modeOf(clients: [pg.Client, pg.Client]): Promise<Pick<Inspected, 'mode' | 'keepsNames'>> {
  const seen = clients.map(() => new Set<number>());
  // A pooler may keep names on a connection of the server for hours, so that no other start may use them.
  const probe = `leaderboard_${randomUUID()}`;
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [i, client] of clients.entries()) {
        for (const name of [`${probe}_${round}`, `${probe}_own_${i}`]) {
          const { rows } = await client.query<{ pid: number }>({ name, text: OWN_PID });
          seen[i]!.add(rows[0]!.pid);
        }
      }
    }
  } catch (error) {
    if (!STRANGE_NAME.includes((error as { code?: string }).code ?? '')) throw error;
    return { mode: 'transaction', keepsNames: false };
  }
  const [first, second] = seen as [Set<number>, Set<number>];
  const isShared = first.size > 1 || second.size > 1 || [...first].some((pid) => second.has(pid));
  return { mode: isShared ? 'transaction' : 'session', keepsNames: true };
}
