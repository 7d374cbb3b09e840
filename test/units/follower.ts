import type { Database } from '../../src/db/pool.js';
import { type Followed, followStandings, type Way } from '../../src/live/follow.js';
import { readStandings, type Standings } from '../../src/live/standings.js';
import { ownAddress } from '../../src/rankings/address.js';
import { listed } from '../support/ranked-reads.js';

/** The players' standings, one per line. */
function textOf({ version, entryCount, marks, byPlayer }: Standings): string[] {
  const players = [...byPlayer].map(([id, standing]) =>
    JSON.stringify([id, standing && { ...standing, mark: undefined }]),
  );
  return [JSON.stringify({ version, entryCount, marks }), ...players.toSorted()];
}

/** Follows the standings of a population round by round, and compares them with standings read from scratch. */
export class Follower {
  #last: Followed | undefined;

  constructor(
    private readonly db: Database,
    private readonly boardId: string,
    private readonly isTest: boolean,
  ) {}

  get version(): number | undefined {
    return this.#last?.version;
  }

  get sharesRanks(): boolean | undefined {
    return this.#last?.sharesRanks;
  }

  /** While others write, so there is nothing to compare with yet. */
  async follow(players: readonly string[]): Promise<Followed> {
    const { boardId, isTest } = this;
    const { pool } = this.db;
    const before = this.#last;
    const now = await followStandings(pool, ownAddress(boardId), isTest, new Set(players), before);
    for (const [id, standing] of now.byPlayer) {
      if (!now.changed.has(id)) expect(standing).toBe(before?.byPlayer.get(id));
    }
    this.#last = now;
    return now;
  }

  /** Call it while nothing is written. @returns where the standings came from */
  async look(players: readonly string[]): Promise<Way> {
    const now = await this.follow(players);
    expect(textOf(now)).toEqual(
      textOf(await readStandings(this.db.pool, ownAddress(this.boardId), this.isTest, players)),
    );
    await this.#compareDisplayed(now);
    return now.way;
  }

  /** Compares display ranks with those of window functions. */
  async #compareDisplayed({ byPlayer }: Followed): Promise<void> {
    const truth = await listed(this.db, this.boardId, this.isTest);
    for (const [id, standing] of byPlayer) {
      if (!standing) expect(truth.map(({ identity }) => identity)).not.toContain(id);
      else {
        // Not always the first of a player's runs: while states follow changed rules, it is the one that used to be
        // the best.
        const { displayRank, rank, above } = standing;
        const { identity, display } = truth[rank - 1]!;
        expect([id, displayRank ?? rank]).toEqual([identity, display]);
        if (above) expect(above.displayRank ?? rank - 1).toBe(truth[rank - 2]!.display);
      }
    }
  }
}
