import type { Queryable } from '../../db/pool.js';
import type { Board } from '../../games/boards/board.js';
import { type Mover, readMovers } from './movers.js';
import type { Round } from './source.js';
import { readStandings, type Standings } from './standings.js';

/** What a round knows of a board: read when the first who wants it asks, once for everybody. */
export class Reading implements Round {
  /** The standings that were read, by population. */
  readonly read = new Map<boolean, Standings>();
  readonly #standings = new Map<boolean, Promise<Standings>>();
  readonly #movers = new Map<boolean, Promise<readonly Mover[]>>();

  /**
   * @param watched the players of a population whose standings are wanted; ids prefixed
   * @param before what the round before has read
   */
  constructor(
    private readonly pool: Queryable,
    readonly board: Board,
    private readonly watched: (isTest: boolean) => ReadonlySet<string>,
    private readonly before: ReadonlyMap<boolean, Standings>,
  ) {}

  standings(isTest: boolean): Promise<Standings> {
    return once(this.#standings, isTest, async () => {
      const before = this.before.get(isTest);
      const read = await readStandings(this.pool, this.board.id, isTest, [...this.watched(isTest)], before);
      this.read.set(isTest, read);
      return read;
    });
  }

  movers(isTest: boolean): Promise<readonly Mover[]> {
    return once(this.#movers, isTest, async () => {
      const from = this.before.get(isTest);
      const { marks } = await this.standings(isTest);
      return from ? readMovers(this.pool, this.board.id, isTest, from.marks, marks) : [];
    });
  }
}

function once<T>(known: Map<boolean, Promise<T>>, key: boolean, read: () => Promise<T>): Promise<T> {
  const begun = known.get(key) ?? read();
  known.set(key, begun);
  return begun;
}
