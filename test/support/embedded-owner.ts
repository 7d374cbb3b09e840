import { startEmbeddedPostgres } from '../../src/db/embedded/embedded.js';

/** The only message a child process that owns an embedded Postgres sends to its parent. */
export type OwnerReport =
  | { adopted: boolean; pid: number; connectionString: string }
  | { refused: string; error: string };

// A test run that dies must not leave owners behind.
process.on('disconnect', () => process.exit(1));

const [dataDir] = process.argv.slice(2);
if (!dataDir) throw new Error('usage: embedded-owner <data directory>');

startEmbeddedPostgres(dataDir, { settings: { fsync: 'off' } }).then(
  (postgres) => {
    const { adopted, pid } = postgres;
    process.send?.({ adopted, pid, connectionString: postgres.connectionString() } satisfies OwnerReport);
  },
  (error: Error) => {
    process.send?.({ refused: error.message, error: error.name } satisfies OwnerReport);
  },
);
