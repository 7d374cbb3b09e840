import type { EntryAfter, EntryBefore, KeepRules } from '../../rankings/kept-entry.js';
import { isHidden, keptEntry, rankKeyOf } from '../../rankings/kept-entry.js';
import { placedSeq } from '../../rankings/order.js';
import { isWithin, type Placement, type PresentView, placementsOf, presentViews } from '../facts/places.js';
import {
  type BegunRanking,
  type BoardViews,
  type Ranking,
  type RankingKey,
  rankingId,
  statesOf,
  type ViewEntries,
} from '../facts/rankings.js';
import type { Submission } from '../facts/submission.js';
import type { RankingMove } from './move.js';

/** The effect on a ranking of a view, which may have to be started. */
type ViewMove = Omit<RankingMove, 'ranking' | 'placement'> & {
  placement: Placement;
  ranking: Ranking | null | undefined;
};

interface Named {
  display_name: string | null;
}

/** The facts of a submission that decide its rankings. */
interface Origin {
  device_platform: string | null;
  player_tags: Readonly<Record<string, string | null>> | null;
}

/** Entries a batch must look up for a submission. */
interface ViewProbe {
  /** Generation of the ranking in which it is looked up first. */
  first: number;
  rest: number[];
  /** For each in `rest`: true if it only matters when the submission beats the entry in `first`. */
  implied: boolean[];
}

/** The views of a board at the time of a batch. */
export class BatchViews {
  /** Live views that have a period at that time. */
  readonly present: readonly PresentView[];
  /** By finer view, then coarser view. */
  readonly #within: boolean[][];
  readonly #placements = new Map<string, Placement[]>();
  readonly #tags: string[];
  readonly #begun: BegunRanking[] = [];
  /** Rankings the batch starts, by {@link Placement.id}. */
  readonly #states = new Map<string, Ranking>();
  /** How many more groups may start, by view and period. */
  readonly #room = new Map<string, number>();
  #newest: number;

