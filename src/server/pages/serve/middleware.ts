import path from 'node:path';
import type { GraphQLSchema } from 'graphql';
import type { Context, Middleware } from 'koa';
import type { Clock } from '../../../base/clock.js';
import { type DomainError, notFound, present, RETRY_AFTER_SECONDS } from '../../../base/errors.js';
import { type TurnLimits, Turns } from '../../../base/limits.js';
import type { Log } from '../../../base/log.js';
import type { ContextFactory } from '../../../graphql/context.js';
import { type VisitLimit, visitOf } from '../../admission.js';
import { FOR_EVER, sendBuilt } from '../../http/built-files.js';
import { refuseMethod } from '../../http/envelope.js';
import { accentSheet } from '../accent.js';
import { isPagePath, type PagePlace, pagePlaceOf, pageViewOf, upFrom } from '../address.js';
import { factsOf } from '../board/board-visit.js';
import { visitEmbedBuilder } from '../embed/builder.js';
import { builtGuides, guideList, guidePage } from '../guides.js';
import { builtPages, faultPage, type PageFrame, pageAssets } from '../layout.js';
import { visitBuilder } from '../overlay/visit.js';
import { flagOf, Pictures, pictureOf, type ReadPicture } from '../pictures.js';
import { PLAYER_OPERATIONS } from '../player/facts.js';
import { visitPlayer, visitPlayerPreview } from '../player/visit.js';
import { boardPreview } from '../previews/board.js';
import { Previews } from '../previews/previews.js';
import { CLOSING_OPERATIONS } from '../prizes/facts.js';
import { type GameFacts, visitorQueries } from '../queries.js';
import { SHORTLY, SharedPages, sendPage, sendWhole, setRules } from '../send.js';
import type { Visit } from '../visit.js';
import { gamePage } from './game-page.js';
import { Landing, landingPage } from './landing-page.js';
import { turnOf, visitBoard } from './visit-board.js';

interface PagesParts {
  schema: GraphQLSchema;
  contextOf: ContextFactory;
  limitVisit: VisitLimit;
  log: Log;
  clock: Clock;
  /** Short codes or ids of the boards of the first page (LANDING_BOARDS). */
  landingBoards: readonly string[];
  readPicture: ReadPicture;
  /** True once a game was created. */
  hasGames(): Promise<boolean>;
}

const ROUTES: Record<PagePlace['kind'], string> = {
  landing: '/',
  guide: '/guides',
  game: '/games/{slug}',
  board: '/games/{slug}/boards/{slug}',
  code: '/b/{short_code}',
  preview: '/b/{short_code}/preview.png',
  overlay: '/b/{short_code}/overlay',
  embed: '/b/{short_code}/embed',
  player: '/b/{short_code}/p/{identity_id}',
  playerPreview: '/b/{short_code}/p/{identity_id}/preview.png',
};

/** The colour is part of the URL, so the style sheet never changes and needs no database read. */
const ACCENT = /^\/pages\/accent\/([0-9a-f]{6})\.css$/;
/** Pictures of the guides, and what their search reads. */
const GUIDE_FILE = /^\/guides\/(search\.json|pictures\/[\w-]+\.(?:webp|png|svg))$/;
/** Where programs ask, an unknown path gets the envelope of errors. */
const FOR_PROGRAMS = /^\/(v1|graphql|register|health)(\/|$)/;
const ASSET = /^\/pages\/(assets\/[\w-]+\.(?:js|css|svg))$/;
/** Flags keep their names when they change. */
const FOR_A_DAY = 'public, max-age=86400';
const FLAG = /^\/pages\/flags\/([A-Z]{2})\.svg$/;

/** Per process, of pages with a search for players: one that is refused must not have read the page's other facts. */
const SEARCHES: TurnLimits = { atATime: 2, ofOwner: 1, waiting: 40, patienceMs: 1_000 };

/**
 * Serves the public pages of games and boards, with their script and style sheet. Other paths go to the next
 * middleware.
 */
