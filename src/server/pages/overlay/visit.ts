import type { ParsedUrlQuery } from 'node:querystring';
import { factsOf } from '../board/board-visit.js';
import { overlayLinkOf } from '../overlay-look.js';
import { hashOf, type SharedPages } from '../send.js';
import type { Visit } from '../visit.js';
import { overlayBuilder } from './builder.js';

/** The page that builds the link of an overlay. A view that the board does not have is ignored, as other bad parameters are. */
export function visitBuilder(
  { ctx, run, frame }: Visit,
  code: string,
  query: ParsedUrlQuery,
  pages: SharedPages,
): Promise<void> {
  const link = overlayLinkOf(query);
  const make = async () => {
    const facts = await factsOf(run, { kind: 'code', code });
    const { ranking } = link;
    const view = facts.views.find(({ name, status }) => name === ranking?.view && status === 'LIVE');
    const isServed = ranking && view?.by.every((tag) => ranking.where[tag] !== undefined);
    // An overlay shows the current period.
    const served = isServed ? { ...ranking, of: undefined } : undefined;
    const page = overlayBuilder(frame, facts, { ...link, ranking: served });
    return { etag: `W/"${hashOf(page)}"`, page: async () => page };
  };
  return pages.send({ id: JSON.stringify([ctx.path, link, frame.theme]), board: code, ctx, make });
}
