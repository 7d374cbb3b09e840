import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Html, html, type Piece } from '../../base/html.js';
import { packageRoot } from '../../base/package.js';
import type { PageVariant } from './address.js';
import { texts } from './texts.js';

/** The surroundings of a page's content. */
export interface PageFrame {
  assets: PageAssets;
  /** Relative path from the page to the service's root. */
  up: string;
  variant: PageVariant;
  theme: 'light' | 'dark' | undefined;
}

export interface Document {
  title: string;
  description?: string;
  /** The page's public address, if the service knows it. */
  url?: string | null;
  /** Absolute address of a picture of the page, if it has one: previews know no relative ones. */
  picture?: string | null;
  /** The name above the title in previews. */
  site?: string;
  /** True if search engines may index it. */
  indexed: boolean;
  /** More classes, of overlays. */
  classes?: string[];
  /** Class of pages that look different. */
  kind?: 'landing' | 'guide' | 'player';
  /** The game, which determines the accent colour. */
  game?: { slug: string; accentColour: string | null };
  body: Html;
}

/** Pixels of pictures of pages; the proportions that messengers and networks show uncut. */
export const PREVIEW_SIZE = { width: 1_200, height: 630 };

const HUES = 12;

/** Returns one of the style sheet's accent colours: a page cannot contain styles under its policy. */
export function hueOf(text: string): number {
  return createHash('sha256').update(text).digest()[0]! % HUES;
}

function preview({ title, description, url, site, picture }: Document): Piece {
  const meta = (property: string, content: string) =>
    html`<meta property="${property}" content="${content}">\n`;
  return [
    meta('og:type', 'website'),
    meta('og:title', title),
    site !== undefined && meta('og:site_name', site),
    description !== undefined && meta('og:description', description),
    url && meta('og:url', url),
    picture && [
      meta('og:image', picture),
      meta('og:image:type', 'image/png'),
      meta('og:image:width', String(PREVIEW_SIZE.width)),
      meta('og:image:height', String(PREVIEW_SIZE.height)),
      meta('og:image:alt', description ?? title),
    ],
    html`<meta name="twitter:card" content="${picture ? 'summary_large_image' : 'summary'}">\n`,
  ];
}

/** Browsers that support it render a page only once it is complete, so that nothing moves while it loads. */
const WHOLE = html`<link rel="expect" href="#end" blocking="render">`;

/** Returns a page as text. */
export function htmlPage({ assets, up, variant, theme }: PageFrame, document: Document): string {
  const { title, description, url, indexed, kind, classes: more = [], game, body } = document;
  const asset = (file: string) => `${up}pages/${file}`;
  const classes = [variant, kind, ...more, game && `hue-${hueOf(game.slug)}`].filter(Boolean).join(' ');
  return html`<!doctype html>
<html lang="${texts.language}" class="${classes}"${theme && html` data-theme="${theme}"`} data-up="${up}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${WHOLE}
${assets.styles.map((file) => html`<link rel="stylesheet" href="${asset(file)}">\n`)}${
  game?.accentColour != null &&
  html`<link rel="stylesheet" href="${asset(`accent/${game.accentColour.slice(1)}.css`)}">\n`
}${
  assets.script !== undefined && html`<script type="module" src="${asset(assets.script)}"></script>\n`
}${assets.icon !== undefined && html`<link rel="icon" href="${asset(assets.icon)}" type="image/svg+xml">\n`}${
  description !== undefined && html`<meta name="description" content="${description}">\n`
}${!indexed && html`<meta name="robots" content="noindex">\n`}${url && html`<link rel="canonical" href="${url}">\n`}${preview(document)}</head>
<body>
${body}
<div id="end"></div>
</body>
</html>
`.text;
}

/** Names of the built files, below `assets/`. */
interface PageAssets {
  script: string | undefined;
  styles: string[];
  icon: string | undefined;
}

interface Chunk {
  file: string;
  css?: string[];
}

/** Directory of the pages' script, style sheet and icon, made by `npm run build`. */
export const builtPages = path.join(packageRoot, 'dist', 'pages');

/** Returns the names of the built files; none without a build: the pages then work, but without style and script. */
export function pageAssets(): PageAssets {
  let manifest: Record<string, Chunk>;
  try {
    manifest = JSON.parse(readFileSync(path.join(builtPages, '.vite', 'manifest.json'), 'utf8'));
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'ENOENT') throw fault;
    return { script: undefined, styles: [], icon: undefined };
  }
  const main = manifest['main.ts'];
  return { script: main?.file, styles: main?.css ?? [], icon: manifest['../docs/logo.svg']?.file };
}

