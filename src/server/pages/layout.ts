import { createHash } from 'node:crypto';
import { type Html, html, type Piece } from '../../base/html.js';
import type { Variant } from './address.js';
import type { PageAssets } from './assets.js';
import { withoutDirections } from './format.js';
import { texts } from './texts.js';

/** The surroundings of a page's content. */
export interface Frame {
  assets: PageAssets;
  /** Relative path from the page to the service's root. */
  up: string;
  variant: Variant;
  theme: 'light' | 'dark' | undefined;
}

export interface Document {
  title: string;
  description?: string;
  /** The page's public address, if the service knows it. */
  url?: string | null;
  /** The name above the title in previews. */
  site?: string;
  /** True if search engines may index it. */
  indexed: boolean;
  /** Text that determines the accent colour; the same for all pages of a game. */
  colour?: string;
  body: Html;
}

const HUES = 12;

/** Returns one of the style sheet's accent colours: a page cannot contain styles under its policy. */
function hueOf(text: string): number {
  return createHash('sha256').update(text).digest()[0]! % HUES;
}

function preview({ title, description, url, site }: Document): Piece {
  const meta = (property: string, content: string) =>
    html`<meta property="${property}" content="${withoutDirections(content)}">\n`;
  return [
    meta('og:type', 'website'),
    meta('og:title', title),
    site !== undefined && meta('og:site_name', site),
    description !== undefined && meta('og:description', description),
    url && meta('og:url', url),
    html`<meta name="twitter:card" content="summary">\n`,
  ];
}

/** Returns a page as text. */
export function pageOf({ assets, up, variant, theme }: Frame, document: Document): string {
  const { title, description, url, indexed, colour, body } = document;
  const asset = (file: string) => `${up}pages/${file}`;
  const classes = [variant, colour !== undefined && `hue-${hueOf(colour)}`].filter(Boolean).join(' ');
  return html`<!doctype html>
<html lang="${texts.language}" class="${classes}"${theme && html` data-theme="${theme}"`} data-up="${up}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${withoutDirections(title)}</title>
${assets.styles.map((file) => html`<link rel="stylesheet" href="${asset(file)}">\n`)}${
  assets.script !== undefined && html`<script type="module" src="${asset(assets.script)}"></script>\n`
}${assets.icon !== undefined && html`<link rel="icon" href="${asset(assets.icon)}" type="image/svg+xml">\n`}${
  description !== undefined && html`<meta name="description" content="${withoutDirections(description)}">\n`
}${!indexed && html`<meta name="robots" content="noindex">\n`}${url && html`<link rel="canonical" href="${url}">\n`}${preview(document)}</head>
<body>
${body}
</body>
</html>
`.text;
}
