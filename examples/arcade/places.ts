import type { Score } from 'leaderboard-client';
import type { LiveBoard } from 'leaderboard-client/live';
import { byId, element, isStill } from './page.js';
import { points } from './words.js';

const MOVE = { duration: 600, easing: 'cubic-bezier(0.2, 0.8, 0.2, 1)' };

const CLIMB_MS = 1_200;
/** A rise is seen so long, although the board changes several times a second. */
const RISE_SHOWN_MS = 8_000;

interface Climb {
  rank: number;
  /** Places. */
  rise: number;
  /** By the page's own clock, in milliseconds. */
  since: number;
}

/** @param last the one before; others may have passed since */
function climbTo(rank: number, last: Climb | undefined): Climb {
  const since = performance.now();
  if (last && rank < last.rank) return { rank, rise: last.rank - rank, since };
  if (last && since - last.since < RISE_SHOWN_MS) return { ...last, rank };
  return { rank, rise: 0, since: Number.NEGATIVE_INFINITY };
}

/** The places around the player as they are now; a player who moves is seen to move. */
export class Places {
  readonly #list = byId('places');
  #version = 0;
  #climb: Climb | undefined;

  /** @param identityId of the player */
  show({ version, entryCount, scores }: LiveBoard, identityId: string): void {
    const own = scores.find((score) => score.identityId === identityId);
    byId('ranking-title').textContent = own ? 'Around you' : 'At the top';
    this.#climb = own && climbTo(own.rank, this.#climb);
    this.#showStanding(entryCount);
    const before = new Map(this.#rows().map((row) => [row.dataset.player, row.getBoundingClientRect().top]));
    const { rise = 0 } = this.#climb ?? {};
    this.#list.replaceChildren(...scores.map((score) => rowOf(score, score === own, rise)));
    if (this.#version > 0 && !isStill()) this.#move(before);
    this.#version = version;
  }

  #rows(): HTMLElement[] {
    return [...this.#list.children] as HTMLElement[];
  }

  /** The rank in large; after a rise it runs through the places in between. */
  #showStanding(entryCount: number): void {
    const climb = this.#climb;
    if (!climb) {
      byId('standing').replaceChildren(`${points(entryCount)} players`);
      return;
    }
    const large = element('strong');
    byId('standing').replaceChildren(large, ` of ${points(entryCount)}`);
    const step = () => {
      const share = isStill() ? 1 : Math.min(1, (performance.now() - climb.since) / CLIMB_MS);
      large.textContent = `#${Math.round(climb.rank + climb.rise * (1 - share) ** 2)}`;
      if (share < 1 && large.isConnected) requestAnimationFrame(step);
    };
    step();
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
  if (isOwn) name.append(element('span', '(you)', 'spoken'));
  if (isOwn && rise > 0) name.append(element('span', `▲ ${rise}`, 'rise'));
  row.append(element('span', String(rank), 'rank'), name, element('span', points(value), 'value'));
  return row;
}
