import { type Measure, shownNumber } from '../../src/base/value-format.js';
import type { ShownField, VerifiedValues } from '../../src/server/pages/details.js';
import type { RankPrizes } from '../../src/server/pages/prizes/facts.js';
import { prizeBeside, prizesOf } from '../../src/server/pages/prizes/prize.js';
import {
  type PlayerLinks,
  pages,
  place,
  playerFacts,
  type ShownScore,
} from '../../src/server/pages/ranking.js';
import { texts, withoutDirections } from '../../src/server/pages/texts.js';
import { measureOf, valueParts } from '../../src/server/pages/value.js';
import { type BoardState, type Feed, openFeed } from './feed.js';
import { Places, placesOf } from './places.js';
import { whileVisible } from './visible.js';

/** A busy board changes ten times a second; eyes follow one change a second. */
const TICK_MS = 1_000;
/** Later pages are refetched after changes, at most this often. */
const FETCH_MS = 5_000;
/** What no feed brings is refetched after changes, at most this often: prizes, and what a player's page shows besides the ranking. */
const MORE_MS = 15_000;
/** A new leader is announced to screen readers, at most so often. */
const SPOKEN_MS = 10_000;
const RELOAD_MS = 3_000;
/** A new leader is marked for so long. */
const LED_MS = 5_000;

/** Keeps a ranking up to date while its page is visible. */
export function watchRanking(section: HTMLElement): void {
  new LiveRanking(section).start();
}

class LiveRanking {
  readonly #section: HTMLElement;
  readonly #places: Places;
  readonly #from: number;
  readonly #size: number;
  readonly #measure: Measure;
  /** The player whose page this is. */
  readonly #player: string | undefined;
  readonly #links: PlayerLinks | undefined;
  /** Facts in addition to name and value. */
  readonly #fields: ShownField[];
  #prizes: RankPrizes | undefined;
  /** Undefined: none are marked. */
  #verified: VerifiedValues | undefined;
  readonly #connection: HTMLElement;
  readonly #pause: HTMLButtonElement;
  readonly #spoken: HTMLElement;
  #feed: Feed | undefined;
  #paused = false;
  #newest: BoardState | undefined;
  #version: number | undefined;
  #due: number | undefined;
  #shownAt = 0;
  /** Of a player's page: the first place when the page was made, and when its other parts are next refetched. */
  #leader: ShownScore | undefined;
  #more: number | undefined;
  #spokenAt = 0;

  constructor(section: HTMLElement) {
    this.#section = section;
    const { from, size, player, players, fields = '' } = section.dataset;
    this.#fields = fields.split(' ').filter(Boolean) as ShownField[];
    this.#prizes = prizesOf(section.dataset);
    this.#verified = verifiedOf(section);
    this.#player = player;
    this.#links = players === undefined ? undefined : { base: players, me: player };
    this.#places = new Places(section.querySelector<HTMLOListElement>('ol')!);
    this.#connection = section.querySelector<HTMLElement>('#connection')!;
    this.#pause = section.querySelector<HTMLButtonElement>('#pause')!;
    this.#spoken = section.querySelector<HTMLElement>('#spoken')!;
    this.#from = Number(from);
    this.#size = Number(size);
    this.#measure = measureOf(section.dataset);
    this.#leader = leaderOf(section);
  }

