import type { BoardPart, Decided } from '../decide/batch.js';
import type { BatchViews } from '../decide/moves.js';
import type { SubmissionStanding } from '../facts/submission.js';
import type { BatchRanks } from './ranks.js';

/**
 * The places in rankings of views shown in the response to a submission. @param aheads as of {@link
 * BatchRanks.after}
 */
function standingsOf(
  { item: { wantedViews }, decision }: Decided,
  views: BatchViews,
  ranks: BatchRanks,
  aheads: readonly (number | null)[],
): SubmissionStanding[] {
  const moves = new Map(decision.moves.map((move) => [move.placement?.index, move]));
  return views.present.flatMap(({ view: { name, rules }, period: { key } }, index) => {
    if (rules || (wantedViews !== 'all' && !wantedViews!.includes(name))) return [];
    const move = moves.get(index);
    const place = move && ranks.after(move, aheads);
    const nothing = {
      view: name,
      key,
      group: move?.placement?.group ?? null,
      ranking: null,
      rank: null,
      displayRank: null,
    };
    if (!move || !place) {
      const reason = move && views.isLeftOut(move) ? ('TOO_MANY_GROUPS' as const) : null;
      return { ...nothing, total: null, previousRank: null, improved: false, reason };
    }
    const improved = move.entry !== undefined;
    return { ...nothing, ...place, total: place.total!, ranking: move.ranking!.no, improved, reason: null };
  });
}

/** Sets them in the results. */
export function addStandings(part: BoardPart, ranks: BatchRanks, aheads: readonly (number | null)[]): void {
  if (!part.views) return;
  for (const one of part.decided) {
    const result = part.results[one.index];
    if (one.item.wantedViews && result && 'score' in result)
      result.standings = standingsOf(one, part.views, ranks, aheads);
  }
}
