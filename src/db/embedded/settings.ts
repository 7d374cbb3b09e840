import os from 'node:os';

const MEBIBYTE = 2 ** 20;

/**
 * An eighth of what this process may use, at least 128 MB, at most 4 GB. A rank on a board of millions reads pages from
 * all over its index: those that are not in here are copied from the system's cache for every one. Memory is only taken
 * as it is used, so a small board costs nothing.
 */
function sharedBuffers(): string {
  const limit = process.constrainedMemory();
  const bytes = limit > 0 && limit < os.totalmem() ? limit : os.totalmem();
  return `${Math.round(Math.min(4_096, Math.max(128, bytes / 8 / MEBIBYTE)))}MB`;
}

/**
 * Settings of the embedded server, for a small machine that also runs the service. Values as in postgresql.conf.
 * The timeouts are the defaults of sessions that do not set their own (psql, tools): the service's pools do, and also
 * bound their statements. There is no server-wide statement_timeout: index builds, VACUUM and restores run for long.
 */
export const EMBEDDED_SETTINGS: Readonly<Record<string, string>> = {
  shared_buffers: sharedBuffers(),
  // Up to ten workers with full pools (pools/sizes.ts), the job runner, LISTEN connections and an operator's tools.
  max_connections: '200',

  // An acknowledged score survives a power cut. Written out, because a cluster's own file may say otherwise.
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  // Seldom checkpoints, by time and not by volume: each one makes the next change of a page log the whole page. After a
  // power cut as much is replayed.
  checkpoint_timeout: '15min',
  max_wal_size: '4GB',
  min_wal_size: '256MB',
  // Those page images are most of the log. This build can only compress them by pglz, which took a third of what a
  // submission to a board of a million costs the database; a disk takes them as they are.
  wal_compression: 'off',

  // Statements last a millisecond: compiling one costs more than it saves, and so does waking parallel workers.
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  // Solid-state disks: a page elsewhere costs hardly more than the next one.
  random_page_cost: '1.1',

  // Score rows are updated in place and ranks read past dead versions until they are vacuumed: often and in small
  // portions. The hottest tables set stricter thresholds, and their pace, in their migration.
  autovacuum_naptime: '10s',
  autovacuum_vacuum_scale_factor: '0.05',

  // A process that stops in the middle of a transaction holds a board for everyone else: 5 s, no longer.
  idle_in_transaction_session_timeout: '5s',
  lock_timeout: '5s',
  // Only connections over TCP need them: a peer that vanished is noticed within 30 s + 3 × 10 s.
  tcp_keepalives_idle: '30',
  tcp_keepalives_interval: '10',
  tcp_keepalives_count: '3',
  timezone: 'UTC',

  // The log is for the operator: when, which session, what. Neither statements, not even those that an end cuts off, nor
  // their parameters, nor the details of a refusal (the address that another user has): they carry names of people.
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  log_parameter_max_length_on_error: '0',
  log_checkpoints: 'off',
};
