import { html } from '../../base/html.js';
import { htmlPage, type PageFrame } from './layout.js';
import { logo } from './pictures.js';
import { previewUrl } from './preview.js';
import type { PageBoard } from './queries.js';
import { place, playerFacts, type ShownScore } from './ranking.js';
import { texts } from './texts.js';
import { measureData } from './value.js';

/** Places shown around a player. */
export const NEIGHBOURS = 7;

interface Shown {
  /** The id of the identity. */
  player: string;
  /** The player's best score. */
  score: ShownScore;
  /** The places around it. */
  scores: ShownScore[];
  entryCount: number;
}

/** Renders a player's page on a board. Its address follows the player, not the place. */
export function playerPage(frame: PageFrame, facts: PageBoard, shown: Shown): string {
  const { up } = frame;
  const { player, score, scores, entryCount } = shown;
  const { game, name, shortCode, phase } = facts;
  const board = `${up}b/${shortCode}`;
  const links = { base: `${board}/p/`, me: player };
  const watched = phase === 'LIVE' || phase === 'UPCOMING';
  const body = html`<a class="skip" href="#ranking">${texts.skip}</a>
<main>
<header class="head"><p class="crumb"><a href="${up}games/${game.slug}">${logo(up, game)}<bdi>${game.name}</bdi></a> › <a href="${board}"><bdi>${name}</bdi></a></p>
<h1><bdi>${score.playerName}</bdi></h1>
<p class="facts"><span>${texts.follows}</span> <a href="${board}">${texts.seeBoard}</a></p></header>
<dl class="player-facts" id="player-facts">${playerFacts(player, scores, entryCount, facts)}</dl>
<section class="ranking" id="ranking" aria-labelledby="around" data-board="${facts.id}" data-player="${player}" data-players="${links.base}" data-from="${scores[0]!.rank}" data-size="${NEIGHBOURS}" data-count="${entryCount}" ${measureData(facts)}${watched && html` data-live`}>
<h2 id="around">${texts.around}</h2>
${watched && html`<p class="tools"><span id="connection">${texts.updatesLive}</span> <button type="button" id="pause">${texts.pause}</button></p>`}
<ol role="list" class="places">${scores.map((near) => place(near, facts, links))}</ol>
<p class="spoken" id="spoken" aria-live="polite"></p>
</section>
</main>
<footer><a href="${board}">${texts.wholeBoard}</a><a href="${up}games/${game.slug}">${texts.toGame(game.name)}</a></footer>`;
  return htmlPage(frame, {
    title: `${score.playerName} · ${name}`,
    description: `${texts.placeOf(String(score.displayRank), String(entryCount))} · ${game.name}`,
    picture: previewUrl(facts),
    site: game.name,
    // A person's name is for those who have the link.
    indexed: false,
    kind: 'player',
    game,
    body,
  });
}
