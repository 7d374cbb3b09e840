import { BurstyRateLimiter, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { DomainError, unavailable } from './errors.js';

/** Times the limit of one address, for one that is perhaps that of a proxy: its callers cannot be distinguished. */
export const SHARED_ADDRESS = 20;

interface LimitOptions {
  /** A second limit over a longer span, for many attempts at once. */
  burst?: { times: number; seconds: number };
  /** The counted action, as the refusal names it. */
  what?: string;
}

/**
 * Limits how often each caller may do something per span of time, which begins with the first time; in this process.
 */
export class Limit {
  readonly #counts: Pick<RateLimiterMemory, 'consume'>;
  readonly #steady: RateLimiterMemory;
  readonly #what: string;

  constructor(
    private readonly times: number,
    private readonly seconds: number,
    { burst, what = 'requests' }: LimitOptions = {},
  ) {
    this.#steady = new RateLimiterMemory({ points: times, duration: seconds });
    this.#counts = burst
      ? new BurstyRateLimiter(
          this.#steady,
          new RateLimiterMemory({ points: burst.times, duration: burst.seconds }),
        )
      : this.#steady;
    this.#what = what;
  }

  /** Counts attempts of a caller, one by default. @throws DomainError RATE_LIMITED, with the remaining seconds of the span */
  async count(caller: string, attempts = 1): Promise<void> {
    try {
      await this.#counts.consume(caller, attempts);
    } catch (refusal) {
      throw refusal instanceof RateLimiterRes ? this.#refusal(refusal) : refusal;
    }
  }

  /** Counts nothing, of a limit without bursts. @throws DomainError RATE_LIMITED if a caller has no attempt left */
  async check(caller: string): Promise<void> {
    const state = await this.#steady.get(caller);
    if (state && state.remainingPoints <= 0) throw this.#refusal(state);
  }

  #refusal({ msBeforeNext }: RateLimiterRes): DomainError {
    const left = Math.max(1, Math.ceil(msBeforeNext / 1_000));
    const span = this.seconds === 60 ? 'minute' : 'hour';
    const sentence = `Limit reached: ${this.times} ${this.#what} per ${span}. Try again in ${left} seconds.`;
    return new DomainError('RATE_LIMITED', sentence, undefined, left);
  }
}

export interface TurnLimits {
  /** Most tasks executed concurrently. */
  atATime: number;
  /** Most of them of one owner; absent: all. */
  ofOwner?: number;
  /** Most tasks in the queue. */
  waiting: number;
  /** Longest wait of a task, milliseconds; Infinity: until its turn. */
  patienceMs: number;
}

/** Work of administrators that takes seconds of the database, like a preview: each kind has these slots in each process. */
export const COSTLY: TurnLimits = { atATime: 2, ofOwner: 1, waiting: 20, patienceMs: 2_000 };

/** Gives a task's slot to others while the task waits for a peer, and resolves in a slot again. */
export type Aside = <T>(wait: () => Promise<T>) => Promise<T>;

/** A waiting task. */
interface Waiting {
  start(): void;
  refuse(): void;
}

/** The tasks of one owner. */
interface Owned {
  busy: number;
  /** Oldest first. */
  queue: Waiting[];
}

/**
 * Limits concurrent work with a queue and refuses the excess. Owners take turns: the next task is one of the owner whose last
 * one ended the longest ago, and in a full queue the owner with the most waiting tasks loses its newest. Of an owner, a short burst
 * is served in order of arrival. After a queue has lasted longer than the longest wait, serving in order would make all tasks late and
 * most time out: the newest is then served first, and in time. A refusal comes after the wait, so that clients which
 * retry immediately cannot displace those being served.
 */
export class Turns {
  #busy = 0;
  #waiting = 0;
  #refused = 0;
  /** By owner, in the order of their turns. */
  readonly #owners = new Map<string, Owned>();
  /** Start of the present queue, by performance.now(). */
  #calmAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly limits: TurnLimits) {}

