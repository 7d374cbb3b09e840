import os from 'node:os';

const MEBIBYTE = 2 ** 20;

/**
 * Returns an eighth of this process' memory limit, at least 128 MB, at most 4 GB. A rank on a board of millions reads
 * pages from all over its index; each page outside these buffers is copied from the system's cache every time. Memory
 * is allocated on use, so a small board costs nothing.
 */
function sharedBuffers(): string {
  const limit = process.constrainedMemory();
  const bytes = limit > 0 && limit < os.totalmem() ? limit : os.totalmem();
  return `${Math.round(Math.min(4_096, Math.max(128, bytes / 8 / MEBIBYTE)))}MB`;
}

/**
 * Settings of the embedded server, for a small machine that also runs the service. Values as in postgresql.conf. The
 * timeouts are defaults for sessions without their own (psql, tools): the service's pools set theirs, and also limit
 * their statements. There is no server-wide statement_timeout: index builds, VACUUM and restores take long.
 */
export const EMBEDDED_SETTINGS: Readonly<Record<string, string>> = {
  shared_buffers: sharedBuffers(),
  // Up to ten workers with full pools (db/pools.ts), the job runner, LISTEN connections and an operator's tools.
  max_connections: '200',

  // An acknowledged score survives a power cut. Written out, because a cluster's own file may say otherwise.
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  // Rare checkpoints, by time and not by volume: after each one the next change of a page logs the whole page. The
  // longer log is replayed after a power cut.
  checkpoint_timeout: '15min',
  max_wal_size: '4GB',
  min_wal_size: '256MB',
  // Those page images are most of the log. This build can only compress them with pglz, which took a third of the
  // database's time for a submission to a board of a million; a disk writes them uncompressed.
  wal_compression: 'off',

  // Statements take a millisecond: compiling one costs more than it saves, and so does starting parallel workers.
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  // Solid-state disks: a random page costs little more than the next one.
  random_page_cost: '1.1',

  // Score rows are updated in place, and ranks read past dead versions until these are vacuumed: often and in small
  // portions. The most updated tables set stricter thresholds and cost limits in their migration.
  autovacuum_naptime: '10s',
  autovacuum_vacuum_scale_factor: '0.05',

  // A process that stops in the middle of a transaction blocks a board for all others, for at most 5 s.
  idle_in_transaction_session_timeout: '5s',
  lock_timeout: '5s',
  // Only connections over TCP need them: a vanished peer is noticed within 30 s + 3 × 10 s.
  tcp_keepalives_idle: '30',
  tcp_keepalives_interval: '10',
  tcp_keepalives_count: '3',
  timezone: 'UTC',

  // The log is for the operator: time, session, event. It contains no statements, not even aborted ones, nor their
  // parameters, nor the details of a refusal (e.g. another user's address): they contain personal data.
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  log_parameter_max_length_on_error: '0',
  log_checkpoints: 'off',
};
