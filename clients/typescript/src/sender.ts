import { errorOf, LeaderboardError } from './errors.js';
import type { Nonces } from './nonces.js';
import type { Settled } from './options.js';
import type { RunQueue } from './queue.js';
import type { Kept } from './recordings.js';
import {
  eventOf,
  type ItemResult,
  isLocked,
  itemOf,
  type Queued,
  type Ranked,
  type Refused,
  type Run,
  rankedOf,
} from './run.js';
import type { Session, Sessions } from './session.js';
import { StoredList } from './stored-list.js';
import { send } from './transport.js';
import { Pause, pauseAfter } from './wait.js';

/** The service's bound of items in one request. */
const MOST_IN_REQUEST = 100;

/** True if the same run may be counted later: with another nonce or session, too. */
function repeats({ isTemporary, status }: LeaderboardError): boolean {
  return isTemporary || status === 401 || status === 412;
}

type Waiter = { run: Run; resolve: (result: Ranked | Refused | Queued) => void };

/**
 * Sends the waiting runs, many in one request and one request at a time, until each is answered. Of several tabs one sends
 * at a time; a tab that finds its run sent by another one sends it again, and its key brings the first answer.
 */
export class Sender {
  readonly #waiters = new Map<string, Waiter>();
  readonly #sent = new Set<string>();
  /** When runs with tickets ended, by the clock that never goes back; of an earlier process, the device's clock knows. */
  readonly #ended = new Map<string, number>();
  /** Runs whose ticket came too late: they are sent once more, with a nonce. */
  readonly #late = new Map<string, LeaderboardError>();
  /** Runs that are being stored, or their recordings: they are not sent before. */
  readonly #held = new Set<string>();
  readonly #recordings: StoredList<Kept>;
  readonly #pause = new Pause();
  readonly #stopping = new AbortController();
  #working: Promise<void> | undefined;
  #again = false;
  #most = MOST_IN_REQUEST;
  /** The newest failure; undefined: the last request was answered. */
  failure: LeaderboardError | undefined;

  constructor(
    private readonly settings: Settled,
    private readonly sessions: Sessions,
    private readonly nonces: Nonces,
    private readonly queue: RunQueue,
    /** The beginning of the names of this player's texts. */
    private readonly place: string,
  ) {
    this.#recordings = new StoredList(settings, `${place}:recordings`);
  }

  /**
   * Stores a run and sends it. Resolves with its answer, or as `queued` when `stopWaiting` resolves.
   * @param keep stores its recording, once the run itself is stored. Never rejects
   */
  async submit(
    run: Run,
    stopWaiting: Promise<void>,
    keep?: () => Promise<void>,
  ): Promise<Ranked | Refused | Queued> {
    const played = this.settings.clock.elapsed();
    this.#held.add(run.key);
    if (run.ticket) this.#ended.set(run.key, played);
    await this.queue.add(run, this.#sent, async () => {
      const sessionMs = await this.sessions.ageAt(played);
      if (sessionMs !== undefined) run.sessionMs = sessionMs;
    });
    const answer = new Promise<Ranked | Refused | Queued>((resolve) => {
      this.#waiters.set(run.key, { run, resolve });
    });
    void stopWaiting.then(() => this.#queued(run));
    const begin = async () => {
      await keep?.();
      this.#held.delete(run.key);
      this.start();
    };
    void begin();
    return answer;
  }

  /** Sends waiting runs, immediately unless the service asked for a pause. Resolves when nothing more can be done now. */
  start(): Promise<void> {
    this.#again = true;
    if (this.failure?.retryAfterSeconds === undefined) this.#pause.wake();
    this.#working ??= this.#work();
    return this.#working;
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    this.#pause.wake();
    for (const { run } of this.#waiters.values()) this.#queued(run);
    await this.#working;
  }

  #queued(run: Run): void {
    const waiter = this.#waiters.get(run.key);
    this.#waiters.delete(run.key);
    waiter?.resolve({ status: 'queued', run, error: this.failure });
  }

