import { type PageRanking, rankingPlaceOf, rankingQuery } from './views/address.js';

/** What an overlay can look like; the first of each is without a parameter. */
export const OVERLAY_CHOICES = {
  layout: ['list', 'ticker'],
  size: ['medium', 'small', 'large'],
  side: ['left', 'right'],
} as const;

type Choices = { [Name in keyof typeof OVERLAY_CHOICES]: (typeof OVERLAY_CHOICES)[Name][number] };

export interface OverlayLook extends Choices {
  /** `rrggbb`; undefined: the game's own. */
  accent: string | undefined;
}

/** All that a link to an overlay says. */
export interface OverlayLink {
  look: OverlayLook;
  /** Number of places. */
  top: number;
  /** Undefined: the board's own ranking. */
  ranking: PageRanking | undefined;
}

export const OVERLAY_TOP = 5;
export const MOST_ON_TOP = 50;

/** Parameters of a page, by their names; the values of a form, too. */
type Query = Readonly<Record<string, unknown>>;

function choiceOf<Value extends string>(values: readonly [Value, ...Value[]], written: unknown): Value {
  return values.find((value) => value === written) ?? values[0];
}

/** Returns the look that the parameters of an overlay name; invalid ones are ignored. */
export function overlayLookOf({ layout, size, side, accent }: Query): OverlayLook {
  const [, colour] = typeof accent === 'string' ? (/^#?([0-9a-f]{6})$/i.exec(accent) ?? []) : [];
  return {
    layout: choiceOf(OVERLAY_CHOICES.layout, layout),
    size: choiceOf(OVERLAY_CHOICES.size, size),
    side: choiceOf(OVERLAY_CHOICES.side, side),
    accent: colour?.toLowerCase(),
  };
}

/** Returns the number of places that a parameter names. */
export function topOf(written: unknown, most = MOST_ON_TOP): number | undefined {
  const value = typeof written === 'string' && /^\s*\d{1,15}\s*$/.test(written) ? Number(written) : 0;
  return value >= 1 ? Math.min(value, most) : undefined;
}

/** Returns the link that the fields of the builder name. */
export function overlayLinkOf(query: Query): OverlayLink {
  const { ranking, top } = query;
  const place = typeof ranking === 'string' ? Object.fromEntries(new URLSearchParams(ranking)) : {};
  return { look: overlayLookOf(query), top: topOf(top) ?? OVERLAY_TOP, ranking: rankingPlaceOf(place) };
}

/** Returns the query of an overlay's address, without `?`. @param accent of the game, `rrggbb`: it needs no parameter */
export function overlayQuery({ look, top, ranking }: OverlayLink, accent: string): string {
  const query = new URLSearchParams(ranking && rankingQuery(ranking));
  query.set('overlay', '1');
  for (const [name, values] of Object.entries(OVERLAY_CHOICES)) {
    const value = look[name as keyof Choices];
    if (value !== values[0]) query.set(name, value);
  }
  if (top !== OVERLAY_TOP) query.set('top', String(top));
  if (look.accent !== undefined && look.accent !== accent) query.set('accent', look.accent);
  return query.toString();
}

/** Classes of an overlay's page. */
export function overlayClasses({ layout, size, side }: OverlayLook): string[] {
  return [...(layout === 'ticker' ? ['ticker'] : []), `size-${size}`, `side-${side}`];
}

/** Of letters, relative to the medium size (web/pages/styles/overlay.css). */
const SCALES = { small: 0.8, medium: 1, large: 1.4 };
/** Pixels at the medium size, with the free space around. */
const LIST = { width: 460, head: 110, row: 52 };
const TICKER = { width: 1_280, height: 84 };

/** Pixels of a browser source that has room for an overlay. */
export function overlaySize({ look: { layout, size }, top }: OverlayLink): { width: number; height: number } {
  const tens = (pixels: number) => Math.ceil((SCALES[size] * pixels) / 10) * 10;
  if (layout === 'ticker') return { width: TICKER.width, height: tens(TICKER.height) };
  return { width: tens(LIST.width), height: tens(LIST.head + LIST.row * top) };
}
