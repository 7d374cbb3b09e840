/** A state of what is watched, as the root value of the operations that show it. */
export interface LiveState {
  /** States of one item replace each other (an item is a player's id); empty where there is one only. */
  item: string;
  /** Goes up with every change of what is watched. */
  version: number;
  root: object;
  /** The same for those who have been told nothing yet. */
  first: object;
  /** Whether it differs from the one before: otherwise only those are told who have been told nothing yet. */
  changed: boolean;
}

/** Who follows what is watched. */
export interface Listener {
  /** States that are told after this were read after this. */
  beginning(): void;
  /** Takes the states; the promise is there only where something is to be waited for, as most have nothing. */
  told(states: readonly LiveState[]): Promise<void> | undefined;
  /**
   * Sends what was taken since the last time. Apart from taking it: what many connections are sent goes out in one run,
   * for a peer that sleeps between two messages is woken for each, which costs more than the message.
   */
  deliver(): Promise<void> | undefined;
  /** It is over. */
  failed(error: unknown): void;
}

export interface Following {
  /** Somebody new listens: the present states are told, changed or not. */
  again(): void;
  end(): void;
}

/** What the resolver of a live subscription answers, once for each subscriber: arguments and rights are checked by then. */
export interface Watched {
  /** Whoever watches the same is told the same states. */
  key: string;
  /** What of them may be seen: the same fields show the same to equal rights, unless they have resolvers of their own. */
  rights: string;
  /** The account of what is watched; prefixed. */
  accountId: string;
  follow(listener: Listener): Following;
}
