import { topOf } from '../overlay-look.js';
import { type PageRanking, rankingPlaceOf, rankingQuery } from '../views/address.js';

/** All that the code of an embedded board says. */
export interface EmbedLink {
  /** Undefined: the visitor's system decides. */
  theme: 'light' | 'dark' | undefined;
  top: number;
  /** Pixels; undefined: as wide as the place it is in. */
  width: number | undefined;
  /** Undefined: what the board shows first. */
  ranking: PageRanking | undefined;
  /** The board's own ranking is named. */
  own: boolean;
}

const EMBED_TOP = 10;
export const WIDTHS = { least: 240, most: 2_000 };

/** Pixels of an embedded board: its head, a row, what is below the rows. */
const HEAD = 150;
const ROW = 54;
const FOOT = 70;

type Query = Readonly<Record<string, unknown>>;

/** The link that the fields of the builder name; invalid ones are ignored. */
export function embedLinkOf({ theme, top, width, ranking }: Query): EmbedLink {
  const place = typeof ranking === 'string' ? Object.fromEntries(new URLSearchParams(ranking)) : {};
  const wide = topOf(width, WIDTHS.most);
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : undefined,
    top: topOf(top) ?? EMBED_TOP,
    width: wide === undefined ? undefined : Math.max(WIDTHS.least, wide),
    ranking: rankingPlaceOf(place),
    own: place.view === '',
  };
}

/** The query of the embedded page, without `?`. */
export function embedQuery({ theme, top, ranking, own }: EmbedLink): string {
  const query = new URLSearchParams(ranking ? rankingQuery(ranking) : own ? { view: '' } : undefined);
  query.set('embed', '1');
  if (top !== EMBED_TOP) query.set('top', String(top));
  if (theme) query.set('theme', theme);
  return query.toString();
}

export function embedHeight({ top }: EmbedLink): number {
  return HEAD + ROW * top + FOOT;
}
