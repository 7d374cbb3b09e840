import { statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { connectionString, type Endpoint } from './endpoint.js';

/**
 * Reason why this process does not own the cluster (yet). `absent`: no server listens there. `starting`: a server that
 * accepts no connections for the moment (recovery, shutdown). `silent`: a listener that does not respond like Postgres.
 * `held`: another process owns it.
 */
export interface ClaimFailure {
  readonly kind: 'absent' | 'starting' | 'silent' | 'held';
  readonly reason: string;
}

/** The connection whose session holds the owner's lock. */
export interface Ownership {
  readonly client: pg.Client;
  /** Resolves when the connection has ended, for whatever reason. */
  readonly ended: Promise<void>;
}

/** In the cluster's database `postgres`; no other part of the service takes locks there. */
const OWNER_LOCK = 0x6c62_6f77;
/** A killed owner's connection ends with it, but its session may notice only after a moment. */
const LOCK_PATIENCE_MS = 2_000;
const CONNECT_TIMEOUT_MS = 2_000;

/**
 * Connects to the cluster in `clusterDir` at `endpoint` and takes the lock that makes this process its owner for the
 * lifetime of the returned connection. A running server does not prove that its service runs; the lock does.
 */
export async function claim(clusterDir: string, endpoint: Endpoint): Promise<Ownership | ClaimFailure> {
  const client = new pg.Client({
    connectionString: connectionString(endpoint, 'postgres'),
    application_name: `leaderboard owner: process ${process.pid}`,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  });
  // The supervisor acts on the end of the connection; without a listener an error would end the process.
  client.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => {
    client.once('end', () => resolve());
  });
  try {
    await client.connect();
    const failure = (await strangers(client, clusterDir)) ?? (await takeLock(client));
    if (failure === undefined) return { client, ended };
    await client.end();
    return failure;
  } catch (error) {
    client.end().catch(() => undefined);
    return explainOwner(error as Error & { code?: string });
  }
}

/**
 * Returns a failure for another server: a path or port of an old postmaster.pid may belong to a different one by now.
 */
async function strangers(client: pg.Client, clusterDir: string): Promise<ClaimFailure | undefined> {
  const { rows } = await client.query<{ data_directory: string }>('show data_directory');
  const served = statSync(rows[0]?.data_directory ?? '', { throwIfNoEntry: false });
  const ours = statSync(clusterDir);
  if (served?.ino === ours.ino && served.dev === ours.dev) return undefined;
  return { kind: 'absent', reason: 'the running server uses another directory' };
}

async function takeLock(client: pg.Client): Promise<ClaimFailure | undefined> {
  const deadline = Date.now() + LOCK_PATIENCE_MS;
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      OWNER_LOCK,
    ]);
    if (rows[0]?.taken) return undefined;
    if (Date.now() > deadline) return { kind: 'held', reason: await holder(client) };
    await delay(50);
  }
}

async function holder(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ application_name: string }>(
    `select application_name from pg_locks join pg_stat_activity using (pid)
     where locktype = 'advisory' and classid = 0 and objid = $1 and objsubid = 1 and granted`,
    [OWNER_LOCK],
  );
  return rows[0]?.application_name.split(': ').at(-1) ?? 'a session that has just ended';
}

function explainOwner(error: Error & { code?: string }): ClaimFailure {
  const reason = error.message || error.code || error.name;
  switch (error.code) {
    case 'ENOENT': // no socket
    case 'ECONNREFUSED': // a socket without a server
    case '28P01': // another server uses the port and refuses our password
    case '28000':
      return { kind: 'absent', reason };
    case '57P03': // cannot_connect_now
      return { kind: 'starting', reason };
    default:
      return { kind: 'silent', reason };
  }
}
