import type { Clock } from '../../../base/clock.js';
import { isId, uuidOf } from '../../../base/ids.js';
import { periodsAround } from '../../../boards/views/period-reads.js';
import type { Queryable } from '../../../db/pool.js';
import type { OrderKey } from '../../order.js';
import { scoresOfIdentities } from '../../read/own-score.js';
import { windowAroundScore } from '../../read/window.js';
import type { ChosenRanking } from '../../standings/view-request.js';
import { partOf } from '../../views/parts.js';
import type { RankingMarks } from '../ranking-marks.js';

/** A watched ranking of a view. One of the present period goes over to the next one at its end. */
export class FollowedRanking {
  #ranking: ChosenRanking;

  /** @param isPresent true if the present period was requested */
  constructor(
    private readonly pool: Queryable,
    private readonly clock: Clock,
    ranking: ChosenRanking,
    private readonly isPresent: boolean,
  ) {
    this.#ranking = ranking;
  }

  /** When its period is over, in epoch milliseconds. */
  get until(): number {
    return this.isPresent && this.#ranking.span ? this.#ranking.span.endsAt : Number.POSITIVE_INFINITY;
  }

  /** True if the ranking may differ from what was read at this version of the board, or its period is over. */
  isTouched(marks: RankingMarks, version: number): boolean {
    const { viewNo: view, period, group } = this.#ranking;
    return this.clock() >= this.until || marks.isTouched(partOf({ view, period, group }), version);
  }

  /** Between two seasons the last one stays. */
  async now(): Promise<ChosenRanking> {
    if (this.clock() < this.until) return this.#ranking;
    const { boardId, viewNo } = this.#ranking;
    const { current } = await periodsAround(this.pool, uuidOf(boardId), viewNo, this.clock());
    if (current) {
      const { number: period, key } = current;
      this.#ranking = { ...this.#ranking, period, key, span: current };
    }
    return this.#ranking;
  }
}

/** The place of a score, or of an identity's best entry, in a ranking; undefined: it is not ranked there. */
export async function placeInRanking(
  pool: Queryable,
  ranking: ChosenRanking,
  isTest: boolean,
  id: string,
): Promise<OrderKey | undefined> {
  if (isId('score', id)) {
    return (await windowAroundScore(pool, ranking, isTest, id, 1, 'withoutOrigin'))?.keys[0];
  }
  const key = { boardId: ranking.boardId, isTest, identityId: id, ranking };
  return (await scoresOfIdentities(pool, [key]))[0]?.own?.key;
}
