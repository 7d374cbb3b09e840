import { LRUCache } from 'lru-cache';

/**
 * How a batch gets its facts: `cache`: cached facts are not read again; `reading`: all are read; `lock`: all are read under
 * the board's lock.
 */
export type ReadMode = 'cache' | 'reading' | 'lock';

/** The board, a player, a nonce or a key differed from the facts of the batch (migrations/004_ingest.sql). */
const CHANGED = /^40LB/;
/** After that, this many batches of the board read more: another process writes to it, too. */
const CAREFUL_BATCHES = 32;
/** Boards with such batches in memory. */
const MOST_CAREFUL = 10_000;

/** The read mode of each board's next batch: the more others change the board, the more is read. */
export class ReadModes {
  /** Boards that others changed, with the number of batches that still read more. */
  readonly #careful = new LRUCache<string, { mode: ReadMode; batches: number }>({ max: MOST_CAREFUL });

  /** The mode of the board's next batch. */
  of(boardId: string): ReadMode {
    return this.#careful.get(boardId)?.mode ?? 'cache';
  }

  /** The same, called when that batch begins. */
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
