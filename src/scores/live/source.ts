import type { Board } from '../../boards/board/board.js';
import type { Listener, LiveState } from '../../graphql/live/watched.js';
import type { Mover } from './movers.js';
import type { Standings } from './standings.js';

/** What is seen of a board: all of it, what its players see, or what is published. */
export type Rights = 'admin' | 'client' | 'visitor';

/** What a round reads of a board, for all that is watched there. */
export interface Round {
  /** As it is now. @throws DomainError NOT_FOUND */
  board(): Promise<Board>;
  /** Of the population; only with the identities that somebody wants. */
  standings(isTest: boolean): Promise<Standings>;
  /** Those that were read by now. */
  read: ReadonlyMap<boolean, Standings>;
  /** Whose scores moved since the round before, in order of rank; for sources of movers only. */
  movers(isTest: boolean): Promise<readonly Mover[]>;
}

/** What there is to tell all who listen. */
export type States = readonly LiveState[];

/** Something of a board that is watched, by any number of listeners. */
export abstract class Source {
  readonly listeners = new Map<Listener, Rights>();
  /** Somebody listens who has been told nothing yet: the present round is for them, too. */
  due = false;

  /** Whose standings a round has to read for this. */
  readonly identityIds: readonly string[] = [];
  readonly isTest: boolean = false;

  /** Whether it wants to know who moved. */
  readonly isOfMovers: boolean = false;

  /** Whether there is nothing to tell unless one of its players moved, or somebody waits: of thousands, most have not changed. */
  readonly isOfMoves: boolean = false;

  /** @returns undefined: nothing changed and nobody waits; a promise where something is to be read for it */
  abstract states(round: Round): States | undefined | Promise<States | undefined>;
}