export function publicPages(parts: PagesParts): Middleware {
  const { schema, contextOf, limitVisit, log, clock, landingBoards } = parts;
  const queries = visitorQueries(schema, PLAYER_OPERATIONS + CLOSING_OPERATIONS);
  const assets = pageAssets();
  const landing = new Landing(landingBoards, parts.hasGames);
  const pictures = new Pictures(parts.readPicture);
  const previews = new Previews();
  // Players are many: their pictures never displace those of boards.
  const playerPreviews = new Previews();
  const shared = new SharedPages();
  const guides = guideList();
  const guide = async (frame: PageFrame, name: string | undefined) => {
    const page = guides && (await guidePage(frame, guides, name));
    if (page === undefined) throw notFound('Guide');
    return page;
  };
  const searches = new Turns(SEARCHES);
  const lost = async (ctx: Context) => {
    const { variant, theme } = pageViewOf(ctx.query);
    setRules(ctx, variant);
    await limitVisit(visitOf(ctx));
    const frame: PageFrame = { assets, up: upFrom(ctx.path), variant, theme };
    await sendFault(ctx, frame, notFound('Page'), ctx.state.requestId as string, 'page');
  };
  return async (ctx, next) => {
    const asset = ASSET.exec(ctx.path)?.[1];
    const country = FLAG.exec(ctx.path)?.[1];
    const colour = ACCENT.exec(ctx.path)?.[1];
    const picture = pictureOf(ctx.path);
    const guideFile = GUIDE_FILE.exec(ctx.path)?.[1];
    const isFile = [asset, country, colour, picture, guideFile].some((one) => one !== undefined);
    if (!isFile && !isPagePath(ctx.path)) {
      await next();
      if (isLost(ctx)) await lost(ctx);
      return;
    }
    // A program that requests the landing page as JSON gets the error of an unknown path.
    if (ctx.path === '/' && ctx.accepts('html', 'json') === 'json') return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return refuseMethod(ctx, 'GET');
    if (picture !== undefined) {
      ctx.state.route = '/pictures';
      await limitVisit(visitOf(ctx));
      return pictures.send(ctx, picture);
    }
    if (colour !== undefined) {
      ctx.state.route = '/pages';
      ctx.set({ 'cache-control': FOR_EVER, 'x-content-type-options': 'nosniff' });
      ctx.type = 'css';
      ctx.body = accentSheet(colour);
      return;
    }
    if (guideFile !== undefined) {
      ctx.state.route = '/guides';
      const headers = { 'cache-control': SHORTLY, 'x-content-type-options': 'nosniff' };
      return (await sendBuilt(ctx, path.join(builtGuides, guideFile), headers)) ? undefined : next();
    }
    if (asset !== undefined) {
      ctx.state.route = '/pages';
      const sent = await sendBuilt(ctx, path.join(builtPages, asset), { 'cache-control': FOR_EVER });
      return sent ? undefined : next();
    }
    if (country !== undefined) {
      ctx.state.route = '/pages';
      const drawing = await flagOf(country);
      if (drawing === undefined) return next();
      ctx.set({ 'cache-control': FOR_A_DAY, 'x-content-type-options': 'nosniff' });
      ctx.type = 'svg';
      ctx.body = drawing;
      return;
    }
    const requestId = ctx.state.requestId as string;
    const view = pageViewOf(ctx.query);
    const { variant, theme } = view;
    const frame: PageFrame = { assets, up: upFrom(ctx.path), variant, theme };
    const place = pagePlaceOf(ctx.path);
    setRules(ctx, variant, place?.kind === 'overlay' || place?.kind === 'embed');
    try {
      if (ctx.state.refusal) throw ctx.state.refusal as DomainError;
      if (!place) throw notFound('Page');
      await limitVisit(visitOf(ctx));
      ctx.state.route = ROUTES[place.kind];
      const visit = { ctx, view, frame, now: clock(), run: queries(contextOf, requestId) };
      if (place.kind === 'landing') await sendWhole(ctx, landingPage(frame, await landing.facts(visit.run)));
      else if (place.kind === 'guide') await sendWhole(ctx, await guide(frame, place.page));
      else if (place.kind === 'game') await visitGame(visit, place.game);
      else if (place.kind === 'preview')
        await previews.send(
          ctx,
          boardPreview(visit.run, await factsOf(visit.run, { ...place, kind: 'code' })),
        );
      else if (place.kind === 'overlay') await visitBuilder(visit, place.code, ctx.query, shared);
      else if (place.kind === 'embed') await visitEmbedBuilder(visit, place.code, ctx.query, shared);
      else if (place.kind === 'player') await visitPlayer(visit, place, shared);
      else if (place.kind === 'playerPreview') await visitPlayerPreview(visit, place, playerPreviews);
      else if (view.player === undefined) await visitBoard(visit, place, shared);
      else await searches.run(() => visitBoard(visit, place, shared), turnOf(place));
    } catch (error) {
      const fault = present(error);
      if (fault.code === 'INTERNAL') log.error({ err: error, requestId }, 'failed to render a page');
      ctx.state.fault = fault;
      const missing = place?.kind === 'guide' ? 'page' : 'leaderboard';
      await sendFault(ctx, frame, fault, requestId, missing);
    }
  };
}

/** True if no page is at the address a person opens. */
function isLost(ctx: Context): boolean {
  const isUnanswered = ctx.status === 404 && ctx.body == null;
  return (
    isUnanswered &&
    /^(GET|HEAD)$/.test(ctx.method) &&
    !FOR_PROGRAMS.test(ctx.path) &&
    ctx.accepts('json', 'html') === 'html'
  );
}

/** An invalid cursor and a missing board get the same page. */
async function sendFault(
  ctx: Context,
  frame: PageFrame,
  fault: DomainError,
  requestId: string,
  missing?: 'leaderboard' | 'page',
): Promise<void> {
  const status = fault.status < 500 && fault.status !== 429 ? 404 : fault.status;
  ctx.remove('etag');
  ctx.set('cache-control', status === 404 ? SHORTLY : 'no-store');
  if (status === 503 || status === 429)
    ctx.set('retry-after', String(fault.retryAfterSeconds ?? RETRY_AFTER_SECONDS));
  await sendPage(ctx, status, faultPage(frame, status, requestId, missing));
}

async function visitGame({ ctx, run, view, frame }: Visit, slug: string): Promise<void> {
  const facts = await run<GameFacts>('Game', 'publicGame', { slug, after: view.after });
  await sendWhole(ctx, gamePage(frame, facts, view.after !== undefined));
}
