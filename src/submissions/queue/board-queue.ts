import type pg from 'pg';
import type { DomainError } from '../../base/errors.js';
import { usesOf } from '../decide/batch.js';
import type { BoardHead } from '../decide/decide.js';
import type { Outcome, Submission } from '../facts/submission.js';

/** A submission that waits for its result. */
export interface Waiting {
  item: Submission;
  resolve(outcome: Outcome): void;
  reject(error: DomainError): void;
}

/** Submissions of one board that are written in one transaction. */
export interface Batch {
  entries: Waiting[];
  /** The board as the commit will leave it; undefined until the batch is decided. */
  head: BoardHead | undefined;
  /** Resolves when all its statements are sent, or none will be on the queue's connection. */
  sent: Promise<void>;
  /** Resolves when its submissions have their results. */
  done: Promise<void>;
}

function newBatch(entries: Waiting[]): Batch {
  return { entries, head: undefined, sent: Promise.resolve(), done: Promise.resolve() };
}

/**
 * `idle`: no batch is written; `queued`: the board waits for a writer; `writing`: one batch is being written;
 * `writing+ahead`: another one is pipelined behind it; `blocked`: one is being written, and every waiting submission has to
 * wait for its commit.
 */
type QueueState = 'idle' | 'queued' | 'writing' | 'writing+ahead' | 'blocked';

const TRANSITIONS: Record<QueueState, readonly QueueState[]> = {
  idle: ['queued'],
  queued: ['writing'],
  writing: ['writing+ahead', 'blocked', 'idle'],
  'writing+ahead': ['writing'],
  blocked: ['idle'],
};

/**
 * Setting up a batch costs the database as much as this many submissions: smaller batches are faster one after
 * another.
 */
const LEAST_AHEAD = 8;

/** The submissions to one board that wait or are being written. */
export class BoardQueue {
  waiting: Waiting[] = [];
  /**
   * The connection of all batches until none is pipelined: statements of a batch follow those of the previous one.
   */
  connection: Promise<pg.PoolClient> | undefined;
  /** True once that connection is lost: nothing more is pipelined on it. */
  broken = false;
  /** True: the next batch is not written in one transaction with other boards. */
  alone = false;
  #state: QueueState = 'idle';
  #writing: Batch | undefined;
  #ahead: Batch | undefined;

  constructor(readonly boardId: string) {}

  get state(): QueueState {
    return this.#state;
  }

  /** The batch that is being written; of two, the older one. */
  get writing(): Batch | undefined {
    return this.#writing;
  }

  get isEmpty(): boolean {
    return this.#state === 'idle' && this.waiting.length === 0;
  }

  /** Requests a writer. */
  queue(): void {
    this.#enter('queued');
  }

  /**
   * Takes the next batch when a writer is free.
   * @param others submissions of the same transaction; the batch may share no player, nonce or key with them
   * @param isLocked true: the queue's connection holds the board's lock
   * @returns undefined, and stays queued, if it has no submission that can be written with them
   */
  begin(limit: number, others: readonly Waiting[], isLocked = false): Batch | undefined {
    const [entries, later] = takeBatch(this.waiting, limit, others);
    if (entries.length === 0) return undefined;
    this.#enter('writing');
    this.waiting = later;
    if (!isLocked) {
      this.connection = undefined;
      this.broken = false;
    }
    this.alone = false;
    this.#writing = newBatch(entries);
    return this.#writing;
  }

