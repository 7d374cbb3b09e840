import { Html, html } from '../../../base/html.js';
import { type Measure, shownNumber } from '../../../base/value-format.js';
import type { PageBoard } from '../queries.js';
import { valueCell } from '../ranking.js';
import { shownDate, shownMoment, texts } from '../texts.js';
import { valueParts } from '../value.js';
import type { PastRunFacts } from './facts.js';
import { lines } from './lines.js';

/** Units of the drawing. */
const CHART = { width: 640, height: 150, edge: 8 };

interface Point {
  x: number;
  y: number;
}

const at = ({ x, y }: Point) => `${x.toFixed(1)} ${y.toFixed(1)}`;

/** Places of the runs, oldest first: in time from left to right, better values higher. */
function pointsOf(runs: readonly PastRunFacts[], isLower: boolean, fromZero: boolean): Point[] {
  const times = runs.map(({ submittedAt }) => Date.parse(submittedAt));
  const values = runs.map(({ value }) => value);
  const [start, end] = [times[0]!, times.at(-1)!];
  const [least, most] = [Math.min(...values, fromZero ? 0 : Number.POSITIVE_INFINITY), Math.max(...values)];
  const [width, height] = [CHART.width - 2 * CHART.edge, CHART.height - 2 * CHART.edge];
  return runs.map(({ value }, n) => {
    const along = end > start ? (times[n]! - start) / (end - start) : 0.5;
    // Scaled before the difference: values of any size are finite, their differences perhaps not.
    const up = most > least ? (value / 2 - least / 2) / (most / 2 - least / 2) : 0.5;
    return { x: CHART.edge + along * width, y: CHART.edge + (isLower ? up : 1 - up) * height };
  });
}

/** The best value so far, as steps: better is higher. */
function bestLine(points: readonly Point[]): string {
  let best = points[0]!;
  const steps = points.slice(1).map((point) => {
    const level = best.y;
    if (point.y < best.y) best = point;
    return `L${at({ x: point.x, y: level })}L${at({ x: point.x, y: best.y })}`;
  });
  return `M${at(points[0]!)}${steps.join('')}`;
}

/** Draws the runs, oldest first; the words below say what it shows. */
function chart(runs: readonly PastRunFacts[], facts: PageBoard, best: number | undefined): Html {
  const isCounter = facts.boardType === 'COUNTER';
  const points = pointsOf(runs, facts.sortDirection === 'ASC', isCounter);
  const bottom = CHART.height - CHART.edge;
  const marks = points.map(({ x, y }, n) =>
    isCounter
      ? `<path class="bar-line" d="M${at({ x, y: bottom })}L${at({ x, y })}"/>`
      : `<circle${n === best ? ' class="best"' : ''} cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${n === best ? 5.5 : 3.5}"/>`,
  );
  const line = isCounter ? '' : `<path class="line" d="${bestLine(points)}"/>`;
  const [first, last] = [runs[0]!, runs.at(-1)!].map(({ submittedAt }) => shownDate(new Date(submittedAt)));
  const top = best === undefined ? undefined : valueParts(facts, runs[best]!);
  const words = texts.chart(shownNumber(runs.length), first!, last!, top && withUnit(top));
  return html`<figure class="chart"><svg viewBox="0 0 ${CHART.width} ${CHART.height}" role="img" aria-label="${words}">${new Html(line + marks.join(''))}</svg>
<figcaption><span>${first}</span><span>${last}</span></figcaption></figure>`;
}

const withUnit = ({ text, unit }: { text: string; unit: string | null }) =>
  unit === null ? text : `${text} ${unit}`;

/** The place of the best run, oldest first; of equal ones the earliest. Undefined where runs are added up. */
function bestOf(runs: readonly PastRunFacts[], { boardType, sortDirection }: PageBoard): number | undefined {
  if (boardType === 'COUNTER') return undefined;
  const sign = sortDirection === 'ASC' ? -1 : 1;
  return runs.reduce((best, { value }, n) => (sign * value > sign * runs[best]!.value ? n : best), 0);
}

function row(run: PastRunFacts, measure: Measure, isBest: boolean): Html {
  const moment = new Date(run.submittedAt);
  const day = html`<time datetime="${run.submittedAt}" title="${shownMoment(moment)}">${shownDate(moment)}</time>`;
  return html`<li>${day}${isBest && html` <small class="tag">${texts.best}</small>`}${valueCell(run, measure)}</li>`;
}

/** Renders a player's runs as a small chart and a list. @param past newest first */
export function historySection(past: readonly PastRunFacts[], facts: PageBoard): Html | undefined {
  if (past.length === 0) return undefined;
  const runs = past.toReversed();
  const best = bestOf(runs, facts);
  const rows = past.map((run, n) => row(run, facts, runs.length - 1 - n === best));
  return html`<section class="panel runs" aria-labelledby="history"><h2 id="history">${texts.history}</h2>
${runs.length > 1 && chart(runs, facts, best)}
${lines(rows)}
</section>`;
}
