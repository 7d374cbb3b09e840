import type { ClientBase } from 'pg';

/** A server that responds but accepts no writes: a standby, a primary that was demoted, or one whose settings say so. */
class ReadOnlyServer extends Error {
  /** SQLSTATE read_only_sql_transaction, as its refusals of writes carry. */
  readonly code = '25006';

  constructor() {
    super('The database server is read-only');
  }
}

interface ReadOnlyRow {
  transaction_read_only: 'on' | 'off';
}

/** Its single row goes to {@link isWritable}. */
export const READ_ONLY = 'show transaction_read_only';

export function isWritable({ rows }: { rows: unknown[] }): boolean {
  return (rows as ReadOnlyRow[])[0]?.transaction_read_only === 'off';
}

/**
 * For new connections of a pool: behind an address that follows the primary, one may lead to a server that is no primary any
 * more. It is closed, and does not stay in the pool.
 * @param done called with the error that ends the connection, if there is one
 */
export function verifyWritable(client: Pick<ClientBase, 'query'>, done: (error?: Error) => void): void {
  client.query(READ_ONLY).then(
    (result) => done(isWritable(result) ? undefined : new ReadOnlyServer()),
    (error: Error) => done(error),
  );
}
