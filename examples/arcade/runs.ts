import type { Run, RunResult, SubmitResult } from 'leaderboard-client';
import { byId, element } from './page.js';
import { messageOf, points } from './words.js';

interface Entry {
  value: number;
  /** Once the run is known to wait: its answer comes later, perhaps to a later start of the game. */
  key?: string;
  state: 'sending' | 'waiting' | 'ranked' | 'refused';
  text: string;
}

const SHOWN = 5;

/** The player's runs and what became of them, newest first. */
export class Runs {
  #entries: Entry[] = [];

  /** Runs of an earlier start of the game that still wait. */
  restore(waiting: readonly Run[]): void {
    const known = new Set(this.#entries.map(({ key }) => key));
    for (const { key, value } of waiting) {
      if (!known.has(key)) this.#entries.unshift({ key, value, state: 'waiting', text: 'waits here' });
    }
    this.#show();
  }

  /** Adds a run, and follows it to its result. */
  async follow(value: number, submitting: Promise<SubmitResult>): Promise<SubmitResult> {
    const entry: Entry = { value, state: 'sending', text: 'on its way' };
    this.#entries.unshift(entry);
    this.#show();
    const result = await submitting;
    if (result.status === 'queued')
      Object.assign(entry, { key: result.run.key, state: 'waiting', text: 'waits here' });
    else settle(entry, result);
    this.#show();
    return result;
  }

  /** The answer to a run that waited. @returns false: it is one that is followed anyway */
  answer(result: RunResult): boolean {
    const entry = this.#entries.find(({ key, state }) => key === result.run.key && state === 'waiting');
    if (!entry) return false;
    settle(entry, result);
    this.#show();
    return true;
  }

  #show(): void {
    const waiting = this.#entries.filter(({ state }) => state === 'waiting').length;
    byId('waiting').textContent = waiting === 0 ? '' : `${waiting} waiting`;
    // Those that wait are always seen.
    const shown = this.#entries.filter(({ state }, n) => n < SHOWN || state === 'waiting');
    byId('runs').replaceChildren(
      ...(shown.length > 0 ? shown.map(rowOf) : [element('li', 'No run yet', 'empty')]),
    );
  }
}

function settle(entry: Entry, result: RunResult): void {
  entry.state = result.status;
  entry.text =
    result.status === 'ranked' ? `rank ${result.rank}${result.kept ? '' : ', not your best'}` : 'not counted';
}

function rowOf({ value, state, text }: Entry): HTMLElement {
  const row = element('li', '', state);
  row.append(element('span', points(value), 'value'), element('span', text, 'what'));
  return row;
}

/** The sentence for a run that has arrived after a wait. */
export function arrivalOf(result: RunResult): string {
  return `${points(result.run.value)} points have arrived. ${messageOf(result)}`;
}
