import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parentPort } from 'node:worker_threads';
import { initWasm, Resvg } from '@resvg/resvg-wasm';
import { escaped } from '../html.js';
import { packageRoot } from '../package.js';
import type { Drawing, DrawnText } from './draw.js';
import type { ThreadAnswer } from './thread.js';

const FAMILY = 'DejaVu Sans Condensed';
const font = readFileSync(path.join(packageRoot, 'fonts', 'DejaVuSansCondensed-Bold.ttf'));
const options = { font: { fontBuffers: [font], defaultFontFamily: FAMILY } };
const ready = initWasm(readFileSync(require.resolve('@resvg/resvg-wasm/index_bg.wasm')));

/** Characters that XML cannot hold, not even as entities; halves of pairs among them. */
const NOT_XML = /[^\t\n\r\x20-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

function element({ x, y, colour, atRight }: DrawnText, text: string, size: number): string {
  const anchor = atRight ? ' text-anchor="end"' : '';
  return `<text x="${x}" y="${y}" font-family="${FAMILY}" font-weight="700" font-size="${size}" fill="${colour}"${anchor}>${escaped(text)}</text>`;
}

function document(width: number, height: number, content: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${content}</svg>`;
}

/** Width in pixels, as it is drawn. */
function widthOf(text: string, size: number): number {
  const origin = { text, x: 0, y: 0, width: 0, size, least: size, colour: '#000' };
  const svg = new Resvg(document(1, 1, element(origin, text, size)), options);
  const width = svg.getBBox()?.width ?? 0;
  svg.free();
  return width;
}

/** Most graphemes that are measured: longer texts do not fit anyway. */
const MOST_GRAPHEMES = 120;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

function fitted(line: DrawnText): string {
  const text = line.text.replace(NOT_XML, '').replace(/\s+/g, ' ').trim();
  const signs = Array.from(graphemes.segment(text), ({ segment }) => segment).slice(0, MOST_GRAPHEMES);
  const whole = signs.join('');
  const width = widthOf(whole, line.size);
  if (width <= line.width) return element(line, whole, line.size);
  const size = Math.max(line.least, Math.floor((line.size * line.width) / width));
  if ((width * size) / line.size <= line.width) return element(line, whole, size);
  let [fits, over] = [0, signs.length];
  while (over - fits > 1) {
    const middle = (fits + over) >> 1;
    if (widthOf(`${signs.slice(0, middle).join('')}…`, size) <= line.width) fits = middle;
    else over = middle;
  }
  return element(line, `${signs.slice(0, fits).join('').trimEnd()}…`, size);
}

function drawn({ width, height, ground, texts }: Drawing): Uint8Array {
  const svg = new Resvg(document(width, height, ground + texts.map(fitted).join('')), options);
  const image = svg.render();
  const png = image.asPng();
  image.free();
  svg.free();
  return png;
}

async function answerOf(drawing: Drawing): Promise<ThreadAnswer<Uint8Array>> {
  try {
    await ready;
    return { done: drawn(drawing) };
  } catch (error) {
    return { fault: String(error) };
  }
}

parentPort!.on('message', async (drawing: Drawing) => parentPort!.postMessage(await answerOf(drawing)));
