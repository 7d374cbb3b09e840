import type { Clock } from '../base/clock.js';
import { uuidOf } from '../base/ids.js';
import type { PeriodReads } from '../boards/views/period-reads.js';
import type { ChosenRanking } from '../rankings/address.js';
import { isOwn } from '../rankings/address.js';
import { partOf } from '../submissions/decide/parts.js';
import type { RankingMarks } from './ranking-marks.js';

/** A watched ranking. One of the current period switches to the next period when it ends. */
export class FollowedRanking {
  /** Identifies it among those of its board. */
  readonly name: string;
  #ranking: ChosenRanking;

  /** @param isPresent true if the current period was requested */
  constructor(
    private readonly periods: PeriodReads,
    private readonly clock: Clock,
    ranking: ChosenRanking,
    private readonly isPresent: boolean,
  ) {
    this.#ranking = ranking;
    const { viewNo, key, group } = ranking;
    this.name = isOwn(ranking) ? '' : `${viewNo} ${isPresent ? 'current' : key} ${group}`;
  }

  /** Prefixed. */
  get boardId(): string {
    return this.#ranking.boardId;
  }

  /** When its period ends, in epoch milliseconds. */
  get until(): number {
    return this.isPresent && this.#ranking.span ? this.#ranking.span.endsAt : Number.POSITIVE_INFINITY;
  }

  /**
   * True if the ranking may differ from what was read at this version of the board, or its period has ended; always
   * true for a board's own ranking.
   */
  isTouched(marks: RankingMarks, version: number): boolean {
    const { viewNo: view, period, group } = this.#ranking;
    if (isOwn(this.#ranking) || this.clock() >= this.until) return true;
    return marks.isTouched(partOf({ view, period, group }), version);
  }

  /** Between two seasons, the last one is kept. */
  async now(): Promise<ChosenRanking> {
    if (this.clock() < this.until) return this.#ranking;
    const { boardId, viewNo } = this.#ranking;
    const { current } = await this.periods.around(uuidOf(boardId), viewNo, this.clock());
    if (current) {
      const { number: period, key } = current;
      this.#ranking = { ...this.#ranking, period, key, span: current };
    }
    return this.#ranking;
  }
}
