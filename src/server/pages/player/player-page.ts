import { html } from '../../../base/html.js';
import { BOARD_PAGE_SIZE, type PageView } from '../address.js';
import { phaseBadge, timeLeft } from '../board/head.js';
import { type Details, verifiedMark } from '../details.js';
import { htmlPage, type PageFrame } from '../layout.js';
import { overlayClasses } from '../overlay-look.js';
import { cover, logo } from '../pictures.js';
import { playerPreviewUrl } from '../previews/player.js';
import type { PageBoard } from '../queries.js';
import { place, playerFacts, rankHref } from '../ranking.js';
import { texts } from '../texts.js';
import { measureData } from '../value.js';
import type { PlayerFacts, PlayerPast, PlayerSplits } from './facts.js';
import { historySection } from './history.js';
import { otherPlaces, seriesPlaces, seriesSteps, viewPlaces } from './places.js';
import { splitsSection } from './splits.js';

/** Places shown around a player. */
export const NEIGHBOURS = 7;

interface Shown extends PlayerFacts {
  /** The id of the identity. */
  player: string;
  /** Of boards whose public fields name `history`. */
  past: PlayerPast | undefined;
  /** Of boards whose public fields name `splits`. */
  splits: PlayerSplits | undefined;
}

/** Facts in rows that live updates bring along. */
const IN_ROWS: Details['fields'] = ['DATE', 'GAP'];

/** Renders a player's page on a board. Its address follows the player, not the place. */
export function playerPage(
  frame: PageFrame,
  facts: PageBoard,
  view: Pick<PageView, 'look'>,
  shown: Shown,
): string {
  const { up } = frame;
  const { player, ranking, entriesOf, past, splits } = shown;
  const { game, name, shortCode, phase } = facts;
  const { nodes: scores, entryCount } = ranking.scores;
  const score = ranking.entry!;
  const board = `${up}b/${shortCode}`;
  const links = { base: `${board}/p/`, me: player };
  const watched = phase === 'LIVE' || phase === 'UPCOMING';
  const leader = ranking.leader.nodes[0];
  const fields = facts.publicFields.filter((field) => IN_ROWS.includes(field));
  const details = { fields, leader, up };
  const picture = cover(up, game);
  const row = board + rankHref(score.rank, BOARD_PAGE_SIZE, undefined);
  const of = { up, player, facts };
  const elsewhere = past?.placesElsewhere ?? [];
  const panels = [
    viewPlaces(board, facts, entriesOf, past?.earlier ?? []),
    splits && splitsSection(splits),
    past?.historyOf && historySection(past.historyOf, facts),
    seriesPlaces(of, elsewhere, { ...score, ranking: { totalCount: entryCount } }),
    otherPlaces(of, elsewhere),
  ];
  const body = html`<a class="skip" href="#ranking">${texts.skip}</a>
<header class="head band${picture && ' covered'}">${picture}<div>
<p class="crumb"><a href="${up}games/${game.slug}">${logo(up, game)}<bdi>${game.name}</bdi></a></p>
<h1><bdi>${score.playerName}</bdi></h1>
<p class="about">${texts.onBoard} <a href="${board}"><bdi>${name}</bdi></a></p>
<p class="facts">${phaseBadge(facts)} ${timeLeft(facts)}${score.verifiedAt !== null && html` ${verifiedMark(score.verifiedAt)}`}</p>
</div></header>
<main>
${seriesSteps(of, elsewhere)}
<div class="bar who"><span>${texts.follows}</span><button type="button" id="me" data-game="${game.slug}" data-player="${player}" hidden>${texts.me.isMe}</button><button type="button" id="share" hidden>${texts.share}</button>${score.watchUrl !== null && html`<a class="button" href="?watch" rel="nofollow">${texts.watch}</a>`}<a href="?overlay=1">${texts.overlay.plate}</a><a class="button" href="${row}">${texts.seeBoard}</a></div>
<div class="halves">
<dl class="player-facts" id="player-facts">${playerFacts(player, scores, entryCount, facts, leader)}</dl>
<section class="ranking" id="ranking" aria-labelledby="around" data-board="${facts.id}" data-player="${player}" data-players="${links.base}" data-from="${scores[0]!.rank}" data-size="${NEIGHBOURS}" data-count="${entryCount}" ${measureData(facts)} data-type="${facts.boardType}"${fields.length > 0 && html` data-fields="${fields.join(' ')}"`} data-leader="${JSON.stringify(leader ?? null)}"${watched && html` data-live`}>
<header><h2 id="around">${texts.around}</h2>
${watched && html`<p class="tools"><span id="connection">${texts.updatesLive}</span> <button type="button" id="pause">${texts.pause}</button></p>`}</header>
<ol role="list" class="places">${scores.map((near) => place(near, facts, links, details))}</ol>
<p class="spoken" id="spoken" aria-live="polite"></p>
</section>
<div id="player-more">${panels}</div>
</div>
</main>
<footer><a href="${board}">${texts.wholeBoard}</a><a href="${up}games/${game.slug}">${texts.toGame(game.name)}</a></footer>`;
  return htmlPage(frame, {
    title: `${score.playerName} · ${name}`,
    description: `${texts.placeOf(String(score.displayRank), String(entryCount))} · ${game.name}`,
    picture: playerPreviewUrl(facts, player),
    site: game.name,
    // A person's name is for those who have the link.
    indexed: false,
    kind: 'player',
    classes: view.look && ['plate', ...overlayClasses(view.look)],
    game,
    body,
  });
}
