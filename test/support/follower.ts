import type pg from 'pg';
import { type Followed, followStandings, type Way } from '../../src/scores/live/follow.js';
import { readStandings, type Standings } from '../../src/scores/live/standings.js';

/** The players' standings, one line each. */
function textOf({ version, entryCount, marks, of }: Standings): string[] {
  const players = [...of].map(([id, standing]) =>
    JSON.stringify([id, standing && { ...standing, mark: undefined }]),
  );
  return [JSON.stringify({ version, entryCount, marks }), ...players.toSorted()];
}

/** Follows the standings of a population as a round after the other does, beside standings that are read from nothing. */
export class Follower {
  #last: Followed | undefined;

  constructor(
    private readonly pool: pg.Pool,
    private readonly boardId: string,
    private readonly isTest: boolean,
  ) {}

  get version(): number | undefined {
    return this.#last?.version;
  }

  /** While others write: nothing can be held against it yet. */
  async follow(players: readonly string[]): Promise<Followed> {
    const { pool, boardId, isTest } = this;
    const before = this.#last;
    const now = await followStandings(pool, boardId, isTest, new Set(players), before);
    for (const [id, standing] of now.of) {
      if (!now.changed.has(id)) expect(standing).toBe(before?.of.get(id));
    }
    this.#last = now;
    return now;
  }

  /** To be called without writes meanwhile. @returns where the standings came from */
  async look(players: readonly string[]): Promise<Way> {
    const now = await this.follow(players);
    expect(textOf(now)).toEqual(textOf(await readStandings(this.pool, this.boardId, this.isTest, players)));
    return now.way;
  }
}
