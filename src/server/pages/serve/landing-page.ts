import { LRUCache } from 'lru-cache';
import { DomainError } from '../../../base/errors.js';
import { type Html, html, type Piece } from '../../../base/html.js';
import { isId } from '../../../base/ids.js';
import { masthead } from '../../../base/masthead.js';
import { boardCard } from '../board/head.js';
import { htmlPage, type PageFrame } from '../layout.js';
import type { LandingBoard, RunQuery } from '../queries.js';
import { leader } from '../ranking.js';
import { texts } from '../texts.js';
import { measureData } from '../value.js';

/** Visitors share one reading of the boards for so long. */
const SHARED_MS = 2_000;
/** Entries of a board, and of the first one. */
const LEADERS = 5;
const LEADERS_OF_FIRST = 7;

/** The content of the first page besides its links. */
interface LandingFacts {
  boards: LandingBoard[];
  /** True on an installation without any game: the page says how to begin. */
  isNew: boolean;
}

/** The boards that the operator named for the first page. */
export class Landing {
  readonly #read: LRUCache<'boards', LandingBoard[], RunQuery>;
  #hasGames = false;

  /** @param names short codes or ids @param hasGames asks the database, until there is one */
  constructor(
    names: readonly string[],
    private readonly hasGames: () => Promise<boolean>,
  ) {
    this.#read = new LRUCache({
      max: 1,
      ttl: SHARED_MS,
      fetchMethod: async (_key, _stale, { context }) => {
        const boards = await Promise.all(names.map((name) => readBoard(context, name)));
        return boards.filter((board) => board !== undefined);
      },
    });
  }

  /** Boards are those that visitors may see, in the operator's order. */
  async facts(run: RunQuery): Promise<LandingFacts> {
    this.#hasGames ||= await this.hasGames();
    const boards = (await this.#read.fetch('boards', { context: run })) ?? [];
    return { boards, isNew: !this.#hasGames };
  }
}

async function readBoard(run: RunQuery, name: string): Promise<LandingBoard | undefined> {
  const variables = { by: isId('board', name) ? { id: name } : { shortCode: name } };
  try {
    const board = await run<LandingBoard>('Landing', 'publicBoard', variables);
    return board.game === null ? undefined : board;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

function card(up: string, board: LandingBoard, isFirst: boolean): Html {
  const { id, ranking, phase } = board;
  const count = isFirst ? LEADERS_OF_FIRST : LEADERS;
  const live = phase === 'LIVE' && html` data-board="${id}" ${measureData(board)} data-shown="${count}"`;
  const nodes = ranking.leaders.nodes.slice(0, count);
  const leaders = html`<ol role="list" class="leaders"${live}>${nodes.map((score) => leader(score, board))}</ol>
${nodes.length === 0 && html`<p class="none">${texts.noScores}</p>`}`;
  return boardCard(up, board, leaders, board.game!);
}

function firstSteps(up: string): Html {
  const { landing } = texts;
  const links = [`${up}console/`, `${up}guides/getting-started`];
  return html`<section class="card start" aria-labelledby="start"><h2 id="start">${landing.start}</h2>
<ol>${landing.steps.map(
    ([name, why], i) => html`<li><h3><a href="${links[i]!}">${name}</a></h3><p>${why}</p></li>`,
  )}</ol>
<p>${landing.tryDemo[0]} <code>npm run demo</code> ${landing.tryDemo[1]}</p></section>`;
}

/** The first board as it moves, or on a new installation what to do next. */
function beside(up: string, { boards: [first], isNew }: LandingFacts, isLive: boolean): Piece {
  if (!first) return isNew && firstSteps(up);
  return html`<section aria-labelledby="first"><h2 id="first" class="spoken">${isLive ? texts.landing.boards : texts.landing.allBoards}</h2>
<ul role="list" class="cards">${card(up, first, true)}</ul>${
    isLive &&
    html`<p class="tools"><span id="connection">${texts.updatesLive}</span> <button type="button" id="pause">${texts.pause}</button></p>`
  }</section>`;
}

/** Renders the first page: the service, the operator's boards or the first steps, and its links. */
export function landingPage(frame: PageFrame, facts: LandingFacts): string {
  const { boards } = facts;
  const { up } = frame;
  const { landing } = texts;
  const doors = [
    ['console/', landing.console, landing.consoleWhy],
    ['explorer', landing.explorer, landing.explorerWhy],
    ['docs', landing.reference, landing.referenceWhy],
    ['docs/graphql', landing.graphql, landing.graphqlWhy],
    ['guides', landing.guides, landing.guidesWhy],
  ] as const;
  const isLive = boards.some(({ phase }) => phase === 'LIVE');
  const others = boards.slice(1);
  const body = html`${masthead(up)}
<main>
<div${boards.length > 0 && html` id="boards"`}>
<div class="hero"><header class="claim"><h1>${landing.claim}</h1><p>${landing.about}</p>
<p class="acts"><a class="act first" href="${up}console/">${landing.open}</a> <a class="act" href="${up}guides/getting-started">${landing.begin}</a></p></header>
${beside(up, facts, isLive)}</div>
${
  others.length > 0 &&
  html`<section class="group" aria-labelledby="boards-title"><h2 id="boards-title">${landing.more}</h2>
<ul role="list" class="cards">${others.map((board) => card(up, board, false))}</ul></section>`
}</div>
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
