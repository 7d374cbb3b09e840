import { packageVersion } from '../../../base/package.js';
import type { Drawing } from '../../../base/pictures/draw.js';
import { shownNumber } from '../../../base/value-format.js';
import { PREVIEW_SIZE } from '../layout.js';
import type { PageBoard } from '../queries.js';
import type { ShownScore } from '../ranking.js';
import { hashOf } from '../send.js';
import { texts, withoutDirections } from '../texts.js';
import { valueParts } from '../value.js';
import { accentOf, ground, INK, LEFT, MEDALS, RIGHT, SOFT, type WantedPreview } from './previews.js';

const BOX = { y: 306, height: 212, width: (RIGHT - LEFT - 32) / 2 };
const SECOND = LEFT + BOX.width + 32;

/** Absolute address of a player's picture; null where the service does not know its own. */
export function playerPreviewUrl(
  { urlShort, version }: Pick<PageBoard, 'urlShort' | 'version'>,
  player: string,
): string | null {
  return urlShort && `${urlShort}/p/${player}/preview.png?v=${version}`;
}

/** Two boxes, the first with the medal of the podium. */
function shapes(rank: number): string[] {
  const boxes = [LEFT, SECOND].map(
    (x) =>
      `<rect x="${x}" y="${BOX.y}" width="${BOX.width}" height="${BOX.height}" rx="18" fill="#fff" fill-opacity="0.07"/>`,
  );
  const medal = MEDALS[rank - 1];
  if (!medal) return boxes;
  return [...boxes, `<circle cx="${LEFT + BOX.width - 66}" cy="${BOX.y + 66}" r="34" fill="${medal}"/>`];
}

function drawingOf({ name, game, phase, boardType, ...board }: PageBoard, score: ShownScore, count: number) {
  const accent = accentOf(game);
  const { text, unit } = valueParts(board, score);
  const wide = { x: LEFT, width: RIGHT - LEFT };
  const [first, second] = [LEFT, SECOND].map((x) => ({ x: x + 36, width: BOX.width - 72 }));
  const label = { y: BOX.y + 56, size: 30, least: 30, colour: SOFT };
  const figure = { y: BOX.y + 136, size: 76, least: 34, colour: INK };
  const below = { y: BOX.y + 184, size: 30, least: 22, colour: SOFT };
  const lines = [
    { ...wide, text: `${game.name} · ${name}`, y: 100, size: 36, least: 26, colour: accent },
    { ...wide, text: score.playerName, y: 230, size: 88, least: 44, colour: INK },
    { ...first!, ...label, text: texts.place },
    { ...first!, ...figure, text: shownNumber(score.displayRank) },
    { ...first!, ...below, text: texts.placeAmong(texts.entries(shownNumber(count), boardType)) },
    { ...second!, ...label, text: texts.value },
    { ...second!, ...figure, text },
    ...(unit === null ? [] : [{ ...second!, ...below, text: unit }]),
    { ...wide, text: texts.phase[phase], y: 586, size: 28, least: 28, colour: SOFT },
  ];
  const drawn = lines.map((line) => ({ ...line, text: withoutDirections(line.text) }));
  return {
    ...PREVIEW_SIZE,
    ground: ground(accent, shapes(score.displayRank)),
    texts: drawn,
  } satisfies Drawing;
}

/** The preview of a player on a board: name, rank and value. */
export function playerPreview(
  facts: PageBoard,
  player: string,
  score: ShownScore,
  count: number,
): WantedPreview {
  const { id, name, unit, format, phase, game } = facts;
  const { playerName, displayRank, value, valueDisplay } = score;
  const shown = [
    playerName,
    displayRank,
    value,
    valueDisplay,
    count,
    name,
    unit,
    JSON.stringify(format),
    phase,
  ];
  const hash = hashOf(...shown, game.name, game.slug, game.accentColour, packageVersion);
  return { id: `${id}/${player}`, hash, owner: game.slug, drawing: () => drawingOf(facts, score, count) };
}
