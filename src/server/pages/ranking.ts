import { type Html, html } from '../../base/html.js';
import { shownNumber } from './format.js';
import { texts } from './texts.js';

/** A score as a page shows it. */
export interface ShownScore {
  id: string;
  rank: number;
  playerName: string;
  value: number;
  valueDisplay: string | null;
}

/** How the game wants a value shown, or the number. */
export function shownValue({ value, valueDisplay }: Pick<ShownScore, 'value' | 'valueDisplay'>): string {
  return valueDisplay ?? shownNumber(value);
}

// Every piece of player's text stands in an element that isolates its direction: a name cannot turn what follows it.
function value(score: ShownScore, unit: string | null): Html {
  return html`<span class="value"><bdi>${shownValue(score)}</bdi>${
    score.valueDisplay === null && unit !== null && html` <bdi class="unit">${unit}</bdi>`
  }</span>`;
}

/** What a place of a ranking says. */
export function placeContent(score: ShownScore, unit: string | null, move?: Html): Html {
  return html`<span class="rank">${shownNumber(score.rank)}</span><bdi class="name" title="${score.playerName}">${score.playerName}</bdi>${move}${value(score, unit)}`;
}

const MOVE = html`<span class="move" aria-hidden="true"></span>`;

/** One place of a board's ranking. The script of the page makes the same ones. */
export function place(score: ShownScore, unit: string | null): Html {
  return html`<li id="rank-${score.rank}" data-score="${score.id}" data-rank="${score.rank}">${placeContent(score, unit, MOVE)}</li>`;
}

/** Where a page of the ranking lies. */
export interface Paging {
  /** The first rank that is shown. */
  from: number;
  /** Places of a page. */
  size: number;
  /** Ranked scores of the board. */
  entryCount: number;
}

/** The first rank of the page that a rank is on. */
export function pageStart(rank: number, size: number): number {
  return rank - ((rank - 1) % size);
}

/** Links to the other pages; none where everything is on this one. */
export function pages({ from, size, entryCount }: Paging): Html {
  if (entryCount <= size && from === 1) return html``;
  const last = pageStart(Math.max(1, entryCount), size);
  const to = Math.min(entryCount, from + size - 1);
  const link = (rank: number, there: boolean, name: string, rel = '') =>
    there
      ? html`<a href="?from=${rank}"${rel !== '' && html` rel="${rel}"`}>${name}</a>`
      : html`<span aria-hidden="true">${name}</span>`;
  return html`${link(1, from > 1, texts.first)}${link(Math.max(1, from - size), from > 1, texts.previous, 'prev')}<b>${
    to >= from
      ? texts.range(shownNumber(from), shownNumber(to), shownNumber(entryCount))
      : shownNumber(entryCount)
  }</b>${link(from + size, to < entryCount, texts.next, 'next')}${link(last, from < last, texts.last)}`;
}
