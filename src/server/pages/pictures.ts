import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Context } from 'koa';
import { LRUCache } from 'lru-cache';
import { notFound } from '../../base/errors.js';
import { type Html, html } from '../../base/html.js';
import { PICTURE_TYPES, type PictureType } from '../../base/pictures/picture.js';
import type { PictureKind, StoredPicture } from '../../base/pictures/stored.js';
import { FOR_EVER } from '../http/built-files.js';
import { builtPages } from './layout.js';

/**
 * Reads a picture that may be shown; undefined: there is none.
 * @param digest SHA-256, hexadecimal
 * @param whole false if the bytes are known
 */
export type ReadPicture = (
  digest: string,
  type: PictureType,
  whole: boolean,
) => Promise<StoredPicture | undefined>;

const PICTURE = /^\/pictures\/(([0-9a-f]{64})\.(png|jpg|webp))$/;
const TYPES: Record<string, PictureType> = Object.fromEntries(
  Object.entries(PICTURE_TYPES).map(([type, ending]) => [ending, type as PictureType]),
);

const MOST_CACHED_BYTES = 16 * 2 ** 20;

/** Returns the name of the picture that a path names; undefined: none. */
export function pictureOf(path: string): string | undefined {
  return PICTURE.exec(path)?.[1];
}

/** Renders the picture next to the name of a game. @param up path to the root of the service */
function picture(up: string, kind: PictureKind, url: string | null): Html | undefined {
  if (url === null) return undefined;
  const address = up + url.slice(url.lastIndexOf('/pictures/') + 1);
  return html`<img class="${kind}" src="${address}" alt="">`;
}

export function logo(up: string, { logoUrl }: { logoUrl: string | null }): Html | undefined {
  return picture(up, 'logo', logoUrl);
}

export function cover(up: string, { coverUrl }: { coverUrl: string | null }): Html | undefined {
  return picture(up, 'cover', coverUrl);
}

/** Serves the logos and covers of games. Their names are content hashes, so they never change. */
export class Pictures {
  readonly #bytes = new LRUCache<string, Buffer>({
    maxSize: MOST_CACHED_BYTES,
    sizeCalculation: ({ length }) => length,
  });

  constructor(private readonly read: ReadPicture) {}

  /** @throws DomainError NOT_FOUND */
  async send(ctx: Context, name: string): Promise<void> {
    const [digest, ending] = name.split('.') as [string, string];
    const type = TYPES[ending]!;
    const cached = this.#bytes.get(name);
    // The game may have been deleted in the meantime.
    const picture = await this.read(digest, type, cached === undefined);
    if (!picture) throw notFound('Picture');
    const bytes = cached ?? picture.bytes!;
    this.#bytes.set(name, bytes);
    ctx.set({ etag: `"${name}"`, 'cache-control': FOR_EVER, 'x-content-type-options': 'nosniff' });
    ctx.status = 200;
    if (ctx.fresh) {
      ctx.status = 304;
      return;
    }
    ctx.set('content-type', type);
    ctx.body = bytes;
  }
}

let drawings: Promise<Record<string, string>> | undefined;

/** The flag of a country as SVG; undefined: there is none. @param code two capital letters */
export async function flagOf(code: string): Promise<string | undefined> {
  drawings ??= readFile(path.join(builtPages, 'flags.json'), 'utf8').then(JSON.parse, () => ({}));
  return (await drawings)[code];
}
