import { type Html, html } from '../../../base/html.js';
import { shownNumber } from '../../../base/value-format.js';
import type { PageView } from '../address.js';
import { verifiedValues } from '../details.js';
import { type Document, htmlPage, type PageFrame } from '../layout.js';
import { overlayClasses } from '../overlay-look.js';
import { boardPreviewUrl } from '../previews/board.js';
import type { ShownClosings } from '../prizes/facts.js';
import { prizeBeside } from '../prizes/prize.js';
import { closingLine, closingSections } from '../prizes/sections.js';
import type { NeighbourBoard, PageBoard } from '../queries.js';
import { pages, place, placeContent, rankHref, type ShownScore } from '../ranking.js';
import { texts } from '../texts.js';
import { measureData, valueParts } from '../value.js';
import { ownQuery, rankingQuery } from '../views/address.js';
import type { ShownView } from '../views/facts.js';
import {
  groupChoice,
  groupPicker,
  isDropped,
  keptPodium,
  keptTotal,
  type PeriodChoice,
  periodPicker,
  rankingName,
  viewPeriodPicker,
  viewPicker,
} from '../views/pickers.js';
import { boardHead } from './head.js';

/** The content of a board's page besides its facts. */
interface Shown {
  scores: ShownScore[];
  /** Number of scores in the same snapshot as the scores. */
  entryCount: number;
  /** The first place; undefined: there is none, or nothing is measured by it. */
  leader?: Pick<ShownScore, 'value' | 'valueDisplay'> | undefined;
  /** The players that a search found; undefined: no search. */
  found?: ShownScore[];
  /** The view whose ranking it is; undefined: the board's own. */
  ranking?: ShownView | undefined;
  closings?: ShownClosings | undefined;
}

function emptyNote({ phase }: PageBoard, { from }: PageView, isOver: boolean): Html {
  if (from > 1) return html`<p class="empty">${texts.nothingHere}</p>`;
  if (isOver || phase === 'ENDED' || phase === 'INACTIVE')
    return html`<p class="empty">${texts.noScoresEnded}</p>`;
  const more = phase === 'UPCOMING' ? texts.noScoresUpcoming : texts.noScoresLive;
  return html`<p class="empty">${texts.noScores} ${more}</p>`;
}

/** Renders the places, and the data for the page's script to update them. */
function ranking(up: string, facts: PageBoard, view: PageView, shown: Shown): Html {
  const { scores, entryCount, leader, ranking: of, closings } = shown;
  // Overlays show names and values alone.
  const named = view.variant === 'overlay' ? [] : facts.publicFields;
  const prizes = closings?.prizes ? closings.ofRanks : undefined;
  const isMarked = facts.hasVerdicts && view.variant !== 'overlay';
  const details = { fields: named, leader, up, isMarked, prize: prizeBeside(prizes) };
  const fields = named.join(' ');
  const isOver = of?.period !== undefined && of.period.state !== 'OPEN';
  // Parts of other pages and overlays have no links to players.
  const links = view.variant === 'page' ? { base: `${up}b/${facts.shortCode}/p/` } : undefined;
  if (of && isDropped(of)) return keptPodium(of, facts, links);
  const watched = !isOver && (facts.phase === 'LIVE' || facts.phase === 'UPCOMING');
  return html`<section class="ranking" id="ranking" aria-label="${texts.ranking}" data-board="${facts.id}" data-from="${view.from}" data-size="${view.size}" data-count="${entryCount}" ${measureData(facts)} data-type="${facts.boardType}"${links && html` data-players="${links.base}"`}${fields !== '' && html` data-fields="${fields}"`}${of && html` data-view="${of.facts.name}"`}${prizes && html` data-prizes="${JSON.stringify(prizes)}"`}${isMarked && html` data-verified="${JSON.stringify(verifiedValues(scores))}"`}${watched && html` data-live`}>
${watched && html`<p class="tools"><span id="connection">${texts.updatesLive}</span> <button type="button" id="pause">${texts.pause}</button></p>`}
<ol role="list" start="${view.from}" class="places${view.from === 1 ? ' top' : ''}">${scores.map((score) => place(score, facts, links, details))}</ol>
${scores.length === 0 && emptyNote(facts, view, isOver)}
<p class="spoken" id="spoken" aria-live="polite"></p>
</section>`;
}

