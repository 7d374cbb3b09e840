import { LRUCache } from 'lru-cache';
import { type Drawing, type DrawnText, drawnPng } from '../../base/pictures/draw.js';
import { accentShades } from './accent.js';
import { hueOf, PREVIEW_SIZE } from './layout.js';
import type { PageBoard } from './queries.js';
import { type ShownScore, shownValue } from './ranking.js';
import { shownNumber, texts, withoutDirections } from './texts.js';

/** The accents of dark pages by hue (web/pages/style.css), which SVG knows as colours of sRGB alone. */
const ACCENTS = [
  ...['#ff9d9e', '#fea47c', '#ebb25f', '#b4c96d', '#83d494', '#52d7c1'],
  ...['#47d2e8', '#6fc8ff', '#a0baff', '#caacff', '#e9a1e3', '#fb9dc2'],
];
const MEDALS = ['#f6c945', '#c5cedb', '#dd9b66'];
const INK = '#eef0f4';
const SOFT = '#b3bac6';
const LEFT = 72;
const RIGHT = PREVIEW_SIZE.width - LEFT;
const ROW = { first: 232, step: 104, height: 90 };

function accentOf({ slug, accentColour }: PageBoard['game']): string {
  return accentColour === null ? ACCENTS[hueOf(slug)]! : accentShades(accentColour.slice(1)).dark;
}

function ground(accent: string, rows: number): string {
  const places = MEDALS.slice(0, rows).map((medal, n) => {
    const y = ROW.first + n * ROW.step;
    return `<rect x="${LEFT}" y="${y}" width="${RIGHT - LEFT}" height="${ROW.height}" rx="18" fill="#fff" fill-opacity="0.07"/><circle cx="${LEFT + 58}" cy="${y + ROW.height / 2}" r="29" fill="${medal}"/>`;
  });
  return `<defs><linearGradient id="g" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${accent}" stop-opacity="0.3"/><stop offset="0.7" stop-color="${accent}" stop-opacity="0"/></linearGradient></defs><rect width="1200" height="630" fill="#14171c"/><rect width="1200" height="630" fill="url(#g)"/><rect width="1200" height="12" fill="${accent}"/>${places.join('')}`;
}

function place({ playerName, ...score }: ShownScore, unit: string | null, n: number): DrawnText[] {
  const y = ROW.first + n * ROW.step + 60;
  const value = `${shownValue(score)}${score.valueDisplay === null && unit !== null ? ` ${unit}` : ''}`;
  const line = { y, size: 42, least: 26, colour: INK };
  return [
    {
      ...line,
      text: shownNumber(score.displayRank),
      x: LEFT + 45,
      width: 40,
      size: 38,
      y: y - 1,
      colour: '#2b2205',
    },
    { ...line, text: playerName, x: LEFT + 116, width: 560 },
    { ...line, text: value, x: RIGHT - 32, width: 320, atRight: true },
  ];
}

/** Absolute address of a board's picture; null where the service does not know its own. */
export function previewUrl({ urlShort, version }: Pick<PageBoard, 'urlShort' | 'version'>): string | null {
  return urlShort && `${urlShort}/preview.png?v=${version}`;
}

/** The drawing of a board: game, board and its first three places. */
function drawingOf(
  { name, game, unit, phase, boardType }: PageBoard,
  { nodes, entryCount }: Podium,
): Drawing {
  const accent = accentOf(game);
  const wide = { x: LEFT, width: RIGHT - LEFT };
  const leaders = nodes.slice(0, MEDALS.length);
  const foot = `${texts.phase[phase]} · ${texts.entries(shownNumber(entryCount), boardType)}`;
  const lines = [
    { ...wide, text: game.name, y: 90, size: 36, least: 26, colour: accent },
    { ...wide, text: name, y: 176, size: 72, least: 44, colour: INK },
    ...leaders.flatMap((score, n) => place(score, unit, n)),
    ...(leaders.length === 0
      ? [{ ...wide, text: texts.noScores, y: 360, size: 44, least: 44, colour: SOFT }]
      : []),
    { ...wide, text: foot, y: 592, size: 28, least: 28, colour: SOFT },
  ];
  const drawn = lines.map((line) => ({ ...line, text: withoutDirections(line.text) }));
  return { ...PREVIEW_SIZE, ground: ground(accent, leaders.length), texts: drawn };
}

interface Podium {
  nodes: ShownScore[];
  entryCount: number;
}

interface Preview {
  png: Buffer;
  /** Of all that the drawing shows besides the podium, and of the board's version. */
  hash: string;
}

interface Wanted {
  hash: string;
  facts: PageBoard;
  podium: () => Promise<Podium>;
}

/** Boards move more often than previews are worth a drawing. */
const LASTS_MS = 60_000;
/** Of some 50 kB each. */
const MOST = 200;

/** Previews of boards as pictures. Each board is drawn at most once a minute, and only when it has changed. */
export class Previews {
  readonly #drawn = new LRUCache<string, Preview, Wanted>({
    max: MOST,
    ttl: LASTS_MS,
    fetchMethod: async (_code, last, { context: { hash, facts, podium } }) => {
      if (last?.hash === hash) return last;
      return { hash, png: await drawnPng(drawingOf(facts, await podium()), facts.game.slug) };
    },
  });

  /**
   * @param hash of the board's version and of what is drawn
   * @throws DomainError UNAVAILABLE when too many drawings wait
   */
  async preview(hash: string, facts: PageBoard, podium: () => Promise<Podium>): Promise<Preview> {
    const context = { hash, facts, podium };
    return (await this.#drawn.fetch(facts.id, { context, allowStale: false }))!;
  }
}
