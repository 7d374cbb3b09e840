import { packageVersion } from '../../../base/package.js';
import type { Drawing, DrawnText } from '../../../base/pictures/draw.js';
import { type Measure, shownNumber } from '../../../base/value-format.js';
import { PREVIEW_SIZE } from '../layout.js';
import type { BoardScores, OfRanking, PageBoard, RunQuery } from '../queries.js';
import type { ShownScore } from '../ranking.js';
import { hashOf } from '../send.js';
import { texts, withoutDirections } from '../texts.js';
import { valueParts } from '../value.js';
import { accentOf, ground, INK, LEFT, MEDALS, RIGHT, SOFT, type WantedPreview } from './previews.js';

const ROW = { first: 232, step: 104, height: 90 };

function rows(count: number): string[] {
  return MEDALS.slice(0, count).map((medal, n) => {
    const y = ROW.first + n * ROW.step;
    return `<rect x="${LEFT}" y="${y}" width="${RIGHT - LEFT}" height="${ROW.height}" rx="18" fill="#fff" fill-opacity="0.07"/><circle cx="${LEFT + 58}" cy="${y + ROW.height / 2}" r="29" fill="${medal}"/>`;
  });
}

function place({ playerName, ...score }: ShownScore, measure: Measure, n: number): DrawnText[] {
  const y = ROW.first + n * ROW.step + 60;
  const { text, unit } = valueParts(measure, score);
  const value = unit === null ? text : `${text} ${unit}`;
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
export function boardPreviewUrl({
  urlShort,
  version,
}: Pick<PageBoard, 'urlShort' | 'version'>): string | null {
  return urlShort && `${urlShort}/preview.png?v=${version}`;
}

/** The drawing of a board: game, board and its first three places. */
function drawingOf(
  { name, game, phase, boardType, ...board }: PageBoard,
  { nodes, entryCount }: BoardScores['scores'],
): Drawing {
  const accent = accentOf(game);
  const wide = { x: LEFT, width: RIGHT - LEFT };
  const leaders = nodes.slice(0, MEDALS.length);
  const foot = `${texts.phase[phase]} · ${texts.entries(shownNumber(entryCount), boardType)}`;
  const lines = [
    { ...wide, text: game.name, y: 90, size: 36, least: 26, colour: accent },
    { ...wide, text: name, y: 176, size: 72, least: 44, colour: INK },
    ...leaders.flatMap((score, n) => place(score, board, n)),
    ...(leaders.length === 0
      ? [{ ...wide, text: texts.noScores, y: 360, size: 44, least: 44, colour: SOFT }]
      : []),
    { ...wide, text: foot, y: 592, size: 28, least: 28, colour: SOFT },
  ];
  const drawn = lines.map((line) => ({ ...line, text: withoutDirections(line.text) }));
  return { ...PREVIEW_SIZE, ground: ground(accent, rows(leaders.length)), texts: drawn };
}

/** The preview of a board: it shows the state of at most a minute ago. */
export function boardPreview(run: RunQuery, facts: PageBoard): WantedPreview {
  const { id, version, name, unit, format, phase, game, shortCode: code } = facts;
  const { slug, accentColour } = game;
  const shown = [version, name, unit, JSON.stringify(format), phase, game.name, slug, accentColour];
  const drawing = async () => {
    const { ranking } = await run<OfRanking<BoardScores>>('Scores', 'publicBoard', {
      code,
      from: 1,
      size: 3,
    });
    return drawingOf(facts, ranking.scores);
  };
  return { id, hash: hashOf(...shown, packageVersion), owner: slug, drawing };
}