  get busy(): number {
    return this.#busy;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Number of refusals since the start. */
  get refused(): number {
    return this.#refused;
  }

  /**
   * Runs the work when a slot is free. @param owner whose work it is: the account where it is known
   * @throws DomainError UNAVAILABLE when the wait is too long or the queue is full
   */
  async run<T>(work: (aside: Aside) => Promise<T>, owner = ''): Promise<T> {
    const entered = this.#enter(owner);
    // A free slot is taken in the same turn.
    let owned: Owned | undefined = entered instanceof Promise ? await entered : entered;
    const leave = () => {
      if (owned) this.#left(owner, owned);
      owned = undefined;
    };
    const aside: Aside = async (wait) => {
      leave();
      try {
        return await wait();
      } finally {
        owned = await this.#enter(owner);
      }
    };
    try {
      return await work(aside);
    } finally {
      leave();
    }
  }

  /** At once where a slot is free. */
  #enter(owner: string): Owned | Promise<Owned> {
    const owned = this.#owners.get(owner) ?? { busy: 0, queue: [] };
    this.#owners.set(owner, owned);
    if (this.#busy >= this.limits.atATime || !this.#mayBegin(owned)) return this.#turn(owner, owned);
    this.#begin(owner, owned);
    return owned;
  }

  #mayBegin({ busy }: Owned): boolean {
    return busy < (this.limits.ofOwner ?? this.limits.atATime);
  }

  #begin(owner: string, owned: Owned): void {
    this.#busy += 1;
    owned.busy += 1;
    this.#owners.set(owner, owned);
  }

  /** Resolves when the task has a slot. */
  #turn(owner: string, owned: Owned): Promise<Owned> {
    const { waiting, patienceMs } = this.limits;
    if (this.#waiting >= waiting && !this.#displace(owned)) {
      if (owned.busy + owned.queue.length === 0) this.#owners.delete(owner);
      return Promise.reject(this.#refusal());
    }
    if (this.#waiting === 0) this.#calmAt = performance.now();
    return new Promise((resolve, reject) => {
      const settle = () => {
        clearTimeout(late);
        this.#waiting -= 1;
      };
      const task: Waiting = {
        start: () => {
          settle();
          this.#begin(owner, owned);
          resolve(owned);
        },
        refuse: () => {
          settle();
          owned.queue.splice(owned.queue.indexOf(task), 1);
          this.#forget(owner, owned);
          reject(this.#refusal());
        },
      };
      const late = patienceMs < Infinity ? setTimeout(task.refuse, patienceMs) : undefined;
      owned.queue.push(task);
      this.#waiting += 1;
    });
  }

  /** Makes room for a task of an owner, where another has more than one task more in the queue. */
  #displace({ queue }: Owned): boolean {
    let longest = queue;
    for (const other of this.#owners.values()) if (other.queue.length > longest.length) longest = other.queue;
    if (longest.length <= queue.length + 1) return false;
    longest.at(-1)!.refuse();
    return true;
  }

  #refusal(): DomainError {
    this.#refused += 1;
    return unavailable('The service is busy. Try again in a moment.');
  }

  #left(owner: string, owned: Owned): void {
    this.#busy -= 1;
    owned.busy -= 1;
    this.#owners.delete(owner);
    // Behind all others.
    if (owned.busy + owned.queue.length > 0) this.#owners.set(owner, owned);
    if (this.#waiting === 0) return;
    const standing = performance.now() - this.#calmAt > this.limits.patienceMs;
    for (const next of this.#owners.values()) {
      if (next.queue.length === 0 || !this.#mayBegin(next)) continue;
      (standing ? next.queue.pop()! : next.queue.shift()!).start();
      return;
    }
  }

  #forget(owner: string, { busy, queue }: Owned): void {
    if (busy === 0 && queue.length === 0) this.#owners.delete(owner);
  }
}
