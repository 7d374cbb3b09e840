import type { EntryAfter } from '../../rankings/kept-entry.js';
import { compareKeys, isBefore, type OrderKey } from '../../rankings/order.js';
import type { HeldRun, Submission } from '../facts/submission.js';
import type { Decided } from './batch.js';
import { type BoardFacts, type Decision, type Facts, knownEntry } from './decide.js';
import { type BatchViews, hiddenIn } from './moves.js';

/** An entry of the ranking's top. `slot` is a bare uuid. */
export interface TopEntry extends OrderKey {
  slot: string;
}

/**
 * The first entries of a board's own ranking in one population, as the submissions decided so far leave them. Each of
 * them removes one at most, so `n` and the number of submissions in the batch are read to know the first `n` for all of it.
 */
export class Top {
  readonly #entries: TopEntry[];
  /** Behind it, entries are unknown; undefined: all are known. */
  readonly #end: OrderKey | undefined;
  #taken = 0;

  /** @param entries the first `most`, best first */
  constructor(entries: TopEntry[], most: number) {
    this.#entries = entries;
    this.#end = entries.length < most ? undefined : entries.at(-1);
  }

  /** The rank of an entry that replaces the one of its slot; undefined: behind the known ones. */
  rankOf(entry: TopEntry): number | undefined {
    if (this.#end && !isBefore(entry, this.#end)) return undefined;
    return 1 + this.#entries.filter((one) => one.slot !== entry.slot && isBefore(one, entry)).length;
  }

  /** @param decided all submissions decided so far, of both populations */
  follow(decided: readonly Decided[], isTest: boolean): void {
    for (const { item, decision } of decided.slice(this.#taken)) {
      const { entry, hidden } = decision.moves[0];
      if (item.isTest !== isTest || !entry || hidden) continue;
      const at = this.#entries.findIndex(({ slot }) => slot === entry.slot);
      if (at >= 0) this.#entries.splice(at, 1);
      if (this.#end && !isBefore(entry, this.#end)) continue;
      const place = this.#entries.findIndex((one) => compareKeys(one, entry) > 0);
      this.#entries.splice(place < 0 ? this.#entries.length : place, 0, entry);
    }
    this.#taken = decided.length;
  }
}

/** Columns of {@link Facts} about the event of the player's entry. */
export type ShownEvent = Pick<
  Facts,
  'entry_event_id' | 'entry_device_id' | 'entry_metadata' | 'entry_city' | 'entry_country' | 'entry_timezone'
>;

/** True if the decision moves an entry, so that the run may have to be held. */
export function movesEntry({ moves: [own] }: Decision): boolean {
  return own.entry !== undefined && (!own.before || compareKeys(own.entry, own.before) !== 0);
}

/**
 * The effect of a run that is held: an event that is ranked nowhere. A player without an entry gets a hidden one.
 * @param facts with the event of the player's ranked entry
 * @param counting its effect if it counted
 */
export function hold(
  board: BoardFacts,
  facts: Facts,
  item: Submission,
  counting: Decision,
  held: HeldRun,
  views: BatchViews | undefined,
): Decision {
  const { alone, moves } = counting;
  const [own] = moves;
  const decision = {
    ...counting,
    held,
    disposition: 'held' as const,
    bestValue: facts.best_value,
    stateValue: null,
    // A run that is not ranked names only players without a name.
    rename: counting.rename && !facts.display_name,
    changed: false,
    personalBest: false,
    oldKey: null,
  };
  const others = views?.hold(board, facts.views, item, facts, alone) ?? [];
  const known = facts.entry_event_seq === null ? undefined : knownEntry(facts, item);
  if (board.board_type !== 'run_runs' && facts.entry_ranked)
    return { ...decision, entry: known!, moves: [{ ...own, entry: undefined }, ...others] };
  const entry = hiddenIn(board, board.tie_policy, item, alone, known, facts) as EntryAfter;
  return { ...decision, entry, moves: [{ ...own, before: null, entry, hidden: true }, ...others] };
}