/** The parameters of a ranking, for forms that stay in it. */
function hiddenPlace(facts: PageBoard, of: ShownView | undefined): Html[] {
  const pairs = [...new URLSearchParams(of ? rankingQuery(of.place) : ownQuery(facts))];
  return pairs.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
}

function searchForm(facts: PageBoard, view: PageView, of: ShownView | undefined): Html {
  return html`<form method="get" role="search" class="find">${hiddenPlace(facts, of)}<label class="spoken" for="player">${texts.player}</label><input id="player" name="player" type="search" required maxlength="64" autocomplete="off" placeholder="${texts.player}" value="${view.player}"><button>${texts.find}</button></form>`;
}

function rankForm(facts: PageBoard): Html {
  return html`<form method="get" class="jump">${hiddenPlace(facts, undefined)}<label for="rank">${texts.goToRank}</label> <input id="rank" name="rank" inputmode="numeric" pattern="[0-9]*" required maxlength="15" size="7" autocomplete="off"><button>${texts.go}</button></form>`;
}

function results(facts: PageBoard, view: PageView, found: ShownScore[], query: string | undefined): Html {
  const name = view.player ?? '';
  const links = found.map((score) => {
    const href = rankHref(score.rank, view.size, query);
    return html`<li><a href="${href}">${placeContent(score, facts)}</a></li>`;
  });
  return html`<section class="found" id="ranking" aria-labelledby="found">
<h2 id="found">${found.length === 0 ? texts.noneFound(name) : texts.found(found.length, name)}</h2>
<ol role="list" class="places">${links}</ol>
<p><a href="?${query}">${texts.backToRanking}</a></p>
</section>`;
}

/** Returns the text of previews: the first three ranks, the game and the number of scores. */
function summary(facts: PageBoard, { scores, entryCount, ranking: of }: Shown): string {
  const leaders = scores
    .filter(({ rank }) => rank <= 3)
    .map((score) => `${score.displayRank}. ${score.playerName} (${valueParts(facts, score).text})`);
  const count =
    of && !of.isChosen
      ? texts.groups(shownNumber(of.groups.length), of.hasMoreGroups)
      : texts.entries(shownNumber(of && isDropped(of) ? keptTotal(of) : entryCount), facts.boardType);
  const about = texts.boardSummary(facts.game.name, count);
  return [leaders.join(', '), about].filter(Boolean).join(' · ');
}

/** True if a stream can follow what is shown. */
function isFollowed({ phase }: PageBoard, of: ShownView | undefined): boolean {
  if (phase !== 'LIVE' && phase !== 'UPCOMING') return false;
  return !of || (of.isChosen && of.period?.state !== 'CLOSED' && !isDropped(of));
}

