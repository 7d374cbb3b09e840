import { notFound } from '../../../base/errors.js';
import { renderBoardPage } from '../board/board-page.js';
import { type BoardPlace, boardPage, factsOf } from '../board/board-visit.js';
import type { OfRanking, PageBoard } from '../queries.js';
import { rankHref, type ShownScore } from '../ranking.js';
import { redirectTo, SHORTLY, type SharedPages, sendPage } from '../send.js';
import { ownQuery, rankingQuery, shownRanking } from '../views/address.js';
import { rankingVariables, readView } from '../views/reads.js';
import type { Visit } from '../visit.js';

/** The board that an address names, for the turns of boards: one of two addresses has two. */
export function turnOf(place: BoardPlace): string {
  return place.kind === 'code' ? place.code : `${place.game}/${place.board}`;
}

/** A board's page, and the ways to a part of it: a rank and a player. */
export async function visitBoard(visit: Visit, place: BoardPlace, pages: SharedPages): Promise<void> {
  const { ctx, run, view } = visit;
  if (view.rank === undefined && view.player === undefined) {
    const id = JSON.stringify([ctx.path, view]);
    return pages.send({ id, board: turnOf(place), ctx, make: () => boardPage(visit, place) });
  }
  const facts = await factsOf(run, place);
  if (view.rank === undefined) return visitPlayers(visit, facts, view.player!);
  redirectTo(
    ctx,
    rankHref(Math.min(view.rank, Math.max(1, facts.ranking.entryCount)), view.size, ownQuery(facts)),
  );
}

/** The players that a search found, and how many the ranking has. */
interface FoundPlayers {
  found: ShownScore[];
  entryCount: number;
}

async function visitPlayers(
  { ctx, run, view, frame, now }: Visit,
  facts: PageBoard,
  name: string,
): Promise<void> {
  const { shortCode: code } = facts;
  const place = shownRanking(facts, view);
  const of = place && (await readView(run, facts, place, now, () => notFound('View')));
  const variables = { code, name, ...(of && rankingVariables(of)) };
  const { ranking } = await run<OfRanking<FoundPlayers>>('Players', 'publicBoard', variables);
  const { found, entryCount } = ranking;
  const [only, ...others] = found;
  const query = place ? rankingQuery(place) : ownQuery(facts);
  if (only && others.length === 0) return redirectTo(ctx, rankHref(only.rank, view.size, query));
  ctx.set('cache-control', SHORTLY);
  const shown = { scores: [], entryCount, found, ranking: of };
  await sendPage(ctx, 200, renderBoardPage(frame, facts, view, shown));
}
