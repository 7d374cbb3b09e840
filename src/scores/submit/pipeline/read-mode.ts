import { LRUCache } from 'lru-cache';

/** How a batch gets its facts: what is remembered is not read again, all is read, or all is read below the board's lock. */
export type Reliance = 'memory' | 'reading' | 'lock';

/** Something was not as the batch had found it: the board, a player, a nonce or key (migrations/004_ingest.sql). */
const CHANGED = /^40LB/;
/** After that so many batches of the board rely on less: somebody else writes to it, too. */
const CAREFUL_BATCHES = 32;
/** Boards of which that is remembered. */
const MOST_CAREFUL = 10_000;

/** On what the batches of each board rely: the less, the more changes under their hands. */
export class Reliances {
  /** Of boards that did change: how many batches are still to be careful. */
  readonly #careful = new LRUCache<string, { reliance: Reliance; batches: number }>({ max: MOST_CAREFUL });

  /** Of the board's next batch. */
  of(boardId: string): Reliance {
    return this.#careful.get(boardId)?.reliance ?? 'memory';
  }

  /** The same, for a batch that begins. */
  take(boardId: string): Reliance {
    const careful = this.#careful.get(boardId);
    if (!careful) return 'memory';
    careful.batches -= 1;
    if (careful.batches === 0) this.#careful.delete(boardId);
    return careful.reliance;
  }

  /** @param reliance of the batch that failed */
  failed(boardId: string, reliance: Reliance, error: unknown): void {
    if (!CHANGED.test((error as { code?: string }).code ?? '')) return;
    const next = reliance === 'memory' ? 'reading' : 'lock';
    this.#careful.set(boardId, { reliance: next, batches: CAREFUL_BATCHES });
  }
}
