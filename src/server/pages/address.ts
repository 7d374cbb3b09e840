import type { ParsedUrlQuery } from 'node:querystring';
import { hasControl, isVisible, isWellFormed, lengthOf } from '../../base/text.js';

/** What a path below /games or /b means. */
export type Place =
  | { kind: 'game'; game: string }
  | { kind: 'board'; game: string; board: string }
  | { kind: 'code'; code: string };

/** Paths that are the pages'; whatever stands there that is no page is answered by a page, too. */
const OURS = /^\/(games|b)\/./;

const SLUG = '([a-z0-9-]{2,50})';
const GAME = new RegExp(`^/games/${SLUG}/?$`);
const BOARD = new RegExp(`^/games/${SLUG}/boards/${SLUG}/?$`);
const CODE = /^\/b\/([a-z0-9]{3,16})\/?$/i;

export function isPagePath(path: string): boolean {
  return OURS.test(path);
}

/** What is asked for; undefined: nothing that could be there. */
export function placeOf(path: string): Place | undefined {
  const [, code] = CODE.exec(path) ?? [];
  if (code !== undefined) return { kind: 'code', code };
  const [, game, board] = BOARD.exec(path) ?? GAME.exec(path) ?? [];
  if (game === undefined) return undefined;
  return board === undefined ? { kind: 'game', game } : { kind: 'board', game, board };
}

/** The way from a path up to where the service's own paths begin: links hold wherever a proxy puts the service. */
export function upFrom(path: string): string {
  return '../'.repeat([...path].filter((sign) => sign === '/').length - 1);
}

export type Variant = 'page' | 'embed' | 'overlay';

/** What a visitor wants to see of a board. What makes no sense is as if it were not there. */
export interface View {
  variant: Variant;
  /** Whatever the visitor's system says. */
  theme: 'light' | 'dark' | undefined;
  /** The first rank that is shown. */
  from: number;
  /** Places that are shown. */
  size: number;
  /** A rank that the visitor looks for. */
  rank: number | undefined;
  /** How the name begins of whom the visitor looks for. */
  player: string | undefined;
  /** Where the list of boards that have ended goes on. */
  after: string | undefined;
}

export const PAGE_SIZE = 50;
const TOP = { embed: 10, overlay: 5 };
const MOST_ON_TOP = 50;

type Query = ParsedUrlQuery;

function text(query: Query, name: string): string | undefined {
  const value = query[name];
  return typeof value === 'string' ? value : undefined;
}

function count(query: Query, name: string): number | undefined {
  const written = text(query, name)?.trim() ?? '';
  const value = /^\d{1,15}$/.test(written) ? Number(written) : 0;
  return value >= 1 ? value : undefined;
}

function nameOf(query: Query): string | undefined {
  const name = text(query, 'player')?.trim();
  if (!name || !isWellFormed(name) || hasControl(name) || !isVisible(name) || lengthOf(name) > 64)
    return undefined;
  return name;
}

function themeOf(query: Query): View['theme'] {
  const theme = text(query, 'theme');
  return theme === 'light' || theme === 'dark' ? theme : undefined;
}

export function viewOf(query: Query): View {
  const shared = { theme: themeOf(query), after: text(query, 'after') };
  const variant = query.overlay === '1' ? 'overlay' : query.embed === '1' ? 'embed' : 'page';
  if (variant !== 'page') {
    const size = Math.min(count(query, 'top') ?? TOP[variant], MOST_ON_TOP);
    return { ...shared, variant, from: 1, size, rank: undefined, player: undefined };
  }
  const rank = count(query, 'rank');
  return {
    ...shared,
    variant,
    from: count(query, 'from') ?? 1,
    size: PAGE_SIZE,
    rank,
    player: nameOf(query),
  };
}
