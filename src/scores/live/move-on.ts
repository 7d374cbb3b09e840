import { isBefore, type OrderKey } from '../order.js';
import { countBefore } from '../rank-shift.js';
import { type Standing, UNKNOWN } from './standings.js';

/** What a submission did to the order of its population. */
export interface Move {
  identityId: string;
  /** The key that left; null: none did. */
  from: OrderKey | null;
  to: OrderKey;
}

export interface MovedOn {
  /** In their order; those that have not changed are the same objects. */
  standings: Standing[];
  /** The others. */
  changed: Standing[];
  /** Those of them whose next one above left, or somebody came between: it is to be looked up. */
  besides: Standing[];
}

/** Written out, as thousands are made a tick: what copies any object looks up every property. */
function atRank(
  { identityId, value, valueDisplay, playerName, above, rankKey, seq }: Standing,
  rank: number,
): Standing {
  return { identityId, rank, rankKey, seq, value, valueDisplay, playerName, above, mark: UNKNOWN };
}

/**
 * Moves ranks on by what happened: no player has to be looked up for what others did. Costs a search a move, and one pass.
 * @param order players in the board's order, without those of the moves
 */
export function moveOn(order: readonly Standing[], moves: readonly Move[]): MovedOn {
  // By how much ranks change from a place on.
  const shifts = new Int32Array(order.length + 1);
  const besides = new Set<number>();
  for (const { from, to } of moves) {
    if (from) {
      const place = countBefore(order, from);
      shifts[place]! -= 1;
      const above = order[place]?.above;
      if (above?.seq === from.seq && above.rankKey === from.rankKey) besides.add(place);
    }
    const place = countBefore(order, to);
    shifts[place]! += 1;
    // Only the first behind: whoever stands behind that one has it, or another in front of it, above.
    const next = order[place];
    if (next && !(next.above && isBefore(to, next.above))) besides.add(place);
  }
  const moved: MovedOn = { standings: [], changed: [], besides: [] };
  let shift = 0;
  for (let place = 0; place < order.length; place += 1) {
    shift += shifts[place]!;
    const isBeside = besides.has(place);
    const standing = order[place]!;
    if (shift === 0 && !isBeside) {
      moved.standings.push(standing);
      continue;
    }
    const now = atRank(standing, standing.rank + shift);
    moved.standings.push(now);
    moved.changed.push(now);
    if (isBeside) moved.besides.push(now);
  }
  return moved;
}
