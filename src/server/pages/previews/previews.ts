import type { Context } from 'koa';
import { LRUCache } from 'lru-cache';
import { type Drawing, drawnPng } from '../../../base/pictures/draw.js';
import { accentShades } from '../accent.js';
import { hueOf, PREVIEW_SIZE } from '../layout.js';
import type { PageBoard } from '../queries.js';

/** The accents of dark pages by hue (web/pages/style.css), which SVG knows as colours of sRGB alone. */
const ACCENTS = [
  ...['#ff9d9e', '#fea47c', '#ebb25f', '#b4c96d', '#83d494', '#52d7c1'],
  ...['#47d2e8', '#6fc8ff', '#a0baff', '#caacff', '#e9a1e3', '#fb9dc2'],
];
export const MEDALS = ['#f6c945', '#c5cedb', '#dd9b66'];
export const INK = '#eef0f4';
export const SOFT = '#b3bac6';
/** The ends of what is drawn. */
export const LEFT = 72;
export const RIGHT = PREVIEW_SIZE.width - LEFT;

/** The accent of a game on dark grounds. */
export function accentOf({ slug, accentColour }: Pick<PageBoard['game'], 'slug' | 'accentColour'>): string {
  return accentColour === null ? ACCENTS[hueOf(slug)]! : accentShades(accentColour.slice(1)).dark;
}

/** The dark ground of all previews in a game's colour, and what is on it. */
export function ground(accent: string, shapes: string[]): string {
  return `<defs><linearGradient id="g" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${accent}" stop-opacity="0.3"/><stop offset="0.7" stop-color="${accent}" stop-opacity="0"/></linearGradient></defs><rect width="1200" height="630" fill="#14171c"/><rect width="1200" height="630" fill="url(#g)"/><rect width="1200" height="12" fill="${accent}"/>${shapes.join('')}`;
}

interface Preview {
  png: Buffer;
  hash: string;
}

/** A preview that is asked for. */
export interface WantedPreview {
  /** The same for the same page. */
  id: string;
  /** Of all that the drawing shows. */
  hash: string;
  /** Whose turn it is: the slug of a game. */
  owner: string;
  drawing(): Promise<Drawing> | Drawing;
}

/** Boards move more often than previews are worth a drawing. */
const LASTS_MS = 60_000;
/** Of some 50 kB each. */
const MOST = 200;

/** Previews of pages as pictures. Each is drawn at most once a minute, and only when it has changed. */
export class Previews {
  readonly #drawn = new LRUCache<string, Preview, WantedPreview>({
    max: MOST,
    ttl: LASTS_MS,
    fetchMethod: async (_id, last, { context: { hash, owner, drawing } }) => {
      if (last?.hash === hash) return last;
      return { hash, png: await drawnPng(await drawing(), owner) };
    },
  });

  /** @throws DomainError UNAVAILABLE when too many drawings wait */
  async send(ctx: Context, wanted: WantedPreview): Promise<void> {
    const preview = (await this.#drawn.fetch(wanted.id, { context: wanted, allowStale: false }))!;
    ctx.set({ etag: `"${preview.hash}"`, 'cache-control': 'public, max-age=60' });
    ctx.status = 200;
    if (ctx.fresh) {
      ctx.status = 304;
      return;
    }
    ctx.type = 'png';
    ctx.body = preview.png;
  }
}
