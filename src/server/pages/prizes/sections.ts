import { type Html, html } from '../../../base/html.js';
import { shownNumber } from '../../../base/value-format.js';
import { lifeOf } from '../life.js';
import type { PageBoard } from '../queries.js';
import { type PlayerLinks, placeContent } from '../ranking.js';
import { shownDate, shownDuration, shownMoment, texts } from '../texts.js';
import { valueParts } from '../value.js';
import { rankingQuery } from '../views/address.js';
import type { ShownView } from '../views/facts.js';
import { periodName } from '../views/names.js';
import type { ShownClosings } from './facts.js';
import { prizeFor, prizePicture, prizeRule } from './prize.js';

/** Renders the prizes of a ranking. */
function prizeList({ prizes }: ShownClosings, board: PageBoard): Html | undefined {
  if (!prizes?.lines.length) return undefined;
  const value = (of: number) => {
    const { text, unit } = valueParts(board, { value: of, valueDisplay: null });
    return unit === null ? text : `${text} ${unit}`;
  };
  const rows = prizes.lines.map(
    (prize) =>
      html`<li>${prizePicture(prize)}<bdi>${prize.title}</bdi> <small>${prizeRule(prize, value)}</small></li>`,
  );
  return html`<section class="prizes" aria-labelledby="prizes">
<h2 id="prizes">${texts.prizes}</h2>
${prizes.minimumEntries > 1 && html`<p>${texts.prizesFrom(shownNumber(prizes.minimumEntries))}</p>`}
<ul role="list">${rows}</ul>
</section>`;
}

/** Lines of prizes beside the time that is left for them. */
const FEW_LINES = 3;

/** Renders what there is to win and when it closes, above the ranking: `Golden plane for 1st · closes in 21 h`. */
export function closingLine(
  closings: ShownClosings | undefined,
  board: PageBoard,
  of: ShownView | undefined,
): Html | undefined {
  const lines = closings?.prizes?.lines ?? [];
  const life = lifeOf(board, of);
  const { endsAt, secondsToEnd } = life;
  if (lines.length === 0 || life.phase !== 'LIVE') return undefined;
  const value = (reached: number) => valueParts(board, { value: reached, valueDisplay: null }).text;
  const shown = lines
    .slice(0, FEW_LINES)
    .map(
      (prize, n) =>
        html`${n > 0 && ', '}<b dir="auto">${prize.title}</b> ${texts.prizeFor(prizeFor(prize, value))}`,
    );
  const time =
    endsAt !== null &&
    secondsToEnd !== null &&
    html` · <time datetime="${endsAt}" data-moment="closes" title="${shownMoment(new Date(endsAt))}">${texts.closesIn(shownDuration(secondsToEnd, false))}</time>`;
  return html`<p class="closing">${shown}${lines.length > FEW_LINES && texts.morePrizes(lines.length - FEW_LINES)}${time}</p>`;
}

/** Renders podiums of past periods, or of the board's end. */
function winnerList(
  { winners }: ShownClosings,
  { boardType: _type, ...board }: PageBoard,
  of: ShownView | undefined,
  links: PlayerLinks,
): Html | undefined {
  const shown = winners.filter(({ podium }) => podium.length > 0);
  if (shown.length === 0) return undefined;
  const closings = shown.map(({ period: key, endedAt, podium }) => {
    const period = of?.periods.find((one) => one.key === key);
    const { name, days } = period
      ? periodName(of!.facts, period)
      : { name: key ?? shownDate(new Date(endedAt)), days: undefined };
    const words = html`<bdi>${name}</bdi>${days !== undefined && html` <small>${days}</small>`}`;
    const title = period
      ? html`<a href="?${rankingQuery({ ...of!.place, of: period.key })}">${words}</a>`
      : words;
    const places = podium.map(
      (winner) =>
        html`<li>${placeContent({ ...winner, id: '', rank: winner.displayRank }, board, undefined, links)}</li>`,
    );
    return html`<li><h3>${title}</h3><ol role="list" class="places">${places}</ol></li>`;
  });
  return html`<section class="winners" aria-labelledby="winners">
<h2 id="winners">${texts.pastWinners}</h2>
<ol role="list">${closings}</ol>
</section>`;
}

/** Renders what a board's page shows of closings, below its ranking. */
export function closingSections(
  closings: ShownClosings | undefined,
  board: PageBoard,
  of: ShownView | undefined,
  links: PlayerLinks,
): Html | undefined {
  if (!closings) return undefined;
  return html`${prizeList(closings, board)}${winnerList(closings, board, of, links)}`;
}