  async #work(): Promise<void> {
    try {
      for (let failures = 0; !this.#stopping.signal.aborted; ) {
        this.#again = false;
        try {
          const isEmpty = await this.settings.locks.request(`${this.place}.send`, () => this.#sendSome());
          failures = 0;
          this.failure = undefined;
          if (isEmpty && !this.#again) return;
        } catch (error) {
          if (this.#stopping.signal.aborted) return;
          if (!(error instanceof LeaderboardError)) throw error;
          failures += 1;
          this.failure = error;
          this.settings.onTrouble(error);
          const isNonce = error.status === 412;
          if (isNonce) this.nonces.clear();
          const isFinal = error === this.sessions.refusal || isLocked(error.code) || !repeats(error);
          if (isFinal) return this.#giveUp();
          // A refused nonce is replaced immediately; if the new ones are refused, too, that is a failure.
          if (!isNonce || failures > 1)
            await this.#pause.for(pauseAfter(failures, error, this.settings.retry));
        }
      }
    } finally {
      // In the same turn: the next run starts over instead of waiting for work that has ended.
      this.#working = undefined;
    }
  }

  /** Until the next call: runs stay, and those who wait for them learn why. */
  #giveUp(): void {
    for (const { run } of [...this.#waiters.values()]) this.#queued(run);
  }

  /** True: nothing waits. */
  async #sendSome(): Promise<boolean> {
    const stored = await this.queue.list();
    const keys = new Set(stored.map(({ key }) => key));
    const sentElsewhere = [...this.#waiters.values()]
      .map(({ run }) => run)
      .filter(({ key }) => !keys.has(key));
    const runs = [...stored, ...sentElsewhere].filter(({ key }) => !this.#held.has(key)).slice(0, this.#most);
    if (runs.length === 0) return true;
    for (const { key } of runs) this.#sent.add(key);
    try {
      const results = await this.#request(runs);
      await this.#settle(runs, results);
      this.#most = MOST_IN_REQUEST;
    } catch (error) {
      const isTooLarge = error instanceof LeaderboardError && error.status === 413 && runs.length > 1;
      if (!isTooLarge) throw error;
      this.#most = Math.ceil(runs.length / 2);
    } finally {
      this.#sent.clear();
      await this.queue.trim().catch(() => undefined);
    }
    return false;
  }

  async #request(runs: Run[]): Promise<ItemResult[]> {
    const { signal } = this.#stopping;
    const call = async ({ accessToken, displayName }: Session) => {
      const ticketed = (run: Run) => (this.#late.has(run.key) ? undefined : run.ticket);
      const nonces = await this.nonces.take(runs.filter((run) => !ticketed(run)).length, signal);
      const items = runs.map((run) => {
        const playerName = run.playerName ?? displayName ?? undefined;
        const named = { ...run, ...(playerName !== undefined && { playerName }) };
        const ticket = ticketed(run);
        return ticket ? itemOf(named, ticket, this.#idleOf(run)) : itemOf(named, nonces.shift()!);
      });
      const path = '/v1/client/scores/batch';
      const query = { standings: this.settings.standings ? 'all' : undefined };
      return send<{ results: ItemResult[] }>(this.settings, {
        ...{ method: 'POST', path, query, body: { items }, token: accessToken, signal },
      });
    };
    const { results } = await this.sessions.with(call, signal);
    if (results?.length !== runs.length) {
      throw new LeaderboardError(
        'NOT_THE_SERVICE',
        'The service returned a different number of results than was sent.',
        200,
      );
    }
    return results;
  }

  /** Until the end of the run, and since then. */
  #idleOf({ key, idleMs = 0, createdAt }: Run): number {
    const { clock } = this.settings;
    const ended = this.#ended.get(key);
    const waited = ended === undefined ? clock.now() - createdAt : clock.elapsed() - ended;
    return Math.min(Math.max(0, Math.round(idleMs + Math.max(0, waited))), Number.MAX_SAFE_INTEGER);
  }

  /** The service's name for the player is the one of its newest run, unless an administrator gave it another. */
  async #named(final: (Ranked | Refused)[]): Promise<void> {
    if (this.settings.testMode) return;
    const shown = final.flatMap((result) =>
      result.status === 'ranked' && result.kept ? [result.score] : [],
    );
    if (shown.length > 0) await this.sessions.named(shown.at(-1)!.playerName);
  }

  /** @throws LeaderboardError of an item that must be sent again, once all others are settled */
  async #settle(runs: Run[], results: ItemResult[]): Promise<void> {
    const final: (Ranked | Refused)[] = [];
    let repeat: LeaderboardError | undefined;
    for (const [i, item] of results.entries()) {
      const run = runs[i]!;
      if (item.score) {
        final.push(rankedOf(run, item));
        continue;
      }
      const error =
        errorOf(item.error, item.status) ??
        new LeaderboardError('NOT_THE_SERVICE', 'The service returned no result for this run.', item.status);
      const before = this.#late.get(run.key);
      const isLate = error.code === 'TICKET_EXPIRED' || error.code === 'TICKET_STALE';
      if (repeats(error) || isLocked(error.code)) repeat ??= error;
      else if (isLate && !before) this.#late.set(run.key, error);
      else
        final.push({ status: 'refused', run, error: (error.code === 'TICKET_REQUIRED' && before) || error });
    }
    await this.#named(final);
    await this.#note(final);
    if (final.length > 0) await this.queue.remove(new Set(final.map(({ run }) => run.key)));
    for (const result of final) {
      this.#late.delete(result.run.key);
      this.#ended.delete(result.run.key);
      this.settings.onResult(result);
      if (result.status === 'refused') this.settings.onDropped(result.run, result.error);
      this.#waiters.get(result.run.key)?.resolve(result);
      this.#waiters.delete(result.run.key);
    }
    if (repeat) throw repeat;
  }

  /** Notes where recordings are wanted, for `./runs` on this page or another one. Durable before the runs leave the queue. */
  async #note(final: (Ranked | Refused)[]): Promise<void> {
    const results = final.filter(({ run }) => run.recordingHash);
    if (results.length === 0) return;
    const noted = (one: Kept) => {
      const result = results.find(({ run }) => run.key === one.key);
      return result ? { ...one, eventId: eventOf(result) } : one;
    };
    await this.#recordings.change((all) => all.map(noted)).catch(this.settings.onStorage);
  }
}
