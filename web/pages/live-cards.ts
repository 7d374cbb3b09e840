import { leader } from '../../src/server/pages/ranking.js';
import { texts } from '../../src/server/pages/texts.js';
import { measureOf } from '../../src/server/pages/value.js';
import { type BoardState, type Feed, openFeed } from './feed.js';
import { Places, placesOf } from './places.js';
import { whileVisible } from './visible.js';

/** A busy board changes ten times a second; eyes follow one change a second. */
const TICK_MS = 1_000;

/** Keeps the first places of several boards up to date, on one connection, while their page is visible. */
export function watchCards(section: HTMLElement): void {
  const lists = [...section.querySelectorAll<HTMLOListElement>('ol[data-board]')];
  const connection = section.querySelector<HTMLElement>('#connection');
  const pause = section.querySelector<HTMLButtonElement>('#pause');
  if (lists.length === 0 || !connection || !pause) return;
  const cards = lists.map((list) => new Card(list));
  let feed: Feed | undefined;
  let paused = false;
  const say = (words: string, live: boolean) => {
    section.classList.toggle('connected', live);
    if (connection.textContent !== words) connection.textContent = words;
  };
  const follow = () => {
    if (feed || paused) return;
    const { up = '' } = document.documentElement.dataset;
    feed = openFeed(up, (live) => say(live ? texts.updatesLive : texts.reconnecting, live));
    for (const card of cards) card.follow(feed);
  };
  const leave = (words: string) => {
    feed?.end();
    feed = undefined;
    say(words, false);
  };
  section.classList.add('watched');
  pause.addEventListener('click', () => {
    paused = !paused;
    pause.textContent = paused ? texts.resume : texts.pause;
    if (paused) leave(texts.paused);
    else follow();
  });
  whileVisible(follow, () => !paused && leave(texts.reconnecting));
}

class Card {
  readonly #list: HTMLOListElement;
  readonly #places: Places;
  #newest: BoardState | undefined;
  #due: number | undefined;
  #shownAt = 0;

  constructor(list: HTMLOListElement) {
    this.#list = list;
    this.#places = new Places(list);
  }

  follow(feed: Feed): void {
    feed.follow(this.#list.dataset.board!, Number(this.#list.dataset.shown), {
      state: (state) => {
        this.#newest = state;
        this.#due ??= window.setTimeout(
          () => this.#show(),
          Math.max(0, this.#shownAt + TICK_MS - Date.now()),
        );
      },
      // The board was taken down; the next visit of the page leaves it out.
      gone: () => undefined,
    });
  }

  #show(): void {
    this.#due = undefined;
    this.#shownAt = Date.now();
    const { nodes } = this.#newest!.entries;
    const measure = measureOf(this.#list.dataset);
    this.#places.show(placesOf(nodes.map((score) => leader(score, measure).text).join('')));
    this.#list.parentElement?.querySelector('.none')?.toggleAttribute('hidden', nodes.length > 0);
  }
}
