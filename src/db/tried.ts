import type { Knex } from 'knex';

class RolledBack extends Error {}

/** Runs `work` in a transaction and rolls it back. */
export async function tried<T>(db: Knex, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
  let result: T | undefined;
  try {
    await db.transaction(async (trx) => {
      result = await work(trx);
      throw new RolledBack();
    });
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error;
  }
  return result as T;
}
