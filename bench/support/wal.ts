import type pg from 'pg';

/** Bytes of write-ahead log the server has written since it was created. */
export async function walPosition(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(
    `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as bytes`,
  );
  return Number(rows[0]!.bytes);
}
