import pg from 'pg';
import { SetupError } from '../../base/errors.js';
import { unhurriedConfig } from '../../db/pool.js';

/** The session lock of a mover, on both cells: triggers come and go with its move. Free as soon as its process has ended. */
const MOVER_LOCK = 0x6c62_6d76;

/** One mover at a time on a cell: also one whose process was killed, while its last statement runs. */
export async function lockAlone(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ had: boolean }>('select pg_try_advisory_lock($1) as had', [
    MOVER_LOCK,
  ]);
  return rows[0]!.had;
}

export function anotherMoves(): SetupError {
  return new SetupError(
    'Another move is still running on one of the two cells. Run the command again later.',
  );
}

/** A session of its own, one statement at a time. */
export async function connect(connectionString: string, name: string): Promise<pg.Client> {
  const config = unhurriedConfig(connectionString, name);
  // The driver's timer of a COPY would outlive it.
  const client = new pg.Client({ ...config, pipeline: false, query_timeout: 0 });
  client.on('error', () => undefined); // the next statement fails
  await client.connect();
  return client;
}

/** A session without limits of time. @throws SetupError when it may not do what a move needs */
export async function openSession(connectionString: string): Promise<pg.Client> {
  const client = await connect(connectionString, 'leaderboard move');
  await client.query('set idle_in_transaction_session_timeout = 0');
  try {
    await client.query('begin; set local session_replication_role = replica; rollback');
  } catch (error) {
    await client.end();
    if ((error as { code?: string }).code !== '42501') throw error;
    throw new SetupError(
      'The database user of the cell is not allowed to set session_replication_role. Have a superuser run "grant set on parameter session_replication_role to <user>" (Postgres 15 and newer), or use a superuser for the move.',
    );
  }
  return client;
}
