import { texts } from '../../src/server/pages/texts.js';

const MOVING_MS = 450;
/** Duration for which a place shows that it went up or down. */
const MOVE_SHOWN_MS = 3_000;

const still = matchMedia('(prefers-reduced-motion: reduce)');

/** Takes places out of a text of HTML that {@link place} made or that came with a page. */
export function placesOf(markup: string): HTMLLIElement[] {
  const template = document.createElement('template');
  template.innerHTML = markup;
  return [...template.content.querySelectorAll('li')];
}

/** A list of places that can be brought to a newer state, and shows each move. */
export class Places {
  readonly #timers = new WeakMap<Element, number>();
  readonly #list: HTMLOListElement;

  constructor(list: HTMLOListElement) {
    this.#list = list;
  }

  /** Places as they are shown, from the first on. */
  get shown(): HTMLLIElement[] {
    return [...this.#list.querySelectorAll('li')];
  }

  /** Every place stays the same element for as long as it is shown, so that it can be seen to move and keeps the focus. */
  show(fresh: HTMLLIElement[]): void {
    const before = new Map(this.shown.map((item) => [item.dataset.score, item]));
    const tops = new Map(this.shown.map((item) => [item, item.getBoundingClientRect()]));
    const [wasEmpty, isLonger] = [before.size === 0, fresh.length > before.size];
    const last = fresh.findLastIndex((item) => before.has(item.dataset.score));
    const items = fresh.map((item, index) => {
      const known = before.get(item.dataset.score);
      if (!known) {
        // At the end of a full list, a place may have moved up because another one left.
        if (!wasEmpty && (index < last || isLonger)) this.#showMove(item, texts.new, 'new');
        return item;
      }
      before.delete(item.dataset.score);
      this.#renew(known, item);
      return known;
    });
    for (const gone of before.values()) gone.remove();
    items.forEach((item, index) => {
      if (this.#list.children[index] !== item)
        this.#list.insertBefore(item, this.#list.children[index] ?? null);
    });
    if (!still.matches) for (const item of items) this.#move(item, tops.get(item));
  }

  #renew(known: HTMLLIElement, item: HTMLLIElement): void {
    const climbed = Number(known.dataset.rank) - Number(item.dataset.rank);
    known.id = item.id;
    known.dataset.rank = item.dataset.rank;
    // Only a score of one's own shows an arrow: others have moved because of it.
    const isOwn =
      known.querySelector('.value bdi')!.textContent !== item.querySelector('.value bdi')!.textContent;
    for (const part of ['.rank', '.name', '.value']) {
      const [old, fresh] = [known.querySelector(part)!, item.querySelector(part)!];
      if (old.innerHTML !== fresh.innerHTML) old.replaceWith(fresh);
    }
    if (isOwn && climbed > 0) this.#showMove(known, texts.up(climbed), 'up');
    if (isOwn && climbed < 0) this.#showMove(known, texts.down(-climbed), 'down');
  }

  #showMove(item: HTMLLIElement, words: string, kind: string): void {
    const move = item.querySelector('.move')!;
    move.textContent = words;
    move.className = `move ${kind}`;
    clearTimeout(this.#timers.get(move));
    const forget = () => {
      move.textContent = '';
      move.className = 'move';
    };
    this.#timers.set(move, window.setTimeout(forget, MOVE_SHOWN_MS));
  }

  #move(item: HTMLLIElement, from: DOMRect | undefined): void {
    const to = item.getBoundingClientRect();
    if (!from) {
      item.animate([{ opacity: 0 }, { opacity: 1 }], MOVING_MS);
      return;
    }
    const [x, y] = [from.left - to.left, from.top - to.top];
    if (x === 0 && y === 0) return;
    // The row's ground stays in its card, so that no gap opens; the player moves over it.
    for (const part of item.querySelectorAll('.name, .value')) {
      part.animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: 'none' }], {
        duration: MOVING_MS,
        easing: 'cubic-bezier(0.2, 0.7, 0.2, 1)',
      });
    }
  }
}
