import type { Board } from '../../games/boards/board.js';
import type { Listener, LiveState } from '../../graph/live/watched.js';
import type { Mover } from './movers.js';
import type { Marks, Standings } from './standings.js';

/** What is seen of a board: all of it, what its players see, or what is published. */
export type Rights = 'admin' | 'client' | 'visitor';

/** What a round has read of a board, for all that is watched there. */
export interface Round {
  board: Board;
  /** How far the populations that were read have come. */
  marks: ReadonlyMap<boolean, Marks>;
  /** Of the population; only with the identities that somebody wants. */
  standings(isTest: boolean): Standings;
  /** Whose scores moved since the round before, in order of rank. */
  movers(isTest: boolean): Promise<readonly Mover[]>;
}

/** Something of a board that is watched, by any number of listeners. */
export abstract class Source {
  readonly listeners = new Map<Listener, Rights>();
  /** Somebody listens who has been told nothing yet: noted for the next round, and for the present one. */
  awaited = true;
  due = false;

  /** Whose standings a round has to read for this. */
  readonly identityIds: readonly string[] = [];
  readonly isTest: boolean = false;

  /**
   * What there is to tell, by what the listeners may see.
   * @returns undefined: nothing changed and nobody waits
   */
  abstract states(round: Round): Promise<((rights: Rights) => LiveState[]) | undefined>;
}
