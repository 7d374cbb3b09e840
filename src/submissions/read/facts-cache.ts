import { LRUCache } from 'lru-cache';
import { type BoardPart, type SubmissionFacts, usesOf } from '../decide/batch.js';
import { type BoardFacts, type BoardHead, factsAfter } from '../decide/decide.js';
import { statesOf } from '../facts/rankings.js';
import type { Submission } from '../facts/submission.js';

/** Cached players of all boards: one to four kilobytes each. */
const CACHED_PLAYERS = 20_000;
const MOST_BOARDS = 10_000;
/** Used nonces and idempotency keys in the cache. */
const MOST_USES = 40_000;
/** Characters of JSON: a player with more metadata is read every time. */
const MOST_METADATA = 1_000;

interface CachedBoard {
  /** As left by the newest decided batch. */
  facts: BoardFacts;
}

interface Player {
  board: CachedBoard;
  /** Prefixed; null: the submission is an administrator's. */
  sessionId: string | null;
  facts: SubmissionFacts;
}

export interface CachedFacts {
  board: BoardFacts;
  /** For each submission, in order; undefined: its player is not cached, or it may be a retry. */
  facts: (SubmissionFacts | undefined)[];
}

/**
 * Caches facts about boards and players from batches that this process wrote, so that the next batches need not read them
 * again. Each write compares them with the database, and nothing is written on facts that have changed
 * (docs/decisions/submission-pipeline.md).
 */
export class FactsCache {
  readonly #boards = new LRUCache<string, CachedBoard>({ max: MOST_BOARDS });
  readonly #players = new LRUCache<string, Player>({ max: CACHED_PLAYERS });
  readonly #uses = new LRUCache<string, true>({ max: MOST_USES });

  /**
   * @param boardId bare uuid
   * @param head head left by the previous batch, which is being written; undefined: no batch is being written
   * @param until epoch milliseconds before which the batch happens
   * @returns undefined if the board is not cached with this head, or the cached periods of its views end earlier
   */
  find(
    boardId: string,
    items: readonly Submission[],
    head: BoardHead | undefined,
    until: number,
  ): CachedFacts | undefined {
    const board = this.#boards.get(boardId);
    if (!board || (head && !isSameHead(board.facts, head))) return undefined;
    if (board.facts.views && board.facts.views.until <= until) return undefined;
    return { board: board.facts, facts: items.map((item) => this.#player(board, item)?.facts) };
  }

  /**
   * Called once a batch is decided, before it is written.
   * @param left head left by the batch
   * @returns a function to call after the commit
   */
  decided(part: BoardPart, left: BoardHead): () => void {
    const { boardId, board, decided, rejected } = part;
    const known = this.#boardAt(boardId, board);
    known.facts = { ...board, ...left };
    for (const begun of left.begun ?? []) {
      for (const [id, state] of statesOf(begun)) board.views!.rankings.set(id, state);
    }
    for (const { item } of rejected) this.#players.delete(playerKey(item));
    for (const { item } of [...decided, ...rejected]) {
      for (const use of usesOf(item)) this.#uses.set(use, true);
    }
    // Until then no submission of these players is decided: their next submissions wait for this one.
    return () => {
      if (this.#boards.get(boardId) !== known) return;
      const isRejected = new Set(rejected.map(({ item }) => playerKey(item)));
      for (const { item, facts, decision } of decided) {
        const key = playerKey(item);
        if (isRejected.has(key) || isLarge(decision.entry.metadata)) this.#players.delete(key);
        else {
          const after = factsAfter(board, facts, decision);
          after.accepted_in_hour = undefined;
          this.#players.set(key, { board: known, sessionId: sessionOf(item), facts: after });
        }
      }
    };
  }

  /** Invalidates the facts of the board, which are or may be wrong. */
  forget(boardId: string): void {
    this.#boards.delete(boardId);
  }

  /** The cached board; with its players only if it equals the board that was read. */
  #boardAt(boardId: string, found: BoardFacts): CachedBoard {
    const known = this.#boards.get(boardId);
    const board = known && isSameBoard(known.facts, found) ? known : { facts: found };
    this.#boards.set(boardId, board);
    return board;
  }

  #player(board: CachedBoard, item: Submission): Player | undefined {
    if (usesOf(item).some((use) => this.#uses.get(use))) return undefined;
    const { origin } = item;
    const player = this.#players.get(playerKey(item));
    const isKnown =
      player?.board === board &&
      player.sessionId === sessionOf(item) &&
      (origin.kind === 'admin' || player.facts.session_version === origin.version);
    return isKnown ? player : undefined;
  }
}

function playerKey({ boardId, isTest, identityId }: Submission): string {
  return `${boardId} ${isTest} ${identityId}`;
}

function sessionOf({ origin }: Submission): string | null {
  return origin.kind === 'client' ? origin.sessionId : null;
}

function isLarge(metadata: object | null): boolean {
  return metadata !== null && JSON.stringify(metadata).length > MOST_METADATA;
}

function isSameHead(one: BoardHead, other: BoardHead): boolean {
  return one.seq === other.seq && one.version === other.version && one.newest_batch === other.newest_batch;
}

/** True if neither the board nor the validity of its players changed in between. */
export function isSameBoard(one: BoardFacts, other: BoardFacts): boolean {
  return isSameHead(one, other) && one.rights_changes === other.rights_changes;
}
