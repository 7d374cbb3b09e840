import type { Knex } from 'knex';
import type { Clock } from '../base/clock.js';
import { unavailable } from '../base/errors.js';

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

/** Longest time of a preview that tries one board after the other. */
const PREVIEW_MS = 30_000;

/** Begins a preview. @returns to be called before each board; throws UNAVAILABLE with the sentence when there is no time left */
export function previewDeadline(clock: Clock, sentence: string): () => void {
  const until = clock() + PREVIEW_MS;
  return () => {
    if (clock() > until) throw unavailable(sentence);
  };
}
