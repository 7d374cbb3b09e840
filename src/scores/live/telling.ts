import { isDatabaseAway } from '../../errors.js';
import type { Listener } from '../../graph/live/watched.js';
import type { Round, Source, States } from './source.js';

/** Listeners whose states are made before they are sent: more would only wait. */
const TOLD_TOGETHER = 64;

/** A round's states on their way to the listeners: taken one by one, sent in runs. */
export class Telling {
  /** Who has taken states that are not sent yet. */
  #taken: Listener[] = [];

  get isFull(): boolean {
    return this.#taken.length >= TOLD_TOGETHER;
  }

  /**
   * What goes wrong with one source or operation is nothing to the others. No promise where nothing is to be waited for:
   * thousands are told a tick.
   */
  tell(source: Source, round: Round): Promise<void> | undefined {
    const failed = (error: unknown) => {
      if (isDatabaseAway(error)) throw error;
      failAll(source, error);
    };
    try {
      const states = source.states(round);
      if (!(states instanceof Promise)) return this.#toldTo(source, states);
      return states.then((read) => this.#toldTo(source, read)).catch(failed);
    } catch (error) {
      failed(error);
      return undefined;
    }
  }

  #toldTo(source: Source, states: States | undefined): Promise<void> | undefined {
    source.due = false;
    if (!states) return undefined;
    const waits: Promise<void>[] = [];
    for (const [listener, rights] of source.listeners) {
      const wait = attempt(listener, () => listener.told(states(rights)));
      if (wait) waits.push(wait);
      this.#taken.push(listener);
    }
    return waits.length > 0 ? Promise.all(waits).then(() => undefined) : undefined;
  }

  async deliver(): Promise<void> {
    const taken = this.#taken;
    this.#taken = [];
    for (const listener of taken) {
      const delivering = attempt(listener, () => listener.deliver());
      if (delivering) await delivering;
    }
  }
}

/** A listener that cannot be told is done with. */
function attempt(listener: Listener, work: () => Promise<void> | undefined): Promise<void> | undefined {
  try {
    return work()?.catch((error: unknown) => listener.failed(error));
  } catch (error) {
    listener.failed(error);
    return undefined;
  }
}

/** Ends everybody who listens to the source. */
export function failAll(source: Source, error: unknown): void {
  for (const listener of [...source.listeners.keys()]) listener.failed(error);
}
