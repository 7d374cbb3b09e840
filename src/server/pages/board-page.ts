import { type Html, html } from '../../base/html.js';
import type { View } from './address.js';
import { boardHead } from './board-head.js';
import { shownNumber } from './format.js';
import { type Document, type Frame, pageOf } from './layout.js';
import type { BoardFacts } from './queries.js';
import { pageStart, pages, place, placeContent, type ShownScore, shownValue } from './ranking.js';
import { texts } from './texts.js';

/** The content of a board's page besides its facts. */
export interface Shown {
  scores: ShownScore[];
  /** Number of scores in the same snapshot as the scores. */
  entryCount: number;
  /** The players that a search found; undefined: no search. */
  found?: ShownScore[];
}

function emptyNote({ state }: BoardFacts, { from }: View): Html {
  if (from > 1) return html`<p class="empty">${texts.nothingHere}</p>`;
  if (state === 'ENDED' || state === 'INACTIVE') return html`<p class="empty">${texts.noScoresEnded}</p>`;
  const more = state === 'UPCOMING' ? texts.noScoresUpcoming : texts.noScoresLive;
  return html`<p class="empty">${texts.noScores} ${more}</p>`;
}

/** Renders the places, and the data for the page's script to update them. */
function ranking(facts: BoardFacts, view: View, { scores, entryCount }: Shown): Html {
  const watched = facts.state === 'LIVE' || facts.state === 'UPCOMING';
  return html`<section class="ranking" id="ranking" aria-label="${texts.ranking}" data-board="${facts.id}" data-from="${view.from}" data-size="${view.size}" data-count="${entryCount}" data-unit="${facts.unit}"${watched && html` data-live`}>
${watched && html`<p class="tools"><span id="connection">${texts.updatesLive}</span> <button type="button" id="pause">${texts.pause}</button></p>`}
<ol role="list" start="${view.from}" class="places${view.from === 1 ? ' top' : ''}">${scores.map((score) => place(score, facts.unit))}</ol>
${scores.length === 0 && emptyNote(facts, view)}
<p class="spoken" id="spoken" aria-live="polite"></p>
</section>`;
}

function jumpForms(view: View): Html {
  return html`<section class="jump" aria-label="${texts.jump}">
<form method="get" role="search"><label for="player">${texts.player}</label><div><input id="player" name="player" type="search" required maxlength="64" autocomplete="off" value="${view.player}"><button>${texts.find}</button></div></form>
<form method="get"><label for="rank">${texts.goToRank}</label><div><input id="rank" name="rank" inputmode="numeric" pattern="[0-9]*" required maxlength="15" autocomplete="off"><button>${texts.go}</button></div></form>
</section>`;
}

function results(facts: BoardFacts, view: View, found: ShownScore[]): Html {
  const name = view.player ?? '';
  const links = found.map((score) => {
    const href = `?from=${pageStart(score.rank, view.size)}#rank-${score.rank}`;
    return html`<li><a href="${href}">${placeContent(score, facts.unit)}</a></li>`;
  });
  return html`<section class="found" id="ranking" aria-labelledby="found">
<h2 id="found">${found.length === 0 ? texts.foundNobody(name) : texts.found(found.length, name)}</h2>
<ol role="list" class="places">${links}</ol>
<p><a href="?">${texts.backToRanking}</a></p>
</section>`;
}

/** Returns the text of previews: the first three ranks, the game and the number of scores. */
function summary(facts: BoardFacts, { scores, entryCount }: Shown): string {
  const leaders = scores
    .filter(({ rank }) => rank <= 3)
    .map((score) => `${score.rank}. ${score.playerName} (${shownValue(score)})`);
  const about = texts.boardSummary(facts.game.name, texts.entries(shownNumber(entryCount)));
  return [leaders.join(', '), about].filter(Boolean).join(' · ');
}

/** Renders a board as a page, as part of another page, or as an overlay over a video. */
export function boardPage(frame: Frame, facts: BoardFacts, view: View, shown: Shown): string {
  const { up, variant } = frame;
  const paging = { from: view.from, size: view.size, entryCount: shown.entryCount };
  const whole = variant === 'page';
  const body = html`${whole && html`<a class="skip" href="#ranking">${texts.skip}</a>\n`}<main>
${boardHead(up, facts, whole)}
${whole && shown.entryCount > 0 && jumpForms(view)}
${shown.found ? results(facts, view, shown.found) : ranking(facts, view, shown)}
${whole && !shown.found && html`<nav class="pages" aria-label="${texts.pages}">${pages(paging)}</nav>`}
${variant === 'embed' && html`<p class="more"><a href="${up}b/${facts.shortCode}" target="_blank" rel="noopener">${texts.wholeBoard}</a></p>`}
</main>
${
  whole &&
  html`<footer><a href="${up}games/${facts.game.slug}">${texts.toGame(facts.game.name)}</a>${
    facts.game.pageUrl !== null && html`<a href="${facts.game.pageUrl}" rel="noopener">${texts.aboutGame}</a>`
  }</footer>`
}`;
  const document: Document = {
    title: `${facts.name} · ${facts.game.name}`,
    description: summary(facts, shown),
    url: facts.urlShort,
    site: facts.game.name,
    indexed: whole && view.from === 1 && !shown.found,
    colour: facts.game.slug,
    body,
  };
  return pageOf(frame, document);
}
