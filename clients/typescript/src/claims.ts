import { LeaderboardError } from './errors.js';
import type { components } from './generated/rest.js';
import { type Camel, camel } from './names.js';
import type { Nonces } from './nonces.js';
import type { Settled } from './options.js';
import { isLocked } from './run.js';
import type { Sessions } from './session.js';
import { send } from './transport.js';
import { Pause, pauseAfter } from './wait.js';

type RewardRecord = components['schemas']['ClientReward'];

/** A reward as the service shows it to game clients. */
export type Reward = Camel<RewardRecord>;

/** The reward is the player's. */
export interface Claimed {
  status: 'claimed';
  rewardId: string;
  reward: Reward;
  /** True once for each reward on this installation: hand it out now. */
  isNew: boolean;
}

/** The claim is stored and is sent until it is answered; `error` is the last failure. */
export interface ClaimQueued {
  status: 'queued';
  rewardId: string;
  error?: LeaderboardError | undefined;
}

/** It cannot be claimed: `REWARD_GONE` if it has expired or was revoked. */
export interface ClaimRefused {
  status: 'refused';
  rewardId: string;
  error: LeaderboardError;
}

export type ClaimResult = Claimed | ClaimQueued | ClaimRefused;

/** Ids of rewards: claims that wait, and what was handed out, which is kept for ever. */
interface Stored {
  waiting: string[];
  used: string[];
}

/** Claims that are sent, one after the other, until each is answered; repeated, the service returns the first answer. */
export class Claims {
  readonly #waiters = new Map<string, Set<(result: ClaimResult) => void>>();
  readonly #pause = new Pause();
  readonly #stopping = new AbortController();
  /** What the storage did not take lasts as long as this process. */
  readonly #unstored: Stored = { waiting: [], used: [] };
  /** Held by the studio, or gone for the moment: they wait for the next call. */
  readonly #held = new Set<string>();
  /** Claims whose game has not been told that they wait. */
  readonly #fresh = new Set<string>();
  #working: Promise<void> | undefined;
  #failure: LeaderboardError | undefined;

  constructor(
    private readonly settings: Settled,
    private readonly sessions: Sessions,
    private readonly nonces: Nonces,
    /** Where they are stored. */
    private readonly name: string,
  ) {}

  /** Stores a claim and sends it. Resolves with its answer, or as `queued` when `stopWaiting` resolves. */
  async claim(rewardId: string, stopWaiting: Promise<void>): Promise<ClaimResult> {
    await this.#change(({ waiting }) => {
      if (waiting.includes(rewardId)) return;
      waiting.push(rewardId);
      this.#fresh.add(rewardId);
    });
    return new Promise((resolve) => {
      this.#waiters.set(rewardId, (this.#waiters.get(rewardId) ?? new Set()).add(resolve));
      void stopWaiting.then(() => {
        this.#waiters.get(rewardId)?.delete(resolve);
        this.#fresh.delete(rewardId);
        resolve({ status: 'queued', rewardId, error: this.#failure });
      });
      void this.start();
    });
  }

  /** Ids of claims that wait. */
  async waiting(): Promise<string[]> {
    return (await this.#stored()).waiting;
  }

  /** Sends waiting claims, if there are any. Resolves when nothing more can be done now. */
  start(): Promise<void> {
    this.#held.clear();
    if (this.#failure?.retryAfterSeconds === undefined) this.#pause.wake();
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
    return this.#working;
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    this.#pause.wake();
    await this.#working;
  }

  async #work(): Promise<void> {
    const { signal } = this.#stopping;
    for (let failures = 0; !signal.aborted; ) {
      const all = [...(await this.#stored()).waiting, ...this.#waiters.keys()];
      const next = all.find((id) => !this.#held.has(id));
      if (next === undefined) return;
      try {
        await this.settings.locks.request(`${this.name}.send`, () => this.#send(next));
        failures = 0;
        this.#failure = undefined;
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof LeaderboardError)) throw error;
        failures += 1;
        this.#failure = error;
        this.settings.onTrouble(error);
        if (error.status === 412) this.nonces.clear();
        const isFinal = error === this.sessions.refusal || isLocked(error.code);
        if (isFinal) return this.#giveUp();
        if (error.status !== 412 || failures > 1)
          await this.#pause.for(pauseAfter(failures, error, this.settings.retry));
      }
    }
  }

  /** Until the next call: claims stay, and those who wait for them learn why. */
  #giveUp(): void {
    for (const rewardId of [...this.#waiters.keys()])
      this.#answer({ status: 'queued', rewardId, error: this.#failure });
  }

  async #send(rewardId: string): Promise<void> {
    const { signal } = this.#stopping;
    const path = `/v1/client/rewards/${encodeURIComponent(rewardId)}/claim`;
    try {
      const record = await this.sessions.with(async ({ accessToken: token }) => {
        const [nonce] = await this.nonces.take(1, signal);
        const headers = { [`${this.settings.headerPrefix}-client-nonce`]: nonce! };
        return send<RewardRecord>(this.settings, { method: 'POST', path, headers, token, signal });
      }, signal);
      // Stored before it is told: a game that ends now hands it out never, rather than twice.
      const isNew = await this.#change((stored) => {
        settle(stored, rewardId);
        if (stored.used.includes(rewardId)) return false;
        stored.used.push(rewardId);
        return true;
      });
      this.#tell({ status: 'claimed', rewardId, reward: camel(record), isNew });
    } catch (error) {
      if (!(error instanceof LeaderboardError) || signal.aborted) throw error;
      const { isTemporary, status, code } = error;
      if (isTemporary || status === 401 || status === 412 || isLocked(code)) throw error;
      // What was claimed offline is not given up for a board that is deleted for the moment.
      const isGone = code === 'NOT_FOUND' && !this.#fresh.has(rewardId);
      if (code === 'INVALID_TRANSITION' || isGone) {
        this.#held.add(rewardId);
        return this.#answer({ status: 'queued', rewardId, error });
      }
      await this.#change((stored) => settle(stored, rewardId));
      this.#tell({ status: 'refused', rewardId, error });
    }
  }

  #tell(result: Claimed | ClaimRefused): void {
    this.settings.onClaim(result);
    this.#answer(result);
  }

  #answer(result: ClaimResult): void {
    const waiters = this.#waiters.get(result.rewardId) ?? [];
    this.#waiters.delete(result.rewardId);
    this.#fresh.delete(result.rewardId);
    for (const resolve of waiters) resolve(result);
  }

  async #stored(): Promise<Stored> {
    let stored: Stored = { waiting: [], used: [] };
    try {
      stored = { ...stored, ...JSON.parse((await this.settings.storage.getItem(this.name)) ?? '{}') };
    } catch (error) {
      this.settings.onStorage(error);
    }
    const both = (of: keyof Stored) => [...new Set([...stored[of], ...this.#unstored[of]])];
    return { waiting: both('waiting'), used: both('used') };
  }

  #change<T>(change: (stored: Stored) => T): Promise<T> {
    return this.settings.locks.request(`${this.name}.lock`, async () => {
      const stored = await this.#stored();
      const result = change(stored);
      try {
        await this.settings.storage.setItem(this.name, JSON.stringify(stored));
        Object.assign(this.#unstored, { waiting: [], used: [] });
      } catch (error) {
        Object.assign(this.#unstored, stored);
        this.settings.onStorage(error);
      }
      return result;
    });
  }
}

function settle(stored: Stored, rewardId: string): void {
  stored.waiting = stored.waiting.filter((id) => id !== rewardId);
}