  /**
   * @param at epoch milliseconds
   * @param newest the lowest ranking number
   */
  constructor(
    private readonly views: BoardViews,
    private readonly at: number,
    newest: number,
  ) {
    // Finer ones first: if one is not improved, the coarser ones can be skipped.
    this.present = presentViews(views.list, at).sort(
      (a, b) =>
        Number(isWithin(b, a)) - Number(isWithin(a, b)) || spanOf(a) - spanOf(b) || a.view.no - b.view.no,
    );
    this.#within = this.present.map((finer) =>
      this.present.map((coarser) => finer !== coarser && isWithin(finer, coarser)),
    );
    this.#tags = [...new Set(views.list.flatMap(({ by }) => by))];
    this.#newest = newest;
  }

  /** The lowest ranking number after the batch. */
  get newest(): number {
    return this.#newest;
  }

  /** Rankings the batch starts. */
  get begun(): BegunRanking[] {
    return this.#begun;
  }

  /** The rankings that a submission is in. */
  placements(item: Submission, { device_platform, player_tags }: Origin): Placement[] {
    const { country } = item.place;
    const tags = { ...item.tags, ...player_tags, platform: device_platform };
    const id = this.#tags.map((tag) => (tag === 'country' ? country : tags[tag as 'platform'])).join();
    const known = this.#placements.get(id);
    if (known) return known;
    const found = placementsOf(this.present, { at: this.at, country, tags });
    this.#placements.set(id, found);
    return found;
  }

  /** Called for a group of the period that has not started. @param room how many more may, before the batch */
  setRoom({ view, period }: RankingKey, room: number): void {
    this.#room.set(`${view} ${period}`, room);
  }

  /** How many groups the submission would start if it counts. */
  newGroups(item: Submission, origin: Origin): number {
    const begins = this.placements(item, origin).filter(({ id, view, period, group }) => {
      if (group === '' || this.#states.has(id) || this.views.rankings.get(id) !== 'none') return false;
      return (this.#room.get(`${view} ${period}`) ?? 0) > 0;
    });
    // A view may be served and built at the same time.
    return new Set(begins.map((place) => rankingId({ ...place, built: false }))).size;
  }

  /** Unknown entries the decision needs. Their rankings were looked up. */
  missing(
    board: KeepRules,
    known: ViewEntries | undefined,
    item: Submission,
    origin: Origin,
  ): ViewProbe | undefined {
    const spares = canSpare(board, item);
    const wanted: { index: number; generation: number }[] = [];
    const beaten: number[] = [];
    for (const { id, index } of this.placements(item, origin)) {
      if ((this.present[index]!.view.rules ?? board).board_type === 'run_runs') continue;
      const ranking = this.views.rankings.get(id);
      if (typeof ranking !== 'object') continue;
      const entry = known?.get(ranking.generation);
      if (entry === undefined) {
        if (!beaten.some((finer) => this.#within[finer]![index]))
          wanted.push({ index, generation: ranking.generation });
      } else if (spares && entry && !(keyOf(item, board) < entry.rankKey)) beaten.push(index);
    }
    if (wanted.length === 0) return undefined;
    const [first, ...rest] = wanted as [(typeof wanted)[0]];
    return {
      first: first.generation,
      rest: rest.map(({ generation }) => generation),
      implied: rest.map(({ index }) => spares && this.#within[first.index]![index]!),
    };
  }

  /**
   * The effect of a counting submission on each of its rankings.
   * @param alone the entry the submission alone would make on a board with one entry per player
   * @throws DomainError BAD_REQUEST when a counter's sum cannot hold the delta
   */
  decide(
    board: KeepRules,
    known: ViewEntries | undefined,
    item: Submission,
    origin: Origin,
    alone: EntryAfter,
  ): RankingMove[] {
    const spares = canSpare(board, item);
    const beaten: number[] = [];
    const moves = this.placements(item, origin).map((placement): ViewMove => {
      const { view } = this.present[placement.index]!;
      const rules = view.rules ?? board;
      const fresh = freshIn(rules, view.ties, item, alone);
      const begun = this.#states.get(placement.id);
      const state = begun ?? this.views.rankings.get(placement.id);
      if (state === undefined) throw new Error(`the ranking ${placement.id} was not looked up`);
      const { ties } = view;
      const { slot } = fresh;
      if (state === 'shut' || state === 'full' || (state === 'none' && !this.#hasRoom(placement)))
        return { placement, ties, slot, ranking: null, before: null, stored: false, entry: undefined };
      if (state === 'none')
        return { placement, ties, slot, ranking: undefined, before: null, stored: false, entry: fresh };
      const found = rules.board_type === 'run_runs' ? null : known?.get(state.generation);
      const row = begun ? (found ?? null) : found;
      // The board's own ranking, while it is built, hides entries of players of whom nothing counts.
      const before = row && isHidden(row) ? null : row;
      const stored = !!row;
      if (spares && beaten.some((finer) => this.#within[finer]![placement.index])) {
        return { placement, ties, slot, ranking: state, before, stored, entry: undefined };
      }
      if (before === undefined) throw new Error(`the entry in ranking ${state.no} was not looked up`);
      const entry = keptEntry(rules, before ?? undefined, fresh);
      if (entry !== before)
        return { placement, ties, slot, ranking: state, before, stored, entry: entry as EntryAfter };
      if (spares) beaten.push(placement.index);
      return { placement, ties, slot, ranking: state, before, stored, entry: undefined };
    });
    // Numbers are assigned once nothing can refuse the submission.
    for (const move of moves) if (move.ranking === undefined) move.ranking = this.#begin(move.placement);
    return moves as RankingMove[];
  }

  /**
   * The rankings of a run that is held, which starts none: those of its player's entries, for the response; and the
   * board's own one while it is built, where a player without an entry gets a hidden one.
   * @param alone as of `decide`
   */
  hold(
    board: KeepRules,
    known: ViewEntries | undefined,
    item: Submission,
    origin: Origin & Named,
    alone: EntryAfter,
  ): RankingMove[] {
    return this.placements(item, origin).flatMap((placement): RankingMove | [] => {
      const { view } = this.present[placement.index]!;
      const rules = view.rules ?? board;
      const ranking = this.#states.get(placement.id) ?? this.views.rankings.get(placement.id);
      if (typeof ranking !== 'object') return [];
      const { ties } = view;
      const { slot } = freshIn(rules, ties, item, alone);
      const row = rules.board_type === 'run_runs' ? null : known?.get(ranking.generation);
      const before = row && isHidden(row) ? null : row;
      const move = { placement, ties, slot, ranking, before, stored: !!row, entry: undefined };
      // Not looked up where the player has a better one anyway.
      if (view.no !== 0 || before || row === undefined) return move;
      const entry = hiddenIn(rules, ties, item, alone, row ?? undefined, origin);
      return entry === row ? move : { ...move, entry: entry as EntryAfter, hidden: true };
    });
  }

  #hasRoom({ view, period, group }: Placement): boolean {
    return group === '' || this.#room.get(`${view} ${period}`)! > 0;
  }

  /** True if the submission is left out because its view has no room for the group. */
  isLeftOut({ ranking, placement }: RankingMove): boolean {
    return ranking === null && placement !== undefined && this.views.rankings.get(placement.id) !== 'shut';
  }

  #begin({ id, view, period, group }: Placement): Ranking {
    const known = this.#states.get(id);
    if (known) return known;
    const isBuilt = this.present.some(({ view: { no, rules } }) => no === view && rules !== null);
    const place = `${view} ${period}`;
    if (group !== '') this.#room.set(place, this.#room.get(place)! - 1);
    const no = this.#newest - 1;
    const next = isBuilt ? no - 1 : undefined;
    this.#newest = next ?? no;
    const begun = { view, period, group, no, next };
    this.#begun.push(begun);
    for (const [key, state] of statesOf(begun)) this.#states.set(key, state);
    return this.#states.get(id)!;
  }
}

/** The entry by the ranking's rules, including its order among equal values. */
function freshIn(rules: KeepRules, ties: string, item: Submission, alone: EntryAfter): EntryAfter {
  const seq = placedSeq(alone.eventSeq, ties);
  const rankKey = rankKeyOf(item.amount, rules.sort_direction);
  if (rules.board_type === 'run_runs')
    return { ...alone, seq, rankKey, slot: alone.eventId, id: alone.eventId };
  return seq === alone.seq && rankKey === alone.rankKey ? alone : { ...alone, seq, rankKey };
}

/**
 * The hidden entry of a held run in a board's own ranking, as `rederive` makes it; `before` itself if unchanged.
 * @param before the player's hidden entry
 */
export function hiddenIn<B extends EntryBefore>(
  rules: KeepRules,
  ties: string,
  item: Submission,
  alone: EntryAfter,
  before: B | undefined,
  { display_name }: Named,
): B | EntryAfter {
  const fresh: EntryAfter = { ...freshIn(rules, ties, item, alone), status: 'provisional' };
  if (rules.board_type === 'run_runs') return fresh;
  const named = { ...fresh, playerName: (!item.isTest && display_name) || fresh.playerName };
  return keptEntry(rules, before?.status === 'provisional' ? before : undefined, named);
}

function spanOf({ period }: PresentView): number {
  return period.endsAt - period.startsAt;
}

/** The tags stored with the event; undefined: none. */
export function tagsOf(
  views: BoardViews | null,
  item: Submission,
  { device_platform, player_tags }: Origin,
): Record<string, string | null> | undefined {
  if (!views?.platform) return player_tags ? { ...item.tags, ...player_tags } : (item.tags ?? undefined);
  return { ...item.tags, ...player_tags, platform: device_platform || null };
}

/** On boards that keep the best, one that is not beaten in a ranking is not beaten in one that contains it. */
function canSpare({ keep_strategy, board_type }: KeepRules, item: Submission): boolean {
  return keep_strategy === 'best' && board_type === 'run_identity' && !item.wantedViews;
}

function keyOf({ amount }: Submission, { sort_direction }: KeepRules): number {
  return sort_direction === 'asc' ? amount : 0 - amount;
}

/** Rankings in which the player's entries are known: a player may switch between groups. */
const MOST_ENTRIES = 32;

/** The player's entries after a submission. */
export function viewsAfter(known: ViewEntries | undefined, moves: readonly RankingMove[]): ViewEntries {
  const after = new Map(known && known.size < MOST_ENTRIES ? known : undefined);
  for (const { placement, ranking, before, entry } of moves) {
    if (!placement || !ranking) continue;
    if (entry) {
      const { value, rankKey, seq, status, createdAt, updatedAt } = entry;
      after.set(ranking.generation, { value, rankKey, seq, status, createdAt, updatedAt });
    } else if (before !== undefined) after.set(ranking.generation, before);
  }
  return after;
}
