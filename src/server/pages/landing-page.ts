import { LRUCache } from 'lru-cache';
import { DomainError } from '../../base/errors.js';
import { type Html, html } from '../../base/html.js';
import { isId } from '../../base/ids.js';
import { masthead } from '../../base/masthead.js';
import { boardCard } from './board/board-page.js';
import { htmlPage, type PageFrame } from './layout.js';
import type { LandingBoard, RunQuery } from './queries.js';
import { leader } from './ranking.js';
import { texts } from './texts.js';

/** Visitors share one reading of the boards for so long. */
const SHARED_MS = 2_000;

/** The boards that the operator named for the first page. */
export class Landing {
  readonly #read: LRUCache<'boards', LandingBoard[], RunQuery>;

  /** @param names short codes or ids */
  constructor(names: readonly string[]) {
    this.#read = new LRUCache({
      max: 1,
      ttl: SHARED_MS,
      fetchMethod: async (_key, _stale, { context }) => {
        const boards = await Promise.all(names.map((name) => readBoard(context, name)));
        return boards.filter((board) => board !== undefined);
      },
    });
  }

  /** Returns those that visitors may see, in the operator's order. */
  async boards(run: RunQuery): Promise<LandingBoard[]> {
    return (await this.#read.fetch('boards', { context: run })) ?? [];
  }
}

async function readBoard(run: RunQuery, name: string): Promise<LandingBoard | undefined> {
  const variables = isId('board', name) ? { id: name } : { code: name };
  try {
    const board = await run<LandingBoard>('Landing', 'publicBoard', variables);
    return board.game === null ? undefined : board;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

function card(up: string, board: LandingBoard): Html {
  const { id, unit, scores, state } = board;
  const live = state === 'LIVE' && html` data-board="${id}" data-unit="${unit}"`;
  const leaders = html`<ol role="list" class="leaders"${live}>${scores.nodes.map((score) => leader(score, unit))}</ol>
${scores.nodes.length === 0 && html`<p class="none">${texts.noScores}</p>`}`;
  return boardCard(up, board, leaders, board.game!);
}

/** Renders the first page: the service, its doors, and the operator's boards. */
export function landingPage(frame: PageFrame, boards: LandingBoard[]): string {
  const { up } = frame;
  const { landing } = texts;
  const doors = [
    ['console/', landing.console, landing.consoleWhy],
    ['explorer', landing.explorer, landing.explorerWhy],
    ['docs', landing.reference, landing.referenceWhy],
    ['guides', landing.guides, landing.guidesWhy],
  ] as const;
  const isLive = boards.some(({ state }) => state === 'LIVE');
  const body = html`${masthead(up)}
<main>
<header class="hero"><h1>${landing.title}</h1><p>${landing.about}</p></header>
${
  boards.length > 0 &&
  html`<section class="group" id="boards" aria-labelledby="boards-title"><header><h2 id="boards-title">${isLive ? landing.boards : landing.allBoards}</h2>${
    isLive &&
    html`<p class="tools"><span id="connection">${texts.updatesLive}</span> <button type="button" id="pause">${texts.pause}</button></p>`
  }</header>
<ul role="list" class="cards">${boards.map((board) => card(up, board))}</ul></section>`
}
<section class="group" aria-labelledby="doors"><h2 id="doors">${landing.links}</h2>
<ul role="list" class="cards doors">${doors.map(
    ([path, name, why]) =>
      html`<li class="card"><h3><a href="${up}${path}">${name}</a></h3><p>${why}</p></li>`,
  )}</ul></section>
</main>`;
  return htmlPage(frame, {
    title: landing.title,
    description: landing.about,
    indexed: true,
    kind: 'landing',
    body,
  });
}
