import type { Measure } from '../base/value-format.js';
import type { Board } from '../boards/board/board.js';
import type { Listener, LiveState } from '../graphql/live/watched.js';
import type { ChosenRanking } from '../rankings/address.js';
import type { Followed } from './follow.js';
import type { FollowedRanking } from './followed-ranking.js';
import type { RankingMarks } from './ranking-marks.js';

/** The visible part of a board: all of it, the part for its players, or the published part. */
export type Rights = 'admin' | 'client' | 'visitor';

/** Standings with their ranking. */
export interface RankedStandings extends Followed {
  ranking: ChosenRanking;
  /** How the values are shown. The same object as before: in the same way. */
  measure: Measure;
}

/** A round's reads of a board, shared by all its sources. */
export interface Round {
  /** The current board. @throws DomainError NOT_FOUND */
  board(): Promise<Board>;
  /** Standings in the source's ranking and population; contains only watched identities. */
  standings(source: Source): Promise<RankedStandings>;
  /** Returns the standings that have been read already. */
  known(source: Source): RankedStandings | undefined;
}

/** New states for all listeners. */
export type States = readonly LiveState[];

/** A watched part of a board, with any number of listeners. */
export abstract class Source {
  readonly listeners = new Map<Listener, Rights>();
  /** True if a listener has received no state yet: this round must send one. */
  due = false;

  /** Identities whose standings a round has to read for this source. */
  readonly identityIds: readonly string[] = [];
  /** Identifies its ranking and population among those of the board. */
  readonly population: string;

  constructor(
    readonly followed: FollowedRanking,
    readonly isTest: boolean,
  ) {
    this.population = `${followed.name}${isTest ? ' test' : ''}`;
  }

  /** True if the source shows the players that moved. */
  readonly isOfMovers: boolean = false;

  /**
   * True if a round may skip this source unless one of its players moved or a listener waits: most of thousands
   * have not changed.
   */
  readonly isOfMoves: boolean = false;

  /** False if a round may skip this source: what it shows has not changed since it was read. @param _marks of the board's views */
  isTouched(_marks: RankingMarks): boolean {
    return true;
  }

  /** @returns undefined: nothing changed and no listener waits; a promise if the source has to read */
  abstract states(round: Round): States | undefined | Promise<States | undefined>;
}
