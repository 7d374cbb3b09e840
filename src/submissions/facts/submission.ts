import type { DomainError } from '../../base/errors.js';
import type { Change } from '../../db/changes.js';
import type { ReadNonce } from '../../players/sessions/nonce.js';
import type { Score } from '../../rankings/score.js';

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
      /**
       * Called before the submission begins that many groups of views; repeated where it is decided again. Rejects with DomainError
       * RATE_LIMITED. Absent: no limit.
       */
      countGroups?: (groups: number) => Promise<void>;
    }
  | { kind: 'admin'; accountId: string; superAdmin: boolean };

/** GeoIP's answer for the caller's address; nulls when unknown. */
interface Place {
  city: string | null;
  country: string | null;
  timezone: string | null;
}

/** The first answer to this key is the answer for seven days. */
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
  /** Values of the board's dimensions, checked against their declaration; absent or null: none. */
  tags?: Readonly<Record<string, string>> | null | undefined;
  place: Place;
  origin: Origin;
  /** True if `Outcome.previousRank` is requested: it costs a second look-up in the tree. */
  wantPreviousRank: boolean;
  /** Names of the views whose standings the answer has; absent: none. */
  standings?: 'all' | readonly string[] | undefined;
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
  /** In the views that were requested, of those that are live; absent: none was. */
  standings?: SubmissionStanding[] | undefined;
  /** The change of the board that it was committed with; absent: not known. Not stored. */
  change?: Change | undefined;
}

/** A player's place in a ranking of a view, after a submission. */
export interface SubmissionStanding {
  view: string;
  /** Of the period: `2026-W48`; `all`. */
  key: string;
  /** Values of the view's tags, joined by a comma; empty: it has none; null: the submission lacks one, and is not in the view. */
  group: string | null;
  /** The number of the ranking; null: the submission is not ranked there. */
  ranking: number | null;
  /** After its batch; null: as `ranking`. */
  rank: number | null;
  /** The rank to show, after its batch; null: as `ranking`. */
  displayRank: number | null;
  /** Entries of the ranking, after its batch; null: as `ranking`. */
  total: number | null;
  /** The rank before the submission; null: there was no entry. */
  previousRank: number | null;
  /** True if the submission has moved the entry. */
  improved: boolean;
  /** `TOO_MANY_GROUPS`: the view has no place for another group in the period; else null. */
  reason: 'TOO_MANY_GROUPS' | null;
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
