import type pg from 'pg';
import type { BoardFacts, Disposition, Facts } from './decide.js';
import type { Submission } from './submission.js';

/** What is held against a submission; what it says is the judge's own business. */
export type CheckFinding = object;

/** What becomes of a submission. */
export interface CheckResult {
  disposition: Disposition;
  /** None if and only if it is accepted. */
  objections: readonly CheckFinding[];
}

export const ACCEPTED: CheckResult = { disposition: 'accepted', objections: [] };

/** A stored event with what is held against it. */
export interface Objected {
  item: Submission;
  /** Number of the event. */
  seq: number;
  verdict: CheckResult;
}

/**
 * The judge of submissions as ingest knows it. The checks themselves are the business of the room above this one, and are handed
 * to the pipeline where everything is put together.
 */
export interface FairPlay {
  /**
   * Before a batch, outside its transaction: reads what verdicts on these populations of the board need beyond the batch's own
   * facts. Never rejects: what could not be read is not checked.
   */
  prepare(boardId: string, populations: readonly boolean[]): Promise<void>;
  /**
   * How many accepted submissions of an hour have to be told apart beyond those that a state remembers; null: no more.
   */
  countUpTo(board: BoardFacts): number | null;
  /** @param at epoch milliseconds of the event to be */
  judge(board: BoardFacts, facts: Facts, item: Submission, at: number): CheckResult;
  /** Inside the transaction, after the events were written. */
  record(
    client: pg.PoolClient,
    board: BoardFacts,
    boardId: string,
    at: Date,
    objected: readonly Objected[],
  ): Promise<void>;
  /** After a batch of the board, when nothing more can be rolled back: whoever waits for what `record` wrote is told. */
  ended(boardId: string): void;
}

/** Nothing is checked. */
export const UNCHECKED: FairPlay = {
  prepare: async () => undefined,
  countUpTo: () => null,
  judge: () => ACCEPTED,
  record: async () => undefined,
  ended: () => undefined,
};
