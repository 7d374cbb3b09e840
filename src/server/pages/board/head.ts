import { type Html, html } from '../../../base/html.js';
import { shownNumber } from '../../../base/value-format.js';
import { icon } from '../layout.js';
import { lifeOf, type PageLife } from '../life.js';
import { cover, logo } from '../pictures.js';
import type { BoardLink, PageBoard } from '../queries.js';
import { shownDuration, shownMoment, texts } from '../texts.js';
import type { ShownView } from '../views/facts.js';
import { rankingName } from '../views/pickers.js';

/** Renders the phase as one word. */
export function phaseBadge({ phase }: PageLife): Html {
  return html`<span class="state ${phase.toLowerCase()}">${texts.phase[phase]}</span>`;
}

/** Renders the time to the start or end, or the past end. The page's script keeps it up to date. */
export function timeLeft({
  phase,
  startsAt,
  endsAt,
  secondsToStart,
  secondsToEnd,
}: PageLife): Html | undefined {
  if (phase === 'ENDED' && endsAt !== null) {
    return html`<time datetime="${endsAt}" data-moment="ended">${texts.endedOn(shownMoment(new Date(endsAt)))}</time>`;
  }
  const [moment, seconds, words, kind] =
    phase === 'UPCOMING'
      ? [startsAt, secondsToStart, texts.startsIn, 'starts']
      : [endsAt, secondsToEnd, texts.endsIn, 'ends'];
  if (moment === null || seconds === null) return undefined;
  return html`<time datetime="${moment}" data-moment="${kind}" title="${shownMoment(new Date(moment))}">${words(shownDuration(seconds, false))}</time>`;
}

function size(entryCount: number, type: PageBoard['boardType']): Html {
  return html`<span class="size">${texts.entries(shownNumber(entryCount), type)}</span>`;
}

/** Number of groups, of which one is to be chosen. */
function groupCount({ groups, hasMoreGroups }: ShownView): Html {
  return html`<span class="size">${texts.groups(shownNumber(groups.length), hasMoreGroups)}</span>`;
}

/** Renders name, phase and time left above a ranking. */
export function boardHead(
  up: string,
  facts: PageBoard,
  entryCount: number,
  whole: boolean,
  of: ShownView | undefined,
): Html {
  const { name, description, game, boardType, keepStrategy, sortDirection, proof } = facts;
  const kind = boardType === 'RUN_IDENTITY' ? texts.kind[boardType][keepStrategy] : texts.kind[boardType];
  const picture = whole ? cover(up, game) : undefined;
  const life = lifeOf(facts, of);
  const time = timeLeft(life);
  // The time has its own line: its length differs from visitor to visitor.
  const next = time ? html`</p>\n<p class="facts">` : html` `;
  return html`<header class="head${whole && ' band'}${picture && ' covered'}">${picture}<div>
${whole && html`<p class="crumb"><a href="${up}games/${game.slug}">${logo(up, game)}<bdi>${game.name}</bdi></a></p>`}
<h1>${icon(facts.icon)}<bdi>${name}</bdi></h1>${!whole && of && html`<p class="which">${rankingName(of)}</p>`}
${whole && description !== null && html`<p class="about" dir="auto">${description}</p>`}
<p class="facts">${phaseBadge(life)} ${time}${next}${of && !of.isChosen ? groupCount(of) : size(entryCount, boardType)}${
    whole &&
    html` <span>${texts.direction[sortDirection]}</span> <span>${kind}</span>${proof === 'REQUIRED' && html` <span>${texts.signedInOnly}</span>`}`
  }</p>
</div></header>`;
}

/** Renders a board in a list. @param game shown above it in lists of several games */
export function boardCard(
  up: string,
  board: BoardLink,
  leaders: Html | undefined,
  game?: { name: string; logoUrl: string | null },
): Html {
  return html`<li class="card">${game && html`<p class="of">${logo(up, game)}<bdi>${game.name}</bdi></p>`}<h3><a href="${up}b/${board.shortCode}">${icon(board.icon)}<bdi>${board.name}</bdi></a></h3>
<p class="facts">${timeLeft(board)} ${size(board.ranking.entryCount, board.boardType)}</p>
${leaders}</li>`;
}
