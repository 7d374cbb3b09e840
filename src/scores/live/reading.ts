import type pg from 'pg';
import type { Board } from '../../boards/board/board.js';
import { type Followed, followStandings } from './follow.js';
import type { Mover } from './movers.js';
import type { Round, Source } from './source.js';
import type { Standings } from './standings.js';

interface ReadingParts {
  pool: pg.Pool;
  /** @throws DomainError NOT_FOUND */
  board(): Promise<Board>;
}

/** A round's reads of a board: each is done at the first request, once for all sources. */
export class BoardReading implements Round {
  /** The standings that were read, by population. */
  readonly read = new Map<boolean, Followed>();
  #board: Promise<Board> | undefined;
  readonly #standings = new Map<boolean, Promise<Followed>>();

  /**
   * @param watched the players of a population whose standings are needed; ids prefixed
   * @param before the standings that the round before has read
   */
  constructor(
    private readonly boardId: string,
    private readonly from: ReadingParts,
    private readonly watched: (isTest: boolean) => Pick<WatchedPlayers, 'ids' | 'areOvertaken'>,
    private readonly before: ReadonlyMap<boolean, Standings>,
  ) {}

  board(): Promise<Board> {
    this.#board ??= this.from.board();
    return this.#board;
  }

  standings(isTest: boolean): Promise<Followed> {
    return once(this.#standings, isTest, async () => {
      const { pool } = this.from;
      const { ids, areOvertaken } = this.watched(isTest);
      const before = this.before.get(isTest);
      const read = await followStandings(pool, this.boardId, isTest, ids, before, areOvertaken);
      this.read.set(isTest, read);
      return read;
    });
  }

  async movers(isTest: boolean): Promise<readonly Mover[]> {
    return (await this.standings(isTest)).movers;
  }
}

function once<T>(known: Map<boolean, Promise<T>>, key: boolean, read: () => Promise<T>): Promise<T> {
  const begun = known.get(key) ?? read();
  known.set(key, begun);
  return begun;
}

const NO_PLAYERS: ReadonlySet<Source> = new Set();

/** The watched players of a population, with the sources of each. Held between rounds, as they are thousands and change seldom. */
export class WatchedPlayers {
  readonly #sources = new Map<string, Set<Source>>();
  /** Number of sources that are notified by the moves of their players. */
  #ranks = 0;
  /** Number of sources that also take the movers. */
  #overtaken = 0;

  get ids(): ReadonlyMap<string, unknown> {
    return this.#sources;
  }

  /** True if there are such sources. */
  get areFollowed(): boolean {
    return this.#ranks > 0;
  }

  /** True if a source also takes the movers. */
  get areOvertaken(): boolean {
    return this.#overtaken > 0;
  }

  of(identityId: string): ReadonlySet<Source> {
    return this.#sources.get(identityId) ?? NO_PLAYERS;
  }

  add(source: Source): void {
    if (source.isOfMoves) this.#ranks += 1;
    if (source.isOfMovers) this.#overtaken += 1;
    for (const id of source.identityIds) {
      const known = this.#sources.get(id);
      if (known) known.add(source);
      else this.#sources.set(id, new Set([source]));
    }
  }

  remove(source: Source): void {
    if (source.isOfMoves) this.#ranks -= 1;
    if (source.isOfMovers) this.#overtaken -= 1;
    for (const id of source.identityIds) {
      const known = this.#sources.get(id)!;
      known.delete(source);
      if (known.size === 0) this.#sources.delete(id);
    }
  }
}
