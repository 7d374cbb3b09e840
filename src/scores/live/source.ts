import type { Board } from '../../boards/board/board.js';
import type { Listener, LiveState } from '../../graphql/live/watched.js';
import type { Mover } from './movers.js';
import type { RankingMarks } from './ranking-marks.js';
import type { Standings } from './standings.js';

/** Visible part of a board: all of it, the part for its players, or the published part. */
export type Rights = 'admin' | 'client' | 'visitor';

/** A round's reads of a board, shared by all its sources. */
export interface Round {
  /** The board as it is now. @throws DomainError NOT_FOUND */
  board(): Promise<Board>;
  /** Standings of the population; contains only watched identities. */
  standings(isTest: boolean): Promise<Standings>;
  /** The standings read so far, by population. */
  read: ReadonlyMap<boolean, Standings>;
  /** Players whose scores moved since the round before, in order of rank; for sources of movers only. */
  movers(isTest: boolean): Promise<readonly Mover[]>;
}

/** New states for all listeners. */
export type States = readonly LiveState[];

/** A watched part of a board, with any number of listeners. */
export abstract class Source {
  readonly listeners = new Map<Listener, Rights>();
  /** True if a listener has received no state yet: the present round must send one. */
  due = false;

  /** Identities whose standings a round has to read for this source. */
  readonly identityIds: readonly string[] = [];
  readonly isTest: boolean = false;

  /** True if the source shows the players that moved. */
  readonly isOfMovers: boolean = false;

  /** True if a round may skip this source unless one of its players moved or a listener waits: of thousands, most have not changed. */
  readonly isOfMoves: boolean = false;

  /** Epoch milliseconds from which on a round has to visit it though nothing has changed: its period is over. */
  get until(): number {
    return Number.POSITIVE_INFINITY;
  }

  /** False if a round may skip this source: what it shows has not changed since it was read. @param _marks of the board's views */
  isTouched(_marks: RankingMarks): boolean {
    return true;
  }

  /** @returns undefined: nothing changed and no listener waits; a promise if the source has to read */
  abstract states(round: Round): States | undefined | Promise<States | undefined>;
}
