import { firstOf, isBefore, type Move, type OrderKey, ranksAfter, valuesGeneration } from '../../order.js';
import type { BoardPart, Decided } from '../batch.js';

/** A key of a board's order: the number of entries before it is requested, or entries are added there or taken away. */
export interface KeyRow {
  n: number;
  board_id: string;
  generation: number;
  is_test: boolean;
  key: number;
  seq: number;
  /** Entries added at this key; negative: taken away. */
  d: number;
  counted: boolean;
}

/** One entry during a batch. */
interface Course {
  /** Its key before the batch; null: there was no entry. */
  origin: OrderKey | null;
  /** The newest submission of the batch that it belongs to. */
  last: Decided;
  /** True if the batch moves it. */
  moves: boolean;
}

interface Ranks {
  rank: number;
  /** The rank to show: where equal values share one, that of the first of them, or the number of better values + 1. */
  displayRank: number;
  /** The entry's rank before the submission; null: there was no entry, or the rank is not requested. */
  previous: number | null;
}

/**
 * The keys of one board whose places the answers need, and the ranks that follow from them: those after the batch, by
 * arithmetic, because looking every key up again in the counted tree costs more than anything else a batch does.
 */
export class BoardRanks {
  readonly #rows = new Map<string, KeyRow>();
  readonly #courses = new Map<string, Course>();

  /** @param rows keys of the whole batch; this board's are appended */
  constructor(
    private readonly part: BoardPart,
    private readonly rows: KeyRow[],
  ) {
    for (const one of part.decided) {
      const { entry, oldKey, changed } = one.decision;
      const course = this.#courses.get(courseOf(one));
      if (!course) this.#courses.set(courseOf(one), { origin: oldKey, last: one, moves: changed });
      else Object.assign(course, { last: one, moves: course.moves || changed });
      this.#row(one, entry).counted = true;
      if (this.#isShared) this.#row(one, firstOf(entry)).counted = true;
      if (this.#isDense) this.#valueRow(one).counted = true;
      if (one.item.wantPreviousRank && oldKey) this.#row(one, oldKey).counted = true;
    }
    for (const { origin, last, moves } of this.#courses.values()) {
      if (!moves) continue;
      this.#row(last, last.decision.entry).d += 1;
      if (origin) this.#row(last, origin).d -= 1;
    }
  }

  /** Ranks of the decided submissions, in their order. @param aheads entries before each key of the batch, before the batch */
  after(aheads: readonly (number | null)[]): Ranks[] {
    const { decided } = this.part;
    const ahead = (one: Decided, key: OrderKey) => aheads[this.#row(one, key).n]!;
    const moves = decided.map((one): Move => {
      const { last, moves, origin } = this.#courses.get(courseOf(one))!;
      const isMove = moves && last === one;
      const { entry } = one.decision;
      return {
        isTest: one.item.isTest,
        key: entry,
        ahead: ahead(one, entry),
        added: isMove,
        removed: isMove ? origin : null,
      };
    });
    const firsts = this.#isShared
      ? decided.map((one): Move => {
          const key = firstOf(one.decision.entry);
          return { isTest: one.item.isTest, key, ahead: ahead(one, key), added: false, removed: null };
        })
      : [];
    const ranks = ranksAfter([...moves, ...firsts]);
    return decided.map((one, i) => {
      const { last, moves, origin } = this.#courses.get(courseOf(one))!;
      const { entry, oldKey } = one.decision;
      // An entry is not ahead of itself, where it stood before the batch and where it stands afterwards.
      const isAhead = moves && isBefore(last.decision.entry, entry);
      const wasAhead = origin !== null && oldKey !== null && isBefore(origin, oldKey);
      const isAheadOfEquals = moves && isBefore(last.decision.entry, firstOf(entry));
      const rank = ranks[i]! - Number(isAhead);
      const first = ranks[decided.length + i];
      let displayRank = first === undefined ? rank : first - Number(isAheadOfEquals);
      // Counted after the batch. A value with which the player's own next submission replaced this one is among the better ones.
      if (this.#isDense) displayRank = Math.min(rank, 1 + aheads[this.#valueRow(one).n]!);
      return {
        rank,
        displayRank,
        previous: one.item.wantPreviousRank && oldKey ? 1 + ahead(one, oldKey) - Number(wasAhead) : null,
      };
    });
  }

  /** True if equal values share the rank of the first of them. */
  get #isShared(): boolean {
    return this.part.board.tie_policy === 'competition';
  }

  /** True if ranks to show count values. */
  get #isDense(): boolean {
    return this.part.board.tie_policy === 'dense';
  }

  /** The value of an entry, in the ranking of values. */
  #valueRow(one: Decided): KeyRow {
    return this.#row(one, firstOf(one.decision.entry), valuesGeneration(this.part.board.generation));
  }

  #row(
    { item: { isTest } }: Decided,
    { rankKey, seq }: OrderKey,
    generation = this.part.board.generation,
  ): KeyRow {
    const id = `${generation} ${isTest} ${rankKey} ${seq}`;
    const known = this.#rows.get(id);
    if (known) return known;
    const { boardId } = this.part;
    const row: KeyRow = {
      n: this.rows.length,
      board_id: boardId,
      generation,
      is_test: isTest,
      key: rankKey,
      seq,
      d: 0,
      counted: false,
    };
    this.rows.push(row);
    this.#rows.set(id, row);
    return row;
  }
}

/** Identifies the entry that a submission concerns. */
function courseOf({ item, decision }: Decided): string {
  return `${item.isTest} ${decision.entry.slot}`;
}
