import type { Metrics } from '../../base/metrics.js';
import type { Database } from '../pool.js';

/** Knex's pool, which knex types as `any`. */
interface RecordsPool {
  numUsed(): number;
  numFree(): number;
  numPendingAcquires(): number;
}

/** Gauges of both pools: used and idle connections, and waiting requests. */
export function poolMetrics({ knex, pool }: Database, metrics: Metrics): void {
  // Knex removes its pool when it is destroyed.
  const records = () => knex.client.pool as RecordsPool | undefined;
  metrics.gauges(
    'database_connections',
    'Connections to the database by pool and state.',
    ['pool', 'state'],
    () => [
      [{ pool: 'records', state: 'used' }, records()?.numUsed() ?? 0],
      [{ pool: 'records', state: 'idle' }, records()?.numFree() ?? 0],
      [{ pool: 'scores', state: 'used' }, pool.totalCount - pool.idleCount],
      [{ pool: 'scores', state: 'idle' }, pool.idleCount],
    ],
  );
  metrics.gauges('database_waiting', 'Who waits for a connection, by pool.', ['pool'], () => [
    [{ pool: 'records' }, records()?.numPendingAcquires() ?? 0],
    [{ pool: 'scores' }, pool.waitingCount],
  ]);
}