/** Renders a board as a page, as part of another page, or as an overlay over a video. */
export function renderBoardPage(frame: PageFrame, facts: PageBoard, view: PageView, shown: Shown): string {
  const { up, variant } = frame;
  const { ranking: of } = shown;
  const query = of ? rankingQuery(of.place) : ownQuery(facts);
  const isDefault = query === new URLSearchParams({ view: facts.defaultView ?? '' }).toString();
  const paging = { from: view.from, size: view.size, entryCount: shown.entryCount, query };
  const whole = variant === 'page';
  const name = of ? `${facts.name} · ${rankingName(of)}` : facts.name;
  const head = boardHead(
    up,
    facts,
    of ? (isDropped(of) ? keptTotal(of) : shown.entryCount) : facts.ranking.entryCount,
    whole,
    of,
  );
  const isListed = shown.entryCount > 0 && !shown.found;
  let content = ranking(up, facts, view, shown);
  if (shown.found) content = results(facts, view, shown.found, query);
  else if (of && !of.isChosen) content = groupChoice(up, of, facts.boardType);
  const body = html`${whole && html`<a class="skip" href="#ranking">${texts.skip}</a>\n${head}\n`}<main>
${whole ? html`${shareBar(up, facts, of)}${toolbar(up, facts, view, shown)}` : head}
${!shown.found && (!of || of.isChosen) && closingLine(shown.closings, facts, of)}
${content}
${whole && !shown.found && html`<nav class="pages" aria-label="${texts.pages}">${pages(paging)}</nav>`}
${whole && !of && isListed && rankForm(facts)}
${whole && !shown.found && closingSections(shown.closings, facts, of, { base: `${up}b/${facts.shortCode}/p/` })}
${variant === 'embed' && html`<p class="more"><a href="${up}b/${facts.shortCode}" target="_blank" rel="noopener">${texts.wholeBoard}</a></p>`}
</main>
${
  whole &&
  html`<footer><a href="${up}games/${facts.game.slug}">${texts.toGame(facts.game.name)}</a>${
    facts.game.pageUrl !== null && html`<a href="${facts.game.pageUrl}" rel="noopener">${texts.aboutGame}</a>`
  }</footer>
<aside class="own-rank" id="own-rank" aria-label="${texts.me.you}" data-game="${facts.game.slug}" data-code="${facts.shortCode}" data-players="${up}b/${facts.shortCode}/p/" hidden></aside>`
}`;
  const document: Document = {
    title: `${name} · ${facts.game.name}`,
    description: summary(facts, shown),
    url:
      facts.urlShort !== null && query !== undefined && !isDefault
        ? `${facts.urlShort}?${query}`
        : facts.urlShort,
    picture: boardPreviewUrl(facts),
    site: facts.game.name,
    indexed: whole && view.from === 1 && !shown.found,
    classes: view.look && overlayClasses(view.look),
    game:
      view.look?.accent === undefined ? facts.game : { ...facts.game, accentColour: `#${view.look.accent}` },
    body,
  };
  return htmlPage(frame, document);
}

/** Renders what visitors take the board elsewhere with. */
function shareBar(up: string, facts: PageBoard, of: ShownView | undefined): Html {
  const { shortCode } = facts;
  // Builders are for rankings that go on.
  const place = of && isFollowed(facts, of) && rankingQuery({ ...of.place, of: undefined });
  const query = place ? html`?ranking=${encodeURIComponent(place)}` : undefined;
  return html`<p class="share"><button type="button" id="share" hidden>${texts.share}</button><a href="${up}b/${shortCode}/embed${query}">${texts.embed.title}</a>${
    isFollowed(facts, of) && html`<a href="${up}b/${shortCode}/overlay${query}">${texts.overlay.title}</a>`
  }</p>
`;
}

/** Renders the choice of another board of the series. */
function seriesPicker(up: string, facts: PageBoard): Html | undefined {
  const { series, shortCode, previousBoard, nextBoard } = facts;
  if (series.nodes.length < 2) return undefined;
  const choiceOf = (board: NeighbourBoard): PeriodChoice => ({
    href: `${up}b/${board.shortCode}`,
    name: board.name,
    isShown: board.shortCode === shortCode,
  });
  const [previous, next] = [previousBoard, nextBoard].map((board) => board && choiceOf(board));
  return periodPicker(facts, series.nodes.map(choiceOf), previous ?? undefined, next ?? undefined);
}

/** Renders what chooses the ranking and a player in it, in one bar. */
function toolbar(
  up: string,
  facts: PageBoard,
  view: PageView,
  { entryCount, found, ranking: of }: Shown,
): Html {
  const isSearched = (entryCount > 0 || found !== undefined) && (of ? of.isChosen && !isDropped(of) : true);
  const parts = [
    of && viewPeriodPicker(of),
    // Of two, the view's is nearer to what is shown.
    (!of || of.periods.length === 0) && seriesPicker(up, facts),
    isSearched && searchForm(facts, view, of),
    viewPicker(facts, of),
    of && groupPicker(up, of, facts.boardType),
  ].filter(Boolean);
  return parts.length === 0 ? html`` : html`<div class="bar">${parts}</div>`;
}
