import {
  compareKeys,
  countBefore,
  firstOf,
  isBefore,
  type OrderKey,
  valuesGeneration,
} from '../../rankings/order.js';
import type { BoardPart, Decided } from '../decide/batch.js';
import type { RankingMove } from '../decide/move.js';

/**
 * A key in a ranking's order at which the number of earlier entries is requested, or entries are added or removed.
 */
export interface KeyRow {
  n: number;
  board_id: string;
  generation: number;
  is_test: boolean;
  key: number;
  seq: number;
  /** Entries added at this key; negative: removed. */
  d: number;
  counted: boolean;
}

/** One entry of a ranking during a batch. */
interface Course {
  population: Population;
  /** Its key before the batch; null: there was no entry. */
  origin: OrderKey | null;
  /** Its key after the batch. */
  last: OrderKey;
}

/** Keys the batch adds to a ranking and removes from it, ascending. */
interface Population {
  generation: number;
  isTest: boolean;
  added: OrderKey[];
  removed: OrderKey[];
  /** Keys of the batch by `seq`: rarely more than one. */
  rows: Map<number, KeyRow[]>;
}

/** A submission's place in one ranking, as its response shows it. */
interface Request {
  population: Population;
  move: RankingMove;
  course: Course | undefined;
  key: OrderKey;
  rank: KeyRow;
  previous: KeyRow | undefined;
  total: KeyRow | undefined;
  /** If equal values share a display rank: the place before all of them, or that of the value among the values. */
  shown: KeyRow | undefined;
}

interface Ranks {
  rank: number;
  /** The display rank: if equal values share one, that of the first of them, or the number of better values + 1. */
  displayRank: number;
  /** The entry's rank before the submission; null: there was no entry, or the rank is not requested. */
  previousRank: number | null;
  /** Entries of the ranking; null: not requested. */
  total: number | null;
}

/** Behind every entry, so that all entries are before it. */
const BEHIND_ALL: OrderKey = { rankKey: Number.POSITIVE_INFINITY, seq: Number.MAX_SAFE_INTEGER };

/**
 * The keys at which a batch changes the rankings of one board, its own and those of its views, and the places for
 * the responses: those after the batch, by arithmetic, because looking up every key again in the counted tree would
 * cost more than anything else a batch does.
 */
export class BatchRanks {
  readonly #populations = new Map<string, Population>();
  readonly #courses = new Map<string, Course>();
  readonly #requests = new Map<RankingMove, Request>();

  /** @param rows keys of the whole batch; this board's are appended */
  constructor(
    private readonly part: BoardPart,
    private readonly rows: KeyRow[],
  ) {
    for (const one of part.decided) for (const move of one.decision.moves) this.#follow(one, move);
    for (const { population, origin, last } of this.#courses.values()) {
      if (origin && compareKeys(origin, last) === 0) continue;
      this.#row(population, last).d += 1;
      population.added.push(last);
      if (!origin) continue;
      this.#row(population, origin).d -= 1;
      population.removed.push(origin);
    }
    for (const { added, removed } of this.#populations.values()) {
      added.sort(compareKeys);
      removed.sort(compareKeys);
    }
    for (const one of part.decided) for (const move of one.decision.moves) this.#request(one, move);
  }

  /**
   * @param aheads entries before each key of the batch, before the batch
   * @returns undefined: the response does not show it
   */
  after(move: RankingMove, aheads: readonly (number | null)[]): Ranks | undefined {
    const request = this.#requests.get(move);
    if (!request) return undefined;
    const { population, course, key, rank, previous, total, shown } = request;
    const after = (at: OrderKey, { n }: KeyRow) =>
      aheads[n]! + countBefore(population.added, at) - countBefore(population.removed, at);
    // An entry is not ahead of itself, neither at its place before the batch nor afterwards.
    const isAhead = (at: OrderKey) => Number(course !== undefined && isBefore(course.last, at));
    const place = 1 + after(key, rank) - isAhead(key);
    let displayRank = place;
    if (shown && move.ties === 'competition') {
      const first = firstOf(key);
      displayRank = 1 + after(first, shown) - isAhead(first);
    } else if (shown) {
      // Counted after the batch. If the player's own next submission replaced this value, the new one is among the
      // better ones.
      displayRank = Math.min(place, 1 + aheads[shown.n]!);
    }
    const wasAhead = course?.origin != null && move.before != null && isBefore(course.origin, move.before);
    return {
      rank: place,
      displayRank,
      previousRank: previous ? 1 + aheads[previous.n]! - Number(wasAhead) : null,
      total: total ? after(BEHIND_ALL, total) : null,
    };
  }

  #follow({ item: { isTest } }: Decided, { ranking, before, entry, hidden }: RankingMove): void {
    if (!ranking || !entry || hidden) return;
    const id = `${ranking.generation} ${isTest} ${entry.slot}`;
    const course = this.#courses.get(id);
    if (course) course.last = entry;
    else {
      const population = this.#population(ranking.generation, isTest);
      this.#courses.set(id, { population, origin: before ?? null, last: entry });
    }
  }

  #request({ item }: Decided, move: RankingMove): void {
    const { ranking, placement, before, entry, ties, slot } = move;
    const key = entry ?? before;
    if (!ranking || !key) return;
    const { wantedViews } = item;
    if (placement && (placement.built || !(wantedViews === 'all' || wantedViews?.includes(placement.name))))
      return;
    const population = this.#population(ranking.generation, item.isTest);
    this.#requests.set(move, {
      ...{ population, move, key, course: this.#courses.get(`${ranking.generation} ${item.isTest} ${slot}`) },
      rank: this.#counted(population, key),
      previous:
        before && (placement || item.wantPreviousRank) ? this.#counted(population, before) : undefined,
      total: placement && this.#counted(population, BEHIND_ALL),
      shown:
        ties === 'competition'
          ? this.#counted(population, firstOf(key))
          : ties === 'dense'
            ? this.#counted(population, firstOf(key), valuesGeneration(ranking.generation))
            : undefined,
    });
  }

  #population(generation: number, isTest: boolean): Population {
    const id = `${generation} ${isTest}`;
    const known = this.#populations.get(id);
    if (known) return known;
    const population: Population = { generation, isTest, added: [], removed: [], rows: new Map() };
    this.#populations.set(id, population);
    return population;
  }

  #counted(population: Population, key: OrderKey, generation = population.generation): KeyRow {
    const row = this.#row(population, key, generation);
    row.counted = true;
    return row;
  }

  #row({ isTest, rows, generation: own }: Population, { rankKey, seq }: OrderKey, generation = own): KeyRow {
    const equal = rows.get(seq);
    const known = equal?.find((row) => row.key === rankKey && row.generation === generation);
    if (known) return known;
    const row: KeyRow = {
      n: this.rows.length,
      board_id: this.part.boardId,
      generation,
      is_test: isTest,
      key: rankKey,
      seq,
      d: 0,
      counted: false,
    };
    this.rows.push(row);
    if (equal) equal.push(row);
    else rows.set(seq, [row]);
    return row;
  }
}
