import { setImmediate as turn } from 'node:timers/promises';

/** A state of a watched object, as the root value of the operations that show it. */
export interface LiveState {
  /** States of one item replace each other (an item is a player's id); empty for a feed with one item. */
  item: string;
  /** Increases with every change of the watched object. */
  version: number;
  root: object;
  /** The root value for subscribers that have received no state yet. */
  first: object;
  /**
   * True if it differs from the state before; otherwise it is sent only to subscribers that have received no state yet.
   */
  changed: boolean;
}

/** A receiver of a feed's states. */
export interface Listener {
  /** Begins a round: its states are read after this call. */
  beginning(): void;
  /** Accepts the states; returns a promise only if there is something to await, as mostly there is nothing. */
  notified(states: readonly LiveState[]): Promise<void> | undefined;
  /**
   * Sends the states accepted since the last call. Separate from accepting: the messages of many connections are sent
   * in one run, because a peer that sleeps between two messages is woken for each, which costs more than the message.
   */
  deliver(): Promise<void> | undefined;
  /** Ends the feed with an error. */
  failed(error: unknown): void;
}

export interface Following {
  /** A subscriber has joined: the present states are sent, changed or not. */
  again(): void;
  end(): void;
}

/**
 * Returned by the resolver of a live subscription, once for each subscriber, after arguments and rights were checked.
 */
export interface Watched {
  /** Feeds with equal keys have the same states. */
  key: string;
  /** Callers with equal rights see the same values of the same fields, unless a field has a resolver of its own. */
  rights: string;
  /** Id of the watched object's account; prefixed. */
  accountId: string;
  follow(listener: Listener): Following;
}

/** Longest time that a process sends states before it yields to requests. */
const STRETCH_MS = 5;

let yieldedAt = 0;

/** True when it is time for {@link yieldTurn}. The process has one thread, hence one measure. */
export function isOverdue(): boolean {
  return performance.now() - yieldedAt > STRETCH_MS;
}

/** Lets all other pending work go first. */
export async function yieldTurn(): Promise<void> {
  await turn();
  yieldedAt = performance.now();
}
