import type { ErrorCode, LeaderboardError } from './errors.js';
import type { components } from './generated/rest.js';
import { type Camel, camel } from './names.js';

type Schemas = components['schemas'];

/** A score as the service shows it to game clients. */
export type Score = Camel<Schemas['ClientScore']>;

/** A player's place in a view after a run. */
export type RunStanding = Camel<Schemas['SubmissionStanding']>;

/** A run that is held until its flags are reviewed. */
export type HeldRun = NonNullable<ItemResult['held']>;

/** A run or, on a counter, what is added. */
export interface Submission {
  boardId: string;
  value: number;
  /** 1 to 64 characters; by default the client's `playerName`, then the name the service has. */
  playerName?: string;
  /** The value as the game wants it shown, up to 64 characters. */
  valueDisplay?: string;
  /** At most 1,024 bytes of JSON. */
  metadata?: Record<string, unknown>;
  /** Values of the tags that the board declares, like `{ class: 'mage' }`: views by tags rank the run in their groups. */
  tags?: Record<string, string>;
  /** Idempotency key; made by the client by default. */
  key?: string;
  /** The run's ticket, which is sent in place of a nonce: `./runs` sets it and the next four. */
  ticket?: string;
  /** Milliseconds since the ticket in which nothing was played. */
  idleMs?: number;
  /** Length of the run, whole milliseconds. */
  runMs?: number;
  /** Whole milliseconds from its start, ascending: up to 64. */
  splits?: number[];
  /** SHA-256 of its recording. */
  recordingHash?: string;
}

/** A submission as it waits in the storage. */
export interface Run extends Submission {
  key: string;
  /** Milliseconds of the device's clock. */
  createdAt: number;
  /** When it was submitted: milliseconds since the start of the session. Absent: not known. */
  sessionMs?: number;
}

export interface Ranked {
  status: 'ranked';
  run: Run;
  rank: number;
  /** The rank before; null: there was no score. */
  previousRank: number | null;
  /** True if the player's score now shows this run. */
  kept: boolean;
  /** True if no earlier run of the player on this board is as good; null: the service does not know. */
  isPersonalBest: boolean | null;
  /** The run, if it waits for a review: it is ranked nowhere, and `rank` is the one that it would have had. */
  held?: HeldRun;
  /** The player's score after this run. */
  score: Score;
  /** Present if the service wants the run's recording, which the client then sends. */
  recording?: { scoreEventId: string; wantedUntil: string };
  /** With the option `standings`: the player's places in the board's views after this run. */
  standings?: RunStanding[];
}

/** The run is stored and is sent until it is answered; `error` is the last failure. */
export interface Queued {
  status: 'queued';
  run: Run;
  error?: LeaderboardError | undefined;
}

/** The run will never count. */
export interface Refused {
  status: 'refused';
  run: Run;
  error: LeaderboardError;
}

/** The final answer to a run. */
export type RunResult = Ranked | Refused;

export type SubmitResult = RunResult | Queued;

type BatchAnswer = Awaited<
  import('./generated/rest.js').operations['submitScores']['responses']['200']['content']['application/json']
>;
export type ItemResult = BatchAnswer['results'][number];

/** The body of a run in a batch. @param nonce or its ticket, with the idle time since */
export function itemOf(run: Run, nonce: string, idleMs?: number): Schemas['SubmitScore'] {
  return {
    board_id: run.boardId,
    player_name: run.playerName ?? '',
    value: run.value,
    ...(run.valueDisplay !== undefined && { value_display: run.valueDisplay }),
    ...(run.metadata !== undefined && { metadata: run.metadata }),
    ...(run.tags !== undefined && { tags: run.tags }),
    ...(run.sessionMs !== undefined && { session_ms: run.sessionMs }),
    ...(run.runMs !== undefined && { run_ms: run.runMs }),
    ...(run.splits && { splits: run.splits }),
    ...(run.recordingHash && { recording_hash: run.recordingHash }),
    ...(idleMs !== undefined && { idle_ms: idleMs }),
    nonce,
    idempotency_key: run.key,
  };
}

/** The answer of an item that was stored. */
export function rankedOf(run: Run, item: ItemResult): Ranked {
  const score = camel(item.score!);
  const {
    kept = true,
    previous_rank: previousRank = null,
    is_personal_best: isPersonalBest = null,
    held,
    recording,
  } = item;
  const standings = 'standings' in item && item.standings?.map(camel);
  const ranked = { run, rank: score.rank, previousRank, kept, isPersonalBest, score };
  return {
    ...{ status: 'ranked', ...ranked, ...(held && { held }), ...(standings && { standings }) },
    ...(recording && { recording: camel(recording) }),
  };
}

/** Where the service wants the run's recording; null: nowhere. */
export function eventOf(result: RunResult): string | null {
  return (result.status === 'ranked' && result.recording?.scoreEventId) || null;
}

/** Refusals of the device or its account, which an administrator may lift: the runs wait. */
export function isLocked(code: ErrorCode): boolean {
  return code === 'DEVICE_BLOCKED' || code === 'ACCOUNT_SUSPENDED';
}
