import type { ParsedUrlQuery } from 'node:querystring';
import { isWellFormed, nameFault } from '../../base/text.js';
import { OVERLAY_TOP, type OverlayLook, overlayLookOf, topOf } from './overlay-look.js';
import { type PageRanking, rankingPlaceOf } from './views/address.js';

/** The page that a path below /games or /b names. */
export type PagePlace =
  | { kind: 'landing' }
  /** `page`: address below /guides/; undefined: the list. */
  | { kind: 'guide'; page: string | undefined }
  | { kind: 'game'; game: string }
  | { kind: 'board'; game: string; board: string }
  | { kind: 'code'; code: string }
  /** The picture of a board for previews. */
  | { kind: 'preview'; code: string }
  /** The page that builds the link of a board's overlay. */
  | { kind: 'overlay'; code: string }
  /** The page that makes the code of an embedded board. */
  | { kind: 'embed'; code: string }
  /** `player`: the id of an identity. */
  | { kind: 'player'; code: string; player: string }
  /** The picture of a player for previews. */
  | { kind: 'playerPreview'; code: string; player: string };

/** Paths of the pages; an unknown one gets an error page. */
const OURS = /^\/(games|b)\/.|^\/$|^\/guides(\/|$)/;

const SLUG_PART = '([a-z0-9-]{2,50})';
const GAME = new RegExp(`^/games/${SLUG_PART}/?$`);
const BOARD = new RegExp(`^/games/${SLUG_PART}/boards/${SLUG_PART}/?$`);
const GUIDE = /^\/guides(?:\/([a-z-]+(?:\/[a-z-]+)?))?$/;
const PLAYER = /^\/b\/([a-z0-9]{3,16})\/p\/(ide_[0-9a-f-]{36})(\/preview\.png|\/?)$/i;
const PREVIEW = /^\/b\/([a-z0-9]{3,16})\/preview\.png$/i;
const BUILDER = /^\/b\/([a-z0-9]{3,16})\/(overlay|embed)\/?$/i;
const CODE = /^\/b\/([a-z0-9]{3,16})\/?$/i;

export function isPagePath(path: string): boolean {
  return OURS.test(path);
}

/** Returns the page that a path names; undefined: none. */
export function pagePlaceOf(path: string): PagePlace | undefined {
  if (path === '/') return { kind: 'landing' };
  const guide = GUIDE.exec(path);
  if (guide) return { kind: 'guide', page: guide[1] };
  const [, boardCode, player, rest] = PLAYER.exec(path) ?? [];
  if (boardCode !== undefined && player !== undefined) {
    const kind = rest!.length > 1 ? 'playerPreview' : 'player';
    return { kind, code: boardCode, player };
  }
  const [, drawn] = PREVIEW.exec(path) ?? [];
  if (drawn !== undefined) return { kind: 'preview', code: drawn };
  const [, built, builder] = BUILDER.exec(path) ?? [];
  if (built !== undefined) return { kind: builder!.toLowerCase() as 'overlay' | 'embed', code: built };
  const [, code] = CODE.exec(path) ?? [];
  if (code !== undefined) return { kind: 'code', code };
  const [, game, board] = BOARD.exec(path) ?? GAME.exec(path) ?? [];
  if (game === undefined) return undefined;
  return board === undefined ? { kind: 'game', game } : { kind: 'board', game, board };
}

/** Returns the relative path up to the service's root: links work below any prefix of a proxy. */
export function upFrom(path: string): string {
  return '../'.repeat([...path].filter((sign) => sign === '/').length - 1);
}

export type PageVariant = 'page' | 'embed' | 'overlay';

/** The parameters of a board's page. Invalid ones are ignored. */
export interface PageView {
  variant: PageVariant;
  /** Of overlays. */
  look: OverlayLook | undefined;
  /** Undefined: the visitor's system setting. */
  theme: 'light' | 'dark' | undefined;
  /** The first rank shown. */
  from: number;
  /** Number of places shown. */
  size: number;
  /** A rank to jump to. */
  rank: number | undefined;
  /** The beginning of a player name to search for. */
  player: string | undefined;
  /** Cursor in the list of ended boards. */
  after: string | undefined;
  /** The ranking of a view; undefined: none is named, or the board's own is. */
  ranking: PageRanking | undefined;
  /** The board's own ranking is named, which is not that of every address without one. */
  own: boolean;
}

/** Places of a page. */
export const BOARD_PAGE_SIZE = 50;
const EMBED_TOP = 10;
/** Ranks are 32-bit integers. */
const MOST_RANK = 2 ** 31 - 1;

type PageQuery = ParsedUrlQuery;

function textParameter(query: PageQuery, name: string): string | undefined {
  const value = query[name];
  return typeof value === 'string' ? value : undefined;
}

function countParameter(query: PageQuery, name: string): number | undefined {
  return topOf(query[name], MOST_RANK);
}

function pageName(query: PageQuery): string | undefined {
  const name = textParameter(query, 'player')?.trim();
  return name !== undefined && !nameFault(name, 1, 64) && isWellFormed(name) ? name : undefined;
}

function themeOf(query: PageQuery): PageView['theme'] {
  const theme = textParameter(query, 'theme');
  return theme === 'light' || theme === 'dark' ? theme : undefined;
}

export function pageViewOf(query: PageQuery): PageView {
  const ranking = rankingPlaceOf(query);
  const look = query.overlay === '1' ? overlayLookOf(query) : undefined;
  const own = query.view === '';
  const shared = { theme: themeOf(query), after: textParameter(query, 'after'), ranking, own, look };
  const variant = look ? 'overlay' : query.embed === '1' ? 'embed' : 'page';
  if (variant !== 'page') {
    const size = topOf(query.top) ?? (look ? OVERLAY_TOP : EMBED_TOP);
    return { ...shared, variant, from: 1, size, rank: undefined, player: undefined };
  }
  // Ranks are looked up in the board's own ranking.
  const rank = ranking ? undefined : countParameter(query, 'rank');
  return {
    ...shared,
    variant,
    from: countParameter(query, 'from') ?? 1,
    size: BOARD_PAGE_SIZE,
    rank,
    player: pageName(query),
  };
}
