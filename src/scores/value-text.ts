import { type Measure, valueText } from '../base/value-format.js';
import { boardById } from '../boards/board/read.js';
import type { Context } from '../graphql/context.js';
import { Score } from '../rankings/score.js';
import type { Outcome } from '../submissions/facts/submission.js';

interface Valued {
  value: number;
  valueDisplay: string | null;
}

/** The text of a value: the game's own, or by the board's format; null: the board has none. */
export function valueTextOf({ format, unit }: Measure, { value, valueDisplay }: Valued): string | null {
  return valueDisplay ?? (format && valueText(format, unit, value));
}

/** Returns the record with its text, which is made for each reader and never stored. */
export function withText<T extends Valued>(board: Measure, record: T): T {
  if (!board.format || record.valueDisplay !== null) return record;
  return { ...record, valueDisplay: valueTextOf(board, record) };
}

export function scoreWithText(board: Measure, score: Score): Score {
  if (!board.format || score.valueDisplay !== null) return score;
  const shown = Score.of(score);
  shown.valueDisplay = valueTextOf(board, score);
  return shown;
}

/** A page of scores. */
interface Page<P> {
  nodes: Score[];
  showing(nodes: Score[]): P;
}

/** The newest format and the scores in it, by the scores of a page, which later readers get, too. */
const texts = new WeakMap<Score[], { name: string; scores: Score[] }>();

/** Returns the page with its texts. Serialized pages are cached by their array of scores, so an array has one format. */
export function pageWithTexts<P extends Page<P>>(board: Measure, page: P): P {
  const { format, unit } = board;
  if (!format) return page;
  const name = JSON.stringify([format, unit]);
  let shown = texts.get(page.nodes);
  if (shown?.name !== name) {
    shown = { name, scores: page.nodes.map((score) => scoreWithText(board, score)) };
    texts.set(page.nodes, shown);
  }
  return page.showing(shown.scores);
}

/** The score with its text, for lists of several boards. */
export async function scoreInText({ loaders }: Pick<Context, 'loaders'>, score: Score): Promise<Score> {
  const board = await loaders.of(boardById).load(score.boardId);
  return board ? scoreWithText(board, score) : score;
}

/** The score with its text. Replays, and what is looked up after a lost commit, do not tell how the board shows its values. */
export async function scoreOfOutcome(
  context: Pick<Context, 'loaders'>,
  { score, measure }: Outcome,
): Promise<Score> {
  if (measure === undefined) return scoreInText(context, score);
  return measure ? scoreWithText(measure, score) : score;
}
