import type { ToldEntry } from './standings.js';

/** A player, as `player.overtaken` reports it. */
export interface OvertakenPlayer {
  overtaken: ToldEntry;
  previousRank: number;
  /** The first of the players who passed. */
  by: ToldEntry;
}

/**
 * The players of the former order whom somebody passed: somebody who was behind them or nowhere, and is ahead now. Players who
 * left, or fell further than `now` goes, are left out.
 * @param before bare uuids of players, from the first on
 */
export function overtakenIn(before: readonly string[], now: readonly ToldEntry[]): OvertakenPlayer[] {
  const first = new Map<string, ToldEntry>();
  for (const entry of now) if (!first.has(entry.identity_id)) first.set(entry.identity_id, entry);
  const placeBefore = new Map(before.map((id, place) => [id, place]));
  const order = [...first.values()];
  return before.flatMap((id, place) => {
    const overtaken = first.get(id);
    if (!overtaken) return [];
    const by = order
      .slice(0, order.indexOf(overtaken))
      .find((entry) => (placeBefore.get(entry.identity_id) ?? before.length) > place);
    return by ? [{ overtaken, previousRank: place + 1, by }] : [];
  });
}
