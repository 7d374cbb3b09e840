import type { Leaderboard, Score } from 'leaderboard-client';

const PAGES = 3;

/** The players of the board as they stood when a run began: the score passes them one by one. Good without a connection. */
export class Rivals {
  /** Worst first, without the player. */
  #ahead: Score[] = [];
  #passed = 0;
  #value = 0;

  constructor(
    private readonly leaderboard: Leaderboard,
    private readonly boardId: string,
  ) {}

  /** Reads the board for the next run; the one of the last run stays while there is no connection. */
  async read(): Promise<void> {
    const { identityId } = await this.leaderboard.player();
    const scores: Score[] = [];
    let pages = 0;
    for await (const { items } of this.leaderboard.scores(this.boardId, { limit: 100 })) {
      scores.push(...items);
      pages += 1;
      if (pages === PAGES) break;
    }
    this.#ahead = scores.filter((score) => score.identityId !== identityId).reverse();
    // The run may be under way.
    this.#passed = this.#ahead.filter(({ value }) => value < this.#value).length;
  }

  reset(): void {
    this.#passed = 0;
    this.#value = 0;
  }

  /** @returns the best of the players whom a score has just passed */
  pass(value: number): Score | undefined {
    this.#value = value;
    const before = this.#passed;
    while (this.next && this.next.value < value) this.#passed += 1;
    return this.#passed > before ? this.#ahead[this.#passed - 1] : undefined;
  }

  /** The next one to be passed. */
  get next(): Score | undefined {
    return this.#ahead[this.#passed];
  }
}