  /** True if the next batch should be pipelined: it is as large as the one being written, and not small. */
  get isDueAhead(): boolean {
    if (this.#state !== 'writing' || !this.#writing?.head || this.broken) return false;
    return this.waiting.length >= Math.max(LEAST_AHEAD, this.#writing.entries.length);
  }

  /**
   * Takes the next batch, to be pipelined behind the one being written.
   * @returns undefined if all submissions must wait for that one
   */
  sendAhead(limit: number): Batch | undefined {
    const [entries, later] = takeBatch(this.waiting, limit, this.#writing!.entries);
    if (entries.length === 0) {
      this.#enter('blocked');
      return undefined;
    }
    this.#enter('writing+ahead');
    this.waiting = later;
    this.#ahead = newBatch(entries);
    return this.#ahead;
  }

  /** Called when the older batch has its results. @returns true when the pipelined batch takes its place */
  finish(): boolean {
    this.#writing = this.#ahead;
    this.#ahead = undefined;
    this.#enter(this.#writing ? 'writing' : 'idle');
    return this.#writing !== undefined;
  }

  /** The batch was not written: its submissions wait again, for a transaction with only their board. */
  putBack(entries: readonly Waiting[]): void {
    this.waiting.unshift(...entries);
    this.alone = true;
  }

  #enter(next: QueueState): void {
    if (!TRANSITIONS[this.#state].includes(next)) {
      throw new Error(`The queue of board ${this.boardId} cannot go from ${this.#state} to ${next}`);
    }
    this.#state = next;
  }
}

/**
 * Takes the next batch in order of arrival. The submissions of one player are decided one after another in the same
 * batch, if they are in one population; the second use of a nonce or an idempotency key waits for the first one's
 * commit.
 * @param others submissions being written: facts read now for a submission of the same player, or with the same
 * nonce or key, would be outdated
 */
export function takeBatch(
  waiting: readonly Waiting[],
  limit: number,
  others: readonly Waiting[],
): [batch: Waiting[], later: Waiting[]] {
  const batch: Waiting[] = [];
  const later: Waiting[] = [];
  const uses = new Set(others.flatMap(({ item }) => usesOf(item)));
  /** The population of each player in the batch; null: the player's submissions wait, and later ones behind them. */
  const players = new Map<string, boolean | null>(others.map(({ item }) => [item.identityId, null]));
  for (const one of waiting) {
    const { identityId, isTest } = one.item;
    const own = usesOf(one.item);
    const isFree = players.get(identityId) === undefined || players.get(identityId) === isTest;
    if (batch.length < limit && isFree && !own.some((use) => uses.has(use))) {
      batch.push(one);
      players.set(identityId, isTest);
    } else {
      later.push(one);
      players.set(identityId, null);
    }
    for (const use of own) uses.add(use);
  }
  return [batch, later];
}

/** Maximum of submissions of several boards in one transaction: so that none waits long for the others. */
const MOST_IN_GROUP = 16;
/** Boards of the queue that are considered for a group. */
const CANDIDATES = 64;

/** The batch of one board in a group. */
export interface BoardBatch {
  queue: BoardQueue;
  batch: Batch;
}

/**
 * Takes the next write group from the boards that wait for a writer: the first board, and if it has few waiting
 * submissions, others with few. No player, nonce or idempotency key is in a group twice.
 * @param ready boards waiting for a writer, at least one
 * @param limit submissions of a board that is written alone
 */
export function takeWriteGroup(
  ready: BoardQueue[],
  limit: number,
  isContended: (boardId: string) => boolean,
): BoardBatch[] {
  const joins = ({ boardId, waiting, alone }: BoardQueue) =>
    !alone && waiting.length <= LEAST_AHEAD && !isContended(boardId);
  const first = ready.shift()!;
  const hasCompany = joins(first);
  const group: BoardBatch[] = [{ queue: first, batch: first.begin(limit, [])! }];
  if (!hasCompany) return group;
  const taken: Waiting[] = [...group[0]!.batch.entries];
  for (let i = 0; i < Math.min(ready.length, CANDIDATES) && taken.length < MOST_IN_GROUP; ) {
    const queue = ready[i]!;
    const batch = joins(queue) ? queue.begin(MOST_IN_GROUP - taken.length, taken) : undefined;
    if (batch) {
      group.push({ queue, batch });
      taken.push(...batch.entries);
      ready.splice(i, 1);
    } else {
      i += 1;
    }
  }
  return group;
}
