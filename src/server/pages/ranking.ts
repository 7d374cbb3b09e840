import { type Html, html } from '../../base/html.js';
import { type Measure, shownNumber, unitBehind } from '../../base/value-format.js';
import { type DetailedValue, type Details, detailsOf } from './details.js';
import { texts } from './texts.js';
import { gapOf, type Valued, valueParts } from './value.js';

/** A score as a page shows it. */
export interface ShownScore extends DetailedValue {
  id: string;
  identityId: string;
  rank: number;
  /** The rank that is shown: equal values may share one. */
  displayRank: number;
  playerName: string;
}

// Every text of a player is in an element that isolates its direction: a name cannot reverse the text that follows.
export function valueCell(score: DetailedValue, measure: Measure, details?: Details): Html {
  const { text, unit, exact } = valueParts(measure, score);
  return html`<span class="value"><bdi${exact !== undefined && html` title="${exact}"`}>${text}</bdi>${
    unit !== null && html` <bdi class="unit">${unit}</bdi>`
  }${detailsOf(score, measure, details)}</span>`;
}

/** Links from places to their players. */
export interface PlayerLinks {
  /** Relative address before a player's id, ending in a slash. */
  base: string;
  /** The player whose page this is: marked, and no link. */
  me?: string;
}

function name({ identityId, playerName }: ShownScore, links: PlayerLinks | undefined): Html {
  const isLink = links !== undefined && links.me !== identityId;
  return html`<bdi class="name">${isLink ? html`<a href="${links.base}${identityId}">${playerName}</a>` : playerName}</bdi>`;
}

/** Renders the content of a place. */
export function placeContent(
  score: ShownScore,
  measure: Measure,
  move?: Html,
  links?: PlayerLinks,
  details?: Details,
): Html {
  return html`<span class="rank">${shownNumber(score.displayRank)}</span>${name(score, links)}${move}${valueCell(score, measure, details)}`;
}

const MOVE = html`<span class="move" aria-hidden="true"></span>`;

/** Renders one place of a board's ranking. The page's script makes the same markup. */
export function place(score: ShownScore, measure: Measure, links?: PlayerLinks, details?: Details): Html {
  const isMe = score.identityId === links?.me && html` class="me" aria-current="true"`;
  return html`<li id="rank-${score.rank}" data-score="${score.id}" data-rank="${score.rank}"${isMe}>${placeContent(score, measure, MOVE, links, details)}</li>`;
}

/** Renders one place of a board among others; a script can keep it up to date. */
export function leader(score: ShownScore, measure: Measure): Html {
  return html`<li data-score="${score.id}" data-rank="${score.rank}">${placeContent(score, measure, MOVE)}</li>`;
}

/** The facts of a player on a board: place, value, the distance to the first, and the next one above. */
export function playerFacts(
  me: string,
  scores: ShownScore[],
  entryCount: number,
  board: Measure & { boardType: 'RUN_IDENTITY' | 'RUN_RUNS' | 'COUNTER' | 'RATIO' },
  leader: (Valued & { identityId: string; playerName: string }) | undefined,
): Html | undefined {
  const { boardType, ...measure } = board;
  const own = scores.find(({ identityId }) => identityId === me);
  if (!own) return undefined;
  const above = scores.find(({ rank }) => rank === own.rank - 1);
  const unit = unitBehind(measure.format, measure.unit);
  const distance = (other: Valued) => {
    const size = gapOf(measure, other, own);
    return size && html`${size}${unit !== null && html` <bdi class="unit">${unit}</bdi>`}`;
  };
  const [gap, first] = [
    above && distance(above),
    leader && leader.identityId !== me ? distance(leader) : undefined,
  ];
  const isBelow = boardType !== 'RUN_RUNS' && own.rank < entryCount;
  const share = Math.floor((100 * (entryCount - own.rank)) / (entryCount - 1));
  return html`<div><dt>${texts.place}</dt><dd>${texts.placeOf(shownNumber(own.displayRank), shownNumber(entryCount))}${isBelow && html` <small>${texts.betterThan(share)}</small>`}</dd></div>
<div><dt>${boardType === 'COUNTER' ? texts.sum : texts.value}</dt><dd>${valueCell(own, measure)}</dd></div>
${first && html`<div><dt>${texts.gap}</dt><dd>${first}<small><bdi>${leader!.playerName}</bdi></small></dd></div>`}
${above && html`<div><dt>${texts.nextAbove}</dt><dd><bdi>${above.playerName}</bdi>${gap && html` <small>${gap} ${texts.ahead}</small>`}</dd></div>`}`;
}

/** The position of a page in the ranking. */
interface Paging {
  /** The first rank shown. */
  from: number;
  /** Places per page. */
  size: number;
  /** Ranked scores of the board. */
  entryCount: number;
  /** Query of the ranking of a view, before the parameters of its pages. */
  query?: string | undefined;
}

/** Returns the first rank of the page that contains a rank. */
function pageStart(rank: number, size: number): number {
  return rank - ((rank - 1) % size);
}

/** The address of a rank on the page that has it. @param query of the ranking of a view */
export function rankHref(rank: number, size: number, query: string | undefined): string {
  return `?${query === undefined ? '' : `${query}&`}from=${pageStart(rank, size)}#rank-${rank}`;
}

/** Renders links to the other pages; none if this is the only one. */
export function pages({ from, size, entryCount, query }: Paging): Html {
  const start = query === undefined ? '?' : `?${query}&`;
  if (entryCount <= size && from === 1) return html``;
  const last = pageStart(Math.max(1, entryCount), size);
  const to = Math.min(entryCount, from + size - 1);
  const link = (rank: number, there: boolean, name: string, rel = '') =>
    there
      ? html`<a href="${start}from=${rank}"${rel !== '' && html` rel="${rel}"`}>${name}</a>`
      : html`<span aria-hidden="true">${name}</span>`;
  return html`${link(1, from > 1, texts.first)}${link(Math.max(1, from - size), from > 1, texts.previous, 'prev')}<b>${
    to >= from
      ? texts.range(shownNumber(from), shownNumber(to), shownNumber(entryCount))
      : shownNumber(entryCount)
  }</b>${link(from + size, to < entryCount, texts.next, 'next')}${link(last, from < last, texts.last)}`;
}