  start(): void {
    this.#section.classList.add('watched');
    this.#pause.addEventListener('click', () => {
      this.#paused = !this.#paused;
      this.#pause.textContent = this.#paused ? texts.resume : texts.pause;
      if (this.#paused) this.#leave(texts.paused);
      else this.#follow();
    });
    whileVisible(
      () => !this.#feed && !this.#paused && this.#follow(),
      () => !this.#paused && this.#leave(texts.reconnecting),
    );
  }

  /** True if the feed's window is what the page shows; views, countries and platforms come with the page alone. */
  get #isWindow(): boolean {
    if (this.#section.dataset.view !== undefined) return false;
    if (this.#fields.includes('COUNTRY') || this.#fields.includes('PLATFORM')) return false;
    return this.#from === 1 || this.#player !== undefined;
  }

  #follow(): void {
    const { up = '' } = document.documentElement.dataset;
    // Behind the first page only the fact of a change is wanted.
    const first = this.#isWindow ? this.#size : 1;
    this.#feed = openFeed(up, (connected) =>
      this.#say(connected ? texts.updatesLive : texts.reconnecting, connected),
    );
    const reader = {
      state: (state: BoardState) => {
        this.#newest = state;
        this.#plan();
      },
      gone: () => this.#gone(),
    };
    const dated = this.#fields.includes('DATE');
    this.#feed.follow(this.#section.dataset.board!, first, reader, { around: this.#player, dated });
  }

  /** The page itself shows whether it was taken down; a shared cache may show it some seconds later. */
  #gone(): void {
    this.#leave(texts.reconnecting);
    setTimeout(() => location.reload(), (0.5 + Math.random()) * RELOAD_MS);
  }

  #leave(words: string): void {
    this.#feed?.end();
    this.#feed = undefined;
    clearTimeout(this.#due);
    clearTimeout(this.#more);
    this.#due = undefined;
    this.#more = undefined;
    this.#say(words, false);
  }

  #say(words: string, live: boolean): void {
    this.#section.classList.toggle('connected', live);
    if (this.#connection.textContent !== words) this.#connection.textContent = words;
  }

  #plan(): void {
    if (this.#due !== undefined) return;
    const tick = this.#isWindow ? TICK_MS : FETCH_MS;
    this.#due = window.setTimeout(
      () => {
        this.#due = undefined;
        this.#shownAt = Date.now();
        void this.#catchUp();
      },
      Math.max(0, this.#shownAt + tick - Date.now()),
    );
  }

  async #catchUp(): Promise<void> {
    const state = this.#newest!;
    if (state.version === this.#version) return;
    const first = this.#version === undefined;
    this.#version = state.version;
    if (this.#isWindow) {
      const { nodes } = state.entries;
      if (nodes[0]?.rank === 1) this.#leader = nodes[0];
      if (this.#player !== undefined && !this.#renewFacts(this.#player, state)) return this.#gone();
      if ((this.#player !== undefined || this.#prizes || this.#verified) && !first)
        this.#more ??= window.setTimeout(() => void this.#renewMore(), MORE_MS);
      const leader = this.#places.shown[0]?.dataset.score;
      const { up = '' } = document.documentElement.dataset;
      const prize = prizeBeside(this.#prizes);
      const details = { fields: this.#fields, leader: this.#leader, up, isMarked: true, prize };
      const markup = nodes
        .map((score) => place(this.#marked(score), this.#measure, this.#links, details).text)
        .join('');
      this.#places.show(placesOf(markup));
      this.#mark(leader);
      if (this.#player === undefined) this.#announce(leader, nodes[0]);
      // The first state is mostly what the page came with.
    } else if (!first) await this.#fetch(state.version);
    this.#count(state.entries.totalCount);
  }

  /** The feed knows values alone: one that was verified stays so while it is the same. */
  #marked(score: ShownScore): ShownScore {
    const [value, verifiedAt] = this.#verified?.[score.id] ?? [];
    return value === score.value ? { ...score, verifiedAt } : score;
  }

  /** @returns false if the player is no longer on the board */
  #renewFacts(player: string, { entries: { totalCount, nodes } }: BoardState): boolean {
    const board = { ...this.#measure, boardType: this.#section.dataset.type as keyof typeof texts.kind };
    const facts = playerFacts(player, nodes, totalCount, board, this.#leader)?.text;
    const list = document.querySelector('#player-facts');
    if (list && facts !== undefined && list.innerHTML !== facts) list.innerHTML = facts;
    return facts !== undefined;
  }

  /** What no feed brings: prizes of ranks; which runs were verified; of a player's page views, history, other boards, and who is first. */
  async #renewMore(): Promise<void> {
    this.#more = undefined;
    const response = await fetch(location.href, { cache: 'no-cache' }).catch(() => undefined);
    if (!response?.ok) return;
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const [shown, fresh] = [document, page].map((root) => root.querySelector<HTMLElement>('#player-more'));
    const section = page.querySelector<HTMLElement>('#ranking');
    if (section && this.#player !== undefined) this.#leader = leaderOf(section);
    if (section && this.#prizes) this.#renewPrizes(prizesOf(section.dataset));
    if (section && this.#verified) this.#renewVerified(verifiedOf(section));
    if (!shown || !fresh || shown.innerHTML === fresh.innerHTML) return;
    // What a visitor is about to use or has opened stays as it is.
    if (shown.contains(document.activeElement) || shown.querySelector('details[open]')) return;
    shown.innerHTML = fresh.innerHTML;
  }

  #renewVerified(verified: VerifiedValues | undefined): void {
    if (JSON.stringify(verified) === JSON.stringify(this.#verified)) return;
    this.#verified = verified;
    this.#version = undefined;
    this.#plan();
  }

  #renewPrizes(prizes: RankPrizes | undefined): void {
    if (JSON.stringify(prizes) === JSON.stringify(this.#prizes)) return;
    this.#prizes = prizes;
    this.#version = undefined;
    this.#plan();
  }

  /** The page as it is now; a shared cache may have an older one, which is shown until the next try. */
  async #fetch(wanted: number): Promise<void> {
    const response = await fetch(location.href, { cache: 'no-cache' }).catch(() => undefined);
    if (!response?.ok) return;
    const leader = this.#places.shown[0]?.dataset.score;
    this.#places.show(placesOf(await response.text()).filter((item) => item.dataset.score));
    this.#mark(leader);
    const [, version] = /"(\d+)-/.exec(response.headers.get('etag') ?? '') ?? [];
    if (Number(version) >= wanted) return;
    this.#version = Number(version);
    this.#plan();
  }

  /** Overlays show a new leader with a flash. */
  #mark(before: string | undefined): void {
    const [leader, ...others] = this.#places.shown;
    if (before === undefined || !leader || this.#from !== 1 || leader.dataset.score === before) return;
    for (const other of others) other.classList.remove('led');
    leader.classList.add('led');
    setTimeout(() => leader.classList.remove('led'), LED_MS);
  }

  #announce(before: string | undefined, leader: ShownScore | undefined): void {
    if (!leader || before === undefined || leader.id === before) return;
    if (Date.now() < this.#spokenAt + SPOKEN_MS) return;
    this.#spokenAt = Date.now();
    this.#spoken.textContent = texts.takesLead(
      withoutDirections(leader.playerName),
      withoutDirections(valueParts(this.#measure, leader).text),
    );
  }

  #count(entryCount: number): void {
    // The feed's number is that of the board's own ranking.
    if (this.#section.dataset.view !== undefined) return;
    if (this.#section.dataset.count === String(entryCount)) return;
    this.#section.dataset.count = String(entryCount);
    this.#section.querySelector('.empty')?.remove();
    const size = document.querySelector('.head .size');
    const type = this.#section.dataset.type as keyof typeof texts.kind;
    if (size) size.textContent = texts.entries(shownNumber(entryCount), type);
    const nav = document.querySelector('nav.pages');
    // Links that a visitor is about to use stay where they are.
    if (nav && !nav.contains(document.activeElement)) {
      nav.innerHTML = pages({ from: this.#from, size: this.#size, entryCount }).text;
    }
  }
}

function verifiedOf({ dataset: { verified } }: HTMLElement): VerifiedValues | undefined {
  return verified === undefined ? undefined : JSON.parse(verified);
}

/** The first place, as a player's page names it. */
function leaderOf({ dataset }: HTMLElement): ShownScore | undefined {
  return dataset.leader === undefined ? undefined : (JSON.parse(dataset.leader) ?? undefined);
}
