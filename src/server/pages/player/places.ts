import { type Html, html } from '../../../base/html.js';
import { shownNumber } from '../../../base/value-format.js';
import { BOARD_PAGE_SIZE } from '../address.js';
import { icon } from '../layout.js';
import type { PageBoard } from '../queries.js';
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

/** Renders the player's ranks in the views of the board, each with the way to its row. @param board address of its page */
export function viewPlaces(board: string, facts: PageBoard, entries: readonly ViewEntry[]): Html | undefined {
  const items = entries.flatMap(({ ranking, rank, displayRank, ...score }) => {
    const view = facts.views.find(({ name }) => name === ranking.view);
    if (!view) return [];
    const { periodKey: key, startsAt, endsAt, tags, totalCount } = ranking;
    const where = Object.fromEntries(tags.map(({ name, value }) => [name, value]));
    const period =
      startsAt === null || endsAt === null
        ? undefined
        : periodName(view, { key, startsAt, endsAt, state: 'OPEN' });
    const more = [period?.name, period?.days, tags.length > 0 ? groupName(where) : undefined];
    const words = html`<bdi>${viewName(view.name)}</bdi> <small>${more.filter(Boolean).join(', ')}</small>`;
    const query = rankingQuery({ view: view.name, of: undefined, where });
    const href = board + rankHref(rank, BOARD_PAGE_SIZE, query);
    return [line(href, words, placeOf(displayRank, totalCount), valueCell(score, facts))];
  });
  return list('in-views', texts.otherRankings, items);
}

/** Renders the player's ranks on other boards of the game. @param up path to the root of the service */
export function otherPlaces(up: string, player: string, places: readonly PlaceElsewhere[]): Html | undefined {
  const items = places.map(({ board, entry }) => {
    const words = html`${icon(board.icon)}<bdi>${board.name}</bdi>`;
    const place = placeOf(entry.displayRank, entry.ranking.totalCount);
    return line(`${up}b/${board.shortCode}/p/${player}`, words, place, valueCell(entry, board));
  });
  return list('elsewhere', texts.otherBoards, items);
}

function list(id: string, title: string, items: Html[]): Html | undefined {
  if (items.length === 0) return undefined;
  return html`<section class="panel" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${lines(items)}</section>`;
}
