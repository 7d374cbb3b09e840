import type pg from 'pg';
import type { Queryable } from '../../db/pool.js';
import type { Submission } from '../facts/submission.js';
import type { BoardFacts, Disposition, Facts } from './decide.js';

/** A finding against a submission; only the score checker knows its content. */
type CheckFinding = object;

/** Result of the checks on a submission. */
export interface CheckResult {
  disposition: Disposition;
  /** Empty if and only if it is accepted. */
  findings: readonly CheckFinding[];
  /** True: the board demands the recording of the run. */
  demandsRecording?: true;
  /** True: it is not ranked before a verifier or a person has cleared it. */
  waitsForVerdict?: true;
}

export const ACCEPTED: CheckResult = { disposition: 'accepted', findings: [] };

/** A stored event with its findings. */
export interface Objected {
  item: Submission;
  /** Number of the event. */
  seq: number;
  checkResult: CheckResult;
}

/**
 * The score checker as ingest sees it. The checks belong to a higher module and are passed to the pipeline when the
 * service is assembled.
 */
export interface FairPlay {
  /**
   * Called before a batch, outside its transaction: reads the data that checks on these populations of the board
   * need beyond the batch's own facts. Never rejects: checks without data are skipped.
   * @returns to be called once after the batch, when nothing can be rolled back: notifies readers of the flags that
   * `record` wrote
   */
  prepare(boardId: string, populations: readonly boolean[]): Promise<() => void>;
  /** How many accepted submissions of the last hour the checks need beyond those in a state; null: none. */
  countUpTo(board: BoardFacts): number | null;
  /** @param at epoch milliseconds of the future event */
  check(board: BoardFacts, facts: Facts, item: Submission, at: number): CheckResult;
  /**
   * Adds the demand for a run's recording to its result: a finding, where the checks are on.
   * @param announced false: the client has none
   */
  demand(board: BoardFacts, found: CheckResult, announced: boolean): CheckResult;
  /** Has the run wait for a verdict: a finding, where the checks are on. Its recording is demanded, too. */
  awaitVerdict(board: BoardFacts, found: CheckResult, announced: boolean): CheckResult;
  /**
   * True if a flagged run that would reach the first ranks waits for a review. Called for such runs alone.
   * @param reader reads what the batch was decided on
   */
  holds(
    reader: Queryable,
    board: BoardFacts,
    facts: Facts,
    item: Submission,
    at: number,
    found: CheckResult,
  ): Promise<boolean>;
  /** Called inside the transaction, after the events were written. */
  record(
    client: pg.PoolClient,
    board: BoardFacts,
    boardId: string,
    at: Date,
    objected: readonly Objected[],
  ): Promise<void>;
}

/** Runs no checks. */
export const UNCHECKED: FairPlay = {
  prepare: async () => () => undefined,
  countUpTo: () => null,
  check: () => ACCEPTED,
  demand: (_board, found) => ({ ...found, demandsRecording: true }),
  awaitVerdict: (_board, found) => ({ ...found, demandsRecording: true }),
  holds: async () => true,
  record: async () => undefined,
};
