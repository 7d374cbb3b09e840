import { isDatabaseAway } from '../base/errors.js';
import { isOverdue, type Listener, type LiveState, yieldTurn } from '../graphql/live/watched.js';
import type { Round, Source, States } from './source.js';

/** How many listeners' states are made before any is sent: a larger run only delays the first. */
const DISPATCHED_TOGETHER = 1_024;

/** Dispatches a round's states to the listeners: collects states one by one, sends them in runs. */
export class Dispatch {
  /** Listeners with collected states that are not sent yet. */
  #taken: Listener[] = [];

  /** @param check ends listeners who may not see a version; undefined: there is nothing to look up */
  constructor(private readonly check: (source: Source, version: number) => Promise<unknown> | undefined) {}

  get isFull(): boolean {
    return this.#taken.length >= DISPATCHED_TOGETHER;
  }

  /**
   * An error in one source or operation does not affect the others. Returns no promise where there is nothing to await:
   * thousands of sources are notified per tick.
   */
  publish(source: Source, round: Round): Promise<void> | undefined {
    let states: ReturnType<Source['states']>;
    try {
      states = source.states(round);
    } catch (error) {
      failUnlessAway(source, error);
      return undefined;
    }
    const ended = (error: unknown) => failUnlessAway(source, error);
    if (states instanceof Promise) return states.then((read) => this.#checked(source, read)).catch(ended);
    return this.#checked(source, states)?.catch(ended);
  }

  #checked(source: Source, states: States | undefined): Promise<void> | undefined {
    source.due = false;
    if (!states) return undefined;
    const checking = this.check(source, Math.max(...states.map(({ version }) => version)));
    return checking
      ? checking.then(() => this.#listenersOf(source, states))
      : this.#listenersOf(source, states);
  }

  #listenersOf(source: Source, states: States): Promise<void> | undefined {
    let waits: Promise<unknown>[] | undefined;
    for (const listener of source.listeners.keys()) {
      const wait = notified(listener, states);
      // Only delivered once the listener has made its message.
      if (!wait) {
        this.#taken.push(listener);
        continue;
      }
      waits ??= [];
      waits.push(wait.then(() => this.#taken.push(listener)));
    }
    return waits && Promise.all(waits).then(() => undefined);
  }

  async deliver(): Promise<void> {
    const taken = this.#taken;
    this.#taken = [];
    for (const listener of taken) {
      const delivering = delivered(listener);
      if (delivering) await delivering;
      if (isOverdue()) await yieldTurn();
    }
  }
}

/** An error while a listener is notified ends that listener. */
function notified(listener: Listener, states: readonly LiveState[]): Promise<void> | undefined {
  try {
    return listener.notified(states)?.catch((error: unknown) => listener.failed(error));
  } catch (error) {
    listener.failed(error);
    return undefined;
  }
}

function delivered(listener: Listener): Promise<void> | undefined {
  try {
    return listener.deliver()?.catch((error: unknown) => listener.failed(error));
  } catch (error) {
    listener.failed(error);
    return undefined;
  }
}

/** An error of a source ends that source; an unreachable database ends the round. */
export function failUnlessAway(source: Source, error: unknown): void {
  if (isDatabaseAway(error)) throw error;
  failAll(source, error);
}

/** Ends all listeners of the source with the error. */
export function failAll(source: Source, error: unknown): void {
  for (const listener of [...source.listeners.keys()]) listener.failed(error);
}
