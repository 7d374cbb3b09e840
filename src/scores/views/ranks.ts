import type { TiePolicy } from '../../boards/board/tie-policy.js';
import { compareKeys, countBefore, firstOf, isBefore, type OrderKey, valuesGeneration } from '../order.js';
import type { BoardPart, Decided } from '../submit/batch.js';
import type { SubmissionStanding } from '../submit/submission.js';
import type { KeyRow } from '../submit/write/ranks.js';
import type { BatchViews, ViewMove } from './decide.js';

/** Behind every entry: as many stand before it as there are. */
const BEHIND_ALL: OrderKey = { rankKey: Number.POSITIVE_INFINITY, seq: Number.MAX_SAFE_INTEGER };

/** One entry of a ranking during a batch. */
interface Course {
  generation: number;
  isTest: boolean;
  /** Its key before the batch; null: there was no entry. */
  origin: OrderKey | null;
  /** Its key after the batch. */
  last: OrderKey;
}

/** A standing that an answer has; numbers of rows in the batch's keys. */
interface Request {
  decided: Decided;
  move: ViewMove;
  /** The entry's key after the submission, and before it. */
  key: OrderKey;
  rank: KeyRow;
  previous: KeyRow | undefined;
  total: KeyRow;
  /** Where equal values share a rank to show: the place before them all, or that of the value among the values. */
  shown: KeyRow | undefined;
  ties: TiePolicy;
}

/** The keys at which a batch changes the rankings of a board's views, and the standings that answers have in them. */
export class ViewRanks {
  readonly #courses = new Map<string, Course>();
  readonly #requests = new Map<ViewMove, Request>();
  /** Ascending keys that the batch adds and removes, by ranking and population; made where a standing is requested. */
  #shifts: Map<string, Shift> | undefined;

  /** @param rows keys of the whole batch; those of the views are appended */
  constructor(
    private readonly part: BoardPart,
    private readonly views: BatchViews,
    private readonly rows: KeyRow[],
  ) {
    for (const one of part.decided) {
      for (const move of one.decision.views ?? []) this.#follow(one, move);
    }
    for (const { generation, isTest, origin, last } of this.#courses.values()) {
      if (origin && compareKeys(origin, last) === 0) continue;
      this.#row(generation, isTest, last, 1, false);
      if (origin) this.#row(generation, isTest, origin, -1, false);
    }
    for (const one of part.decided) if (one.item.standings) this.#request(one);
  }

