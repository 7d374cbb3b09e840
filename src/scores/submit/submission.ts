import type { DomainError } from '../../base/errors.js';
import type { ReadNonce } from '../../players/sessions/nonce.js';
import type { Score } from '../score.js';

export type BoardType = 'run_identity' | 'run_runs' | 'counter' | 'ratio';
export type SortDirection = 'asc' | 'desc';
export type KeepStrategy = 'all' | 'best' | 'first' | 'last';

/** The submitter. All ids prefixed. A client's rights are read again under the board's lock. */
export type Origin =
  | {
      kind: 'client';
      gameId: string;
      deviceId: string;
      sessionId: string;
      version: number;
      /** `fault`: the refusal for an invalid nonce. */
      nonce: ReadNonce | { fault: DomainError };
    }
  | { kind: 'admin'; accountId: string; superAdmin: boolean };

/** GeoIP's answer for the caller's address; nulls when unknown. */
export interface Place {
  city: string | null;
  country: string | null;
  timezone: string | null;
}

/** The first answer to this key is the answer for seven days (decisions.md section 6). */
export interface Idempotency {
  /** The identity (client) or account (admin) the key belongs to; prefixed. */
  scope: string;
  key: string;
  /** SHA-256 of the request: the same key with another body is a conflict. */
  bodyHash: Buffer;
}

/** One score submission, its fields valid by themselves. Ids are prefixed; `eventId` is given by the application. */
export interface Submission {
  eventId: string;
  boardId: string;
  identityId: string;
  isTest: boolean;
  /** Finite, never -0: the value of a run, the delta of a counter. */
  amount: number;
  /** Undefined: the identity's present name. */
  playerName: string | undefined;
  valueDisplay: string | null;
  metadata: Record<string, unknown> | null;
  place: Place;
  origin: Origin;
  /** True if `Outcome.previousRank` is requested: it costs a second look-up in the tree. */
  wantPreviousRank: boolean;
  idempotency: Idempotency | undefined;
}

/** The durable result of a submission. */
export interface Outcome {
  /**
   * The identity's entry after this submission (its own, where every run counts); after a lost commit without a key, as it is
   * when the outcome is looked up.
   */
  score: Score;
  eventId: string;
  /** True if the entry now shows this submission. */
  kept: boolean;
  /** The entry's rank before this submission; null: there was no entry, or the rank was not requested. */
  previousRank: number | null;
  /** True if no earlier submission of the player to this board is as good; null: looked up after a lost commit, without a key. */
  isPersonalBest: boolean | null;
  /** True if the answer comes from an idempotency key. */
  replayed: boolean;
}

/** Writes submissions to the database: the plain path, or the pipeline. */
export interface SubmissionPath {
  /**
   * Submits one score.
   * @returns its outcome, durable
   * @throws DomainError the refusal; UNAVAILABLE when shutting down, or the database is away
   */
  submit(item: Submission): Promise<Outcome>;
  /** Refuses new submissions and resolves when all accepted ones are answered. */
  close(): Promise<void>;
}