/** Renders the page of an error. */
export function faultPage(
  frame: PageFrame,
  status: number,
  requestId: string,
  /** What is not there. */
  missing: 'leaderboard' | 'page' = 'leaderboard',
): string {
  const [title, why] =
    status === 404
      ? [texts.notFound, html`${texts.notFoundWhy[missing]}`]
      : status === 503
        ? [texts.unavailable, html`${texts.unavailableWhy}`]
        : status === 429
          ? [texts.tooMany, html`${texts.tooManyWhy}`]
          : [texts.failed, html`${texts.failedWhy} <code>${requestId}</code>`];
  const body = html`<main class="fault">${icon('fa-trophy')}<h1>${title}</h1><p>${why}</p>${frame.variant === 'page' && html`<p><a href="${frame.up || './'}">${texts.toStart}</a></p>`}</main>`;
  return htmlPage(frame, { title, indexed: false, body });
}

// Drawn on a square of 24. Boards' icons have the names of an icon font; a name without a drawing here gets a crown.
const CROWN = 'M3 7l4.6 4.2L12 4l4.4 7.2L21 7l-1.8 11H4.8L3 7zm2 13h14v1.6H5z';
const TROPHY =
  'M7 3h10v2h4v3.2A4.3 4.3 0 0 1 16.8 12.5 5.5 5.5 0 0 1 13.2 15.3V18H17v3H7v-3h3.8v-2.7A5.5 5.5 0 0 1 ' +
  '7.2 12.5 4.3 4.3 0 0 1 3 8.2V5h4zm0 4H5v1.2c0 1 .8 1.9 2 2.2zm10 0v3.4c1.2-.3 2-1.2 2-2.2V7z';
const STAR = 'M12 2.5l2.9 6.2 6.6.8-4.9 4.6 1.3 6.7L12 17.5l-5.9 3.3 1.3-6.7-4.9-4.6 6.6-.8z';
const BOLT = 'M13.5 2L4.5 13.5h6L9.5 22l10-12.5h-6.5z';
const CLOCK =
  'M9 1.5h6v2h-2v1.6a8.5 8.5 0 1 1-2 0V3.5H9zm3 5.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zm-1 2h2v4.6l2.6 1.9-1.2 1.6L11 14.6z';
const FIRE =
  'M12.5 1.5c.6 4-4.8 6.7-5.8 11.3A7 7 0 0 0 12 22.3a7 7 0 0 0 6.7-8.2c-.4-2.5-2-3.9-2.6-6-.9 1-1.3 2.2-1.4 3.4-1.8-2.2-1.1-6.5-2.2-10z';
const FLAG = 'M5 2h2v1.5c4-1.8 7 1.8 12 0v10c-5 1.8-8-1.8-12 0V22H5z';
const GEM = 'M7 4h10l4.5 6L12 21.5 2.5 10zm1 2l-2.2 3h12.4L16 6zm-1 5l5 6.5L17 11z';
const COINS =
  'M12 3c4.7 0 8.5 1.6 8.5 3.7S16.7 10.4 12 10.4 3.5 8.8 3.5 6.7 7.3 3 12 3zm8.5 7.2v2.5c0 2.1-3.8 ' +
  '3.7-8.5 3.7s-8.5-1.6-8.5-3.7v-2.5c1.7 1.5 4.9 2.3 8.5 2.3s6.8-.8 8.5-2.3zm0 6v1.5c0 2.1-3.8 3.7-8.5 ' +
  '3.7s-8.5-1.6-8.5-3.7v-1.5c1.7 1.5 4.9 2.3 8.5 2.3s6.8-.8 8.5-2.3z';

const ICON_PATHS: Record<string, string> = {
  trophy: TROPHY,
  medal: TROPHY,
  award: TROPHY,
  star: STAR,
  bolt: BOLT,
  stopwatch: CLOCK,
  clock: CLOCK,
  fire: FIRE,
  flag: FLAG,
  'flag-checkered': FLAG,
  gem: GEM,
  coins: COINS,
};

/** Returns the icon of a board, by the name that its studio set, e.g. `fa-bolt`. */
export function icon(name: string | null): Html {
  const drawing = ICON_PATHS[(name ?? '').toLowerCase().replace(/^(fa[a-z]? )?fa-/, '')] ?? CROWN;
  return new Html(
    `<svg class="icon" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"><path fill="currentColor" fill-rule="evenodd" d="${drawing}"/></svg>`,
  );
}
