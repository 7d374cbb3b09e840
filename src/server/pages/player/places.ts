import { type Html, html } from '../../../base/html.js';
import { shownNumber } from '../../../base/value-format.js';
import { BOARD_PAGE_SIZE } from '../address.js';
import { icon } from '../layout.js';
import type { NeighbourBoard, PageBoard } from '../queries.js';
import { rankHref, valueCell } from '../ranking.js';
import { texts } from '../texts.js';
import { rankingQuery } from '../views/address.js';
import { periodName } from '../views/names.js';
import { groupName, viewName } from '../views/pickers.js';
import type { PlaceElsewhere, ViewEntry } from './facts.js';
import { lines } from './lines.js';

function line(href: string, words: Html, place: Html, value: Html): Html {
  return html`<li><a href="${href}"><span class="name">${words}</span><span class="count">${place}</span>${value}</a></li>`;
}

const placeOf = (displayRank: number, total: number) =>
  html`${texts.placeOf(shownNumber(displayRank), shownNumber(total))}`;

/** Renders an entry in a ranking of a view. @param isPast not the current period */
function viewLine(board: string, facts: PageBoard, entry: ViewEntry, isPast: boolean): Html[] {
  const { ranking, rank, displayRank, ...score } = entry;
  const view = facts.views.find(({ name }) => name === ranking.view);
  if (!view) return [];
  const { periodKey: key, startsAt, endsAt, tags, totalCount } = ranking;
  const where = Object.fromEntries(tags.map(({ name, value }) => [name, value]));
  const period =
    startsAt === null || endsAt === null
      ? undefined
      : periodName(view, { key, startsAt, endsAt, state: isPast ? 'CLOSED' : 'OPEN' });
  const more = [period?.name, period?.days, tags.length > 0 ? groupName(where) : undefined];
  const words = html`<bdi>${viewName(view.name)}</bdi> <small>${more.filter(Boolean).join(', ')}</small>`;
  const query = rankingQuery({ view: view.name, of: isPast ? key : undefined, where });
  const href = board + rankHref(rank, BOARD_PAGE_SIZE, query);
  return [line(href, words, placeOf(displayRank, totalCount), valueCell(score, facts))];
}

/**
 * Renders the player's ranks in the views of the board, each with the way to its row, and with that of the period before.
 * @param board address of its page
 */
export function viewPlaces(
  board: string,
  facts: PageBoard,
  current: readonly ViewEntry[],
  earlier: readonly ViewEntry[],
): Html | undefined {
  const items = facts.views.flatMap(({ name }) => {
    const of = ({ ranking }: ViewEntry) => ranking.view === name;
    const lines = (entries: readonly ViewEntry[], isPast: boolean) =>
      entries.filter(of).flatMap((entry) => viewLine(board, facts, entry, isPast));
    return [...lines(current, false), ...lines(earlier, true)];
  });
  return list('in-views', texts.otherRankings, items);
}

interface Elsewhere {
  /** Path to the root of the service. */
  up: string;
  player: string;
  facts: PageBoard;
}

const isIn = ({ series }: PageBoard, code: string) =>
  series.nodes.some(({ shortCode }) => shortCode === code);

/** Renders the player's ranks on the other boards of the series, newest first, with the best of all marked. */
export function seriesPlaces(
  of: Elsewhere,
  places: readonly PlaceElsewhere[],
  here: PlaceElsewhere['entry'],
): Html | undefined {
  const { shortCode } = of.facts;
  const others = places.filter(({ board }) => isIn(of.facts, board.shortCode));
  if (others.length === 0) return undefined;
  const all = of.facts.series.nodes.flatMap(({ shortCode: code }) => {
    if (code === shortCode) return [{ board: of.facts, entry: here }];
    return others.filter(({ board }) => board.shortCode === code);
  });
  const best = Math.min(...all.map(({ entry }) => entry.displayRank));
  const first = all.findLast(({ entry }) => entry.displayRank === best);
  const items = all.map((place) => otherLine(of, place, place === first));
  return list('in-series', texts.inSeries, items);
}

/** Renders the steps to the player's pages on the boards before and after in the series, where the player is on them. */
export function seriesSteps(
  { up, player, facts }: Elsewhere,
  places: readonly PlaceElsewhere[],
): Html | undefined {
  const step = (to: NeighbourBoard | null, rel: string, sign: string) =>
    to !== null &&
    places.some(({ board }) => board.shortCode === to.shortCode) &&
    html`<a href="${up}b/${to.shortCode}/p/${player}" rel="${rel}">${rel === 'prev' && html`<span aria-hidden="true">${sign}</span> `}<bdi>${to.name}</bdi>${rel === 'next' && html` <span aria-hidden="true">${sign}</span>`}</a>`;
  const steps = [step(facts.previousBoard, 'prev', '‹'), step(facts.nextBoard, 'next', '›')];
  if (!steps.some(Boolean)) return undefined;
  return html`<nav class="steps" aria-label="${texts.inSeries}">${steps}</nav>`;
}

/** Renders the player's ranks on other boards of the game. */
export function otherPlaces(of: Elsewhere, places: readonly PlaceElsewhere[]): Html | undefined {
  const others = places.filter(({ board }) => !isIn(of.facts, board.shortCode));
  return list(
    'elsewhere',
    texts.otherBoards,
    others.map((place) => otherLine(of, place, false)),
  );
}

function otherLine(
  { up, player, facts }: Elsewhere,
  { board, entry }: PlaceElsewhere,
  isBest: boolean,
): Html {
  const isHere = board.shortCode === facts.shortCode;
  const words = html`${icon(board.icon)}<bdi>${board.name}</bdi>${isBest && html` <small class="tag">${texts.best}</small>`}`;
  const place = placeOf(entry.displayRank, entry.ranking.totalCount);
  const href = `${up}b/${board.shortCode}${isHere ? '' : `/p/${player}`}`;
  return line(href, words, place, valueCell(entry, board));
}

function list(id: string, title: string, items: Html[]): Html | undefined {
  if (items.length === 0) return undefined;
  return html`<section class="panel" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${lines(items)}</section>`;
}