  #follow({ item: { isTest } }: Decided, { ranking, before, entry }: ViewMove): void {
    if (!ranking || !entry) return;
    const { generation } = ranking;
    const id = `${generation} ${isTest} ${entry.slot}`;
    const course = this.#courses.get(id);
    if (course) course.last = entry;
    else this.#courses.set(id, { generation, isTest, origin: before ?? null, last: entry });
  }

  #request(decided: Decided): void {
    const { isTest, standings } = decided.item;
    for (const move of decided.decision.views ?? []) {
      const { ranking, before, entry, placement } = move;
      if (standings !== 'all' && !standings!.includes(placement.name)) continue;
      const key = entry ?? before;
      if (!ranking || !key) continue;
      const row = (at: OrderKey) => this.#row(ranking.generation, isTest, at, 0, true);
      const previous = before && entry ? row(before) : undefined;
      const { ties } = this.views.present[placement.index]!.view;
      this.#requests.set(move, {
        ...{ decided, move, key, rank: row(key), previous, total: row(BEHIND_ALL), ties },
        shown: this.#shownRow(ranking.generation, isTest, key, ties),
      });
    }
  }

  #shownRow(generation: number, isTest: boolean, key: OrderKey, ties: TiePolicy): KeyRow | undefined {
    if (ties === 'competition') return this.#row(generation, isTest, firstOf(key), 0, true);
    if (ties === 'dense') return this.#row(valuesGeneration(generation), isTest, firstOf(key), 0, true);
    return undefined;
  }

  #row(generation: number, isTest: boolean, { rankKey, seq }: OrderKey, d: number, counted: boolean): KeyRow {
    const { boardId } = this.part;
    const n = this.rows.length;
    const row: KeyRow = { n, board_id: boardId, generation, is_test: isTest, key: rankKey, seq, d, counted };
    this.rows.push(row);
    return row;
  }

  /** Sets the standings of the answers. @param aheads entries before each key of the batch, before the batch */
  answer(aheads: readonly (number | null)[]): void {
    for (const one of this.part.decided) {
      const { standings } = one.item;
      const result = this.part.results[one.index];
      if (standings && result && 'score' in result) result.standings = this.#standingsOf(one, aheads);
    }
  }

  #standingsOf(one: Decided, aheads: readonly (number | null)[]): SubmissionStanding[] {
    const { standings } = one.item;
    const moves = new Map((one.decision.views ?? []).map((move) => [move.placement.index, move]));
    return this.views.present.flatMap(({ view: { name, served }, period: { key } }, index) => {
      if (!served || (standings !== 'all' && !standings!.includes(name))) return [];
      const move = moves.get(index);
      const request = move && this.#requests.get(move);
      const nothing = {
        view: name,
        key,
        group: move?.placement.group ?? null,
        ranking: null,
        rank: null,
        displayRank: null,
      };
      if (!move || !request) {
        const reason = move ? ('TOO_MANY_GROUPS' as const) : null;
        return { ...nothing, total: null, previousRank: null, improved: false, reason };
      }
      return {
        ...nothing,
        ...this.#ranks(request, aheads),
        ranking: move.ranking!.no,
        improved: move.entry !== undefined,
        reason: null,
      };
    });
  }

  #ranks(
    { decided, move, key, rank, previous, total, shown, ties }: Request,
    aheads: readonly (number | null)[],
  ) {
    const { generation } = move.ranking!;
    const { isTest } = decided.item;
    const own = this.#courses.get(`${generation} ${isTest} ${decided.decision.entry.slot}`);
    const shift = this.#shiftOf(generation, isTest);
    const after = (at: OrderKey, { n }: KeyRow) =>
      aheads[n]! + (shift ? countBefore(shift.added, at) - countBefore(shift.removed, at) : 0);
    // An entry is not ahead of itself, where it stood before the batch and where it stands afterwards.
    const isAhead = own !== undefined && isBefore(own.last, key);
    const before = move.before ?? null;
    const wasAhead = own?.origin != null && before !== null && isBefore(own.origin, before);
    const place = 1 + after(key, rank) - Number(isAhead);
    let displayRank = place;
    if (shown && ties === 'competition') {
      const first = firstOf(key);
      displayRank = 1 + after(first, shown) - Number(own !== undefined && isBefore(own.last, first));
    } else if (shown) {
      // Counted after the batch, as on the board (submit/write/ranks.ts).
      displayRank = Math.min(place, 1 + aheads[shown.n]!);
    }
    const previousAhead = previous ? aheads[previous.n]! : aheads[rank.n]!;
    return {
      rank: place,
      displayRank,
      total: after(BEHIND_ALL, total),
      previousRank: before ? 1 + previousAhead - Number(wasAhead) : null,
    };
  }

  #shiftOf(generation: number, isTest: boolean): Shift | undefined {
    this.#shifts ??= shiftsOf(this.#courses.values());
    return this.#shifts.get(`${generation} ${isTest}`);
  }
}

interface Shift {
  added: OrderKey[];
  removed: OrderKey[];
}

function shiftsOf(courses: Iterable<Course>): Map<string, Shift> {
  const shifts = new Map<string, Shift>();
  for (const { generation, isTest, origin, last } of courses) {
    const id = `${generation} ${isTest}`;
    const shift = shifts.get(id) ?? { added: [], removed: [] };
    shifts.set(id, shift);
    shift.added.push(last);
    if (origin) shift.removed.push(origin);
  }
  for (const { added, removed } of shifts.values()) {
    added.sort(compareKeys);
    removed.sort(compareKeys);
  }
  return shifts;
}
