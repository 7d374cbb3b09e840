import pg from 'pg';
import { SetupError } from '../../base/errors.js';
import { POOL_SIZES, type PoolSizes, sessionConfig } from '../pool.js';

/** Connections of a process besides its pools: announcements, and one spare. */
const APART = 2;
/** Connections of jobs, which one process runs, and of an operator's tools and commands. */
const SHARED = 14;
/** A batch's write takes one, and reads must not wait for it. */
const FEWEST = 2;

/**
 * Returns the pool sizes of each of several processes, so that their total stays within the server's limit.
 * @param more connections that each process opens besides (hooks)
 * @throws SetupError when the limit is too low
 */
export async function sharedPoolSizes(
  connectionString: string,
  workers: number,
  more = 0,
): Promise<PoolSizes> {
  const client = new pg.Client(sessionConfig(connectionString, 'leaderboard start'));
  client.on('error', () => undefined);
  await client.connect();
  let allowed: number;
  try {
    const { rows } = await client.query<{ allowed: number }>(
      `select sum(case name when 'max_connections' then setting::int else -setting::int end)::int as allowed
       from pg_settings where name in ('max_connections', 'superuser_reserved_connections', 'reserved_connections')`,
    );
    allowed = rows[0]!.allowed;
  } finally {
    await client.end().catch(() => undefined);
  }
  const apart = APART + more;
  const each = Math.floor(((allowed - SHARED) / workers - apart) / 2);
  if (each < FEWEST) {
    const most = Math.floor((allowed - SHARED) / (2 * FEWEST + apart));
    throw new SetupError(
      `WORKERS=${workers} is too many for this Postgres, which allows ${allowed} connections: ${most < 1 ? 'raise its max_connections' : `set it to ${most} at most, or raise max_connections there`}.`,
    );
  }
  return { records: Math.min(POOL_SIZES.records, each), scores: Math.min(POOL_SIZES.scores, each) };
}
