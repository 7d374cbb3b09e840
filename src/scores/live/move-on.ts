import { isBefore, type OrderKey } from '../order.js';
import { countBefore } from '../rank-shift.js';
import { type Standing, UNKNOWN } from './standings.js';

/** Effect of a submission on the order of its population. */
export interface Move {
  identityId: string;
  /** The key that was removed; null: none was. */
  from: OrderKey | null;
  to: OrderKey;
}

export interface MovedOn {
  /** In board order; unchanged standings are the same objects. */
  standings: Standing[];
  /** The changed standings. */
  changed: Standing[];
  /** Changed standings whose next one above left or was displaced by another: the next one above has to be looked up. */
  besides: Standing[];
}

/** Written out, as thousands are made per tick: a generic copy looks up every property. */
function atRank(
  { identityId, value, valueDisplay, playerName, above, rankKey, seq }: Standing,
  rank: number,
): Standing {
  return { identityId, rank, rankKey, seq, value, valueDisplay, playerName, above, mark: UNKNOWN };
}

/**
 * Applies moves to ranks: no player has to be looked up for the moves of others. Costs one search per move, and one pass.
 * @param order players in board order, without the players of the moves
 */
export function moveOn(order: readonly Standing[], moves: readonly Move[]): MovedOn {
  // Change of rank from a place on.
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
    // Only the first player behind the key: for each later one, the next one above does not change.
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
