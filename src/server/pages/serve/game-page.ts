import { type Html, html } from '../../../base/html.js';
import { boardCard } from '../board/head.js';
import { htmlPage, type PageFrame } from '../layout.js';
import { cover, logo } from '../pictures.js';
import type { BoardLink, GameFacts } from '../queries.js';
import { placeContent } from '../ranking.js';
import { texts } from '../texts.js';

function leaders({ ranking, ...board }: BoardLink): Html | undefined {
  const { nodes } = ranking.leaders;
  if (nodes.length === 0) return undefined;
  return html`<ol role="list" class="leaders">${nodes.map((score) => html`<li>${placeContent(score, board)}</li>`)}</ol>`;
}

/** Returns the boards with the studio's featured board first, the others in the order of the list. */
function inOrder(boards: BoardLink[], first: string | undefined): BoardLink[] {
  return boards.toSorted((a, b) => Number(b.id === first) - Number(a.id === first));
}

function group(id: string, title: string, up: string, boards: BoardLink[]): Html | undefined {
  if (boards.length === 0) return undefined;
  const cards = boards.map((board) => boardCard(up, board, leaders(board)));
  return html`<section class="group" aria-labelledby="${id}"><h2 id="${id}">${title}</h2><ul role="list" class="cards">${cards}</ul></section>\n`;
}

/** Renders a game with its boards by state. */
export function gamePage(frame: PageFrame, game: GameFacts, later: boolean): string {
  const { up } = frame;
  const first = game.defaultBoard?.id;
  const { hasNextPage, endCursor } = game.ended.pageInfo;
  // Later pages show ended boards only.
  const current = later ? [] : [game.live, game.upcoming];
  const groups = [
    group('live', texts.live, up, inOrder(current[0]?.nodes ?? [], first)),
    group('upcoming', texts.upcoming, up, inOrder(current[1]?.nodes ?? [], first)),
    group('ended', texts.ended, up, game.ended.nodes),
  ];
  const body = html`<main>
<header class="head">${cover(up, game)}<h1>${logo(up, game)}<bdi>${game.name}</bdi></h1>
${game.description !== null && html`<p class="about" dir="auto">${game.description}</p>`}</header>
${groups}${groups.every((shown) => shown === undefined) && html`<p class="empty">${texts.noBoards}</p>`}
${hasNextPage && html`<p class="more"><a href="?after=${encodeURIComponent(endCursor ?? '')}">${texts.earlier}</a></p>`}
</main>
${game.pageUrl !== null && html`<footer><a href="${game.pageUrl}" rel="noopener">${texts.aboutGame}</a></footer>`}`;
  return htmlPage(frame, {
    title: `${game.name} · ${texts.boards}`,
    description: game.description ?? texts.gameSummary(game.name),
    url: game.url,
    site: game.name,
    indexed: !later,
    game,
    body,
  });
}
