import { type Html, html } from '../../base/html.js';
import { shownDuration, shownMoment, shownNumber } from './format.js';
import { icon } from './icons.js';
import type { BoardFacts, ListedBoard, PeriodFacts } from './queries.js';
import { texts } from './texts.js';

type Life = Pick<BoardFacts, 'state' | 'startsAt' | 'endsAt' | 'secondsToStart' | 'secondsToEnd'>;

/** Renders the state as one word. */
function stateBadge({ state }: Life): Html {
  return html`<span class="state ${state.toLowerCase()}">${texts.state[state]}</span>`;
}

/** Renders the time to the start or end, or the past end. The page's script keeps it up to date. */
export function timeLeft({ state, startsAt, endsAt, secondsToStart, secondsToEnd }: Life): Html | undefined {
  if (state === 'ENDED' && endsAt !== null) {
    return html`<time datetime="${endsAt}" data-moment="ended">${texts.endedOn(shownMoment(new Date(endsAt)))}</time>`;
  }
  const [moment, seconds, words, kind] =
    state === 'UPCOMING'
      ? [startsAt, secondsToStart, texts.startsIn, 'starts']
      : [endsAt, secondsToEnd, texts.endsIn, 'ends'];
  if (moment === null || seconds === null) return undefined;
  return html`<time datetime="${moment}" data-moment="${kind}" title="${shownMoment(new Date(moment))}">${words(shownDuration(seconds, false))}</time>`;
}

/** Number of scores. */
function size({ entryCount }: Pick<BoardFacts, 'entryCount'>): Html {
  return html`<span class="size">${texts.entries(shownNumber(entryCount))}</span>`;
}

function periodLink(up: string, period: PeriodFacts | null, way: 'previous' | 'next'): Html {
  const words = way === 'previous' ? texts.previousPeriod : texts.nextPeriod;
  const rel = way === 'previous' ? 'prev' : 'next';
  if (period === null) return html`<span class="step ${way}" aria-hidden="true">${words}</span>`;
  return html`<a class="step ${way}" rel="${rel}" href="${up}b/${period.shortCode}"><span>${words}</span> <bdi>${period.name}</bdi></a>`;
}

/** Renders the other boards of the series: links to the previous and next one, and a list. */
function periodPicker(up: string, facts: BoardFacts): Html | undefined {
  const { periods, shortCode, previousPeriod, nextPeriod } = facts;
  if (periods.length < 2) return undefined;
  const choices = periods.map((period) => {
    const current = period.shortCode === shortCode && html` aria-current="page"`;
    return html`<li><a href="${up}b/${period.shortCode}"${current}><bdi>${period.name}</bdi></a></li>`;
  });
  return html`<nav class="periods" aria-label="${texts.period}">
${periodLink(up, previousPeriod, 'previous')}
<details><summary>${texts.otherPeriods}</summary><ol role="list">${choices}</ol></details>
${periodLink(up, nextPeriod, 'next')}
</nav>`;
}

/** Renders name, state, time left and series above a ranking. */
export function boardHead(up: string, facts: BoardFacts, whole: boolean): Html {
  const { name, description, game, boardType, sortDirection } = facts;
  const time = timeLeft(facts);
  // The time has its own line: its length differs from visitor to visitor.
  const next = time ? html`</p>\n<p class="facts">` : html` `;
  return html`<header class="head">
${whole && html`<p class="crumb"><a href="${up}games/${game.slug}"><bdi>${game.name}</bdi></a></p>`}
<h1>${icon(facts.icon)}<bdi>${name}</bdi></h1>
<p class="facts">${stateBadge(facts)} ${time}${next}${size(facts)}${
    whole && html` <span>${texts.direction[sortDirection]}</span> <span>${texts.kind[boardType]}</span>`
  }</p>
${whole && description !== null && html`<p class="about" dir="auto">${description}</p>`}
${whole && periodPicker(up, facts)}
</header>`;
}

/** Renders a board in the list of its game. */
export function boardCard(up: string, board: ListedBoard, leaders: Html | undefined): Html {
  return html`<li class="card"><h3><a href="${up}b/${board.shortCode}">${icon(board.icon)}<bdi>${board.name}</bdi></a></h3>
<p class="facts">${timeLeft(board)} ${size(board)}</p>
${leaders}</li>`;
}
