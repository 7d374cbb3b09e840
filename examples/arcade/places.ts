import type { Score } from 'leaderboard-client';
import type { LiveBoard } from 'leaderboard-client/live';
import { byId, element, isStill } from './page.js';
import { points } from './words.js';

const MOVE = { duration: 600, easing: 'cubic-bezier(0.2, 0.8, 0.2, 1)' };

/** The places around the player as they are now; a player who moves is seen to move. */
export class Places {
  readonly #list = byId('places');
  #version = 0;
  #ownRank: number | undefined;

  /** @param identityId of the player */
  show({ version, entryCount, scores }: LiveBoard, identityId: string): void {
    const own = scores.find((score) => score.identityId === identityId);
    byId('ranking-title').textContent = own ? 'Around you' : 'At the top';
    byId('standing').replaceChildren(
      ...(own
        ? [element('strong', `#${own.rank}`), ` of ${points(entryCount)}`]
        : [`${points(entryCount)} players`]),
    );
    const before = new Map(this.#rows().map((row) => [row.dataset.player, row.getBoundingClientRect().top]));
    this.#list.replaceChildren(...scores.map((score) => rowOf(score, score === own, this.#rise(own))));
    if (this.#version > 0 && !isStill()) this.#move(before);
    this.#version = version;
    this.#ownRank = own?.rank ?? this.#ownRank;
  }

  #rows(): HTMLElement[] {
    return [...this.#list.children] as HTMLElement[];
  }

  /** Places that the player rose with this state. */
  #rise(own: Score | undefined): number {
    return own && this.#ownRank !== undefined ? this.#ownRank - own.rank : 0;
  }

  #move(before: Map<string | undefined, number>): void {
    for (const row of this.#rows()) {
      const top = before.get(row.dataset.player);
      const from = top === undefined ? undefined : top - row.getBoundingClientRect().top;
      if (from === undefined) row.animate({ opacity: [0, 1] }, MOVE);
      else if (from !== 0) row.animate({ transform: [`translateY(${from}px)`, 'none'] }, MOVE);
    }
  }
}

function rowOf({ rank, playerName, value, identityId }: Score, isOwn: boolean, rise: number): HTMLElement {
  const row = element('li');
  row.dataset.player = identityId;
  if (isOwn) row.className = 'own';
  const name = element('span', '', 'name');
  const shown = element('bdi', playerName);
  name.append(shown);
  if (isOwn) name.append(element('span', 'you', 'you'));
  if (isOwn && rise > 0) name.append(element('span', `▲ ${rise}`, 'rise'));
  row.append(element('span', String(rank), 'rank'), name, element('span', points(value), 'value'));
  return row;
}
