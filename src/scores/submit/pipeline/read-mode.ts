import { LRUCache } from 'lru-cache';

/**
 * How a batch gets its facts: `cache`: those in the cache are not read again; `reading`: all are read; `lock`: all are read
 * below the board's lock.
 */
export type ReadMode = 'cache' | 'reading' | 'lock';

/** Something was not as the batch had found it: the board, a player, a nonce or key (migrations/004_ingest.sql). */
const CHANGED = /^40LB/;
/** So many batches of the board read more after that: another process writes to it, too. */
const CAREFUL_BATCHES = 32;
/** Boards with such batches. */
const MOST_CAREFUL = 10_000;

/** The read mode of each board's next batch: the more its board is changed by others, the more is read. */
export class ReadModes {
  /** Boards that were changed by others: how many more batches read more. */
  readonly #careful = new LRUCache<string, { mode: ReadMode; batches: number }>({ max: MOST_CAREFUL });

  /** For the board's next batch. */
  of(boardId: string): ReadMode {
    return this.#careful.get(boardId)?.mode ?? 'cache';
  }

  /** The same, where that batch begins. */
  take(boardId: string): ReadMode {
    const careful = this.#careful.get(boardId);
    if (!careful) return 'cache';
    careful.batches -= 1;
    if (careful.batches === 0) this.#careful.delete(boardId);
    return careful.mode;
  }

  /** @param mode of the failed batch */
  failed(boardId: string, mode: ReadMode, error: unknown): void {
    if (!CHANGED.test((error as { code?: string }).code ?? '')) return;
    const next = mode === 'cache' ? 'reading' : 'lock';
    this.#careful.set(boardId, { mode: next, batches: CAREFUL_BATCHES });
  }
}
