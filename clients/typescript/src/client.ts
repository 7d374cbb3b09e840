import { type ClaimResult, Claims, type Reward } from './claims.js';
import { LeaderboardError } from './errors.js';
import type { components, operations } from './generated/rest.js';
import { type Camel, camel } from './names.js';
import { Nonces } from './nonces.js';
import { type LeaderboardOptions, type Settled, settle } from './options.js';
import { part } from './part.js';
import { RunQueue } from './queue.js';
import type { Recordings } from './recordings.js';
import type { Run, Score, Submission, SubmitResult } from './run.js';
import { Sender } from './sender.js';
import { type Player, playerOf, Sessions, type SessionTokens } from './session.js';
import type { Query, Request } from './transport.js';
import { withRetries } from './wait.js';

export type { Claimed, ClaimQueued, ClaimRefused, ClaimResult, Reward } from './claims.js';
export {
  type ClientCode,
  type ErrorCode,
  type FaultDetail,
  LeaderboardError,
  type ServiceCode,
} from './errors.js';
export {
  type ClientClock,
  type KeyValueStorage,
  type LeaderboardOptions,
  type Locks,
  memoryStorage,
} from './options.js';
export type { RecordingResult } from './recordings.js';
export type {
  HeldRun,
  Queued,
  Ranked,
  Refused,
  Run,
  RunResult,
  RunStanding,
  Score,
  Submission,
  SubmitResult,
} from './run.js';
export type { OnConflict, Player, Proof, SessionTokens } from './session.js';

/** Without `view` the rows are scores. */
type ScoreList = {
  data: components['schemas']['ClientScore'][];
  pagination: components['schemas']['Pagination'];
};
type BoardList = operations['listClientBoards']['responses']['200']['content']['application/json'];

/** A board as the service shows it to game clients. */
export type Board = Camel<BoardList['data'][number]>;

/** One page of a list. */
export interface Page<T> {
  items: T[];
  hasNext: boolean;
  hasPrevious: boolean;
}

/** The places around a player; `mine` is among them. */
export interface Around extends Page<Score> {
  /** Null: the player has no score there, and the page is empty. */
  mine: Score | null;
}

export interface ReadOptions {
  /** Items a page, 1 to 100; 20 by default. */
  limit?: number;
  signal?: AbortSignal;
}

interface Parts {
  sessions: Sessions;
  nonces: Nonces;
  queue: RunQueue;
  sender: Sender;
  claims: Claims;
  /** Absent until `./runs` or `./players` is loaded. */
  recordings?: Recordings;
  place: string;
}

/** The service as one player of one game uses it. Two for the same player and storage share session and queue. */
export class Leaderboard {
  readonly #settings: Settled;
  readonly #parts: Promise<Parts>;
  readonly #ending = new AbortController();
  #closed = false;

  constructor(options: LeaderboardOptions) {
    this.#settings = settle(options);
    this.#parts = this.#open();
    // Runs and claims of an earlier start of the game.
    void this.flush().catch(() => undefined);
    if (typeof addEventListener === 'function') addEventListener('online', this.#online);
  }

  readonly #online = () => void this.flush();

  async #open(): Promise<Parts> {
    const { gameId, testMode, storage, locks, clock, randomKey } = this.#settings;
    const base = `leaderboard:${gameId}`;
    const device =
      this.#settings.device ??
      (await locks.request(`${base}.lock`, () => deviceOf(storage, `${base}:device`, randomKey)));
    const place = `${base}:${device}${testMode ? ':test' : ''}`;
    const sessions = new Sessions(this.#settings, device, `${place}:session`);
    const nonces = new Nonces(sessions, clock);
    const queue = new RunQueue(this.#settings, `${place}:runs`);
    const sender = new Sender(this.#settings, sessions, nonces, queue, place);
    const claims = new Claims(this.#settings, sessions, nonces, `${place}:claims`);
    return { sessions, nonces, queue, sender, claims, place };
  }

  /** The session's player; starts a session or resumes the stored one. */
  async player(options: { signal?: AbortSignal } = {}): Promise<Player> {
    const { sessions } = await this.#parts;
    return playerOf(await this.#retried(() => sessions.get(options.signal), options.signal));
  }

  /**
   * Plays as the player whose session the game server started (`POST /v1/identities/{identity_id}/sessions`), for games with a
   * login of their own: pass what the server got. Call it before anything else, and again when a call fails with
   * `INVALID_REFRESH_TOKEN`: the session has ended, and no other one is started in its place. Runs wait until then. Use a
   * client with its own `device` for each player.
   * @throws LeaderboardError `CONFLICT`: the session stored for this `device` is that of another player, who isn't merged with this one
   */
  async session(tokens: SessionTokens): Promise<Player> {
    const { sessions, nonces } = await this.#parts;
    const session = await sessions.give(tokens);
    nonces.clear();
    void this.flush().catch(() => undefined);
    return playerOf(session);
  }

  /** Session and nonces ahead, for example when a run is about to end. */
  async prepare(options: { signal?: AbortSignal } = {}): Promise<void> {
    const { nonces } = await this.#parts;
    await this.#retried(() => nonces.prepare(options.signal), options.signal);
  }

  /**
   * Stores a run and sends it until it is answered. Never rejects. Resolves as `queued` at the deadline or when `signal`
   * is aborted: the run stays stored and is still sent, by this or a later start of the game.
   * @param refusal of `./runs`: why the run can't count, known before it is sent
   * @param keep of `./runs`: stores the recording, after the run
   */
  async submit(
    submission: Submission,
    options: { deadlineMs?: number; signal?: AbortSignal } = {},
    refusal?: LeaderboardError,
    keep?: () => Promise<void>,
  ): Promise<SubmitResult> {
    const { playerName } = this.#settings;
    const named = { ...(playerName !== undefined && { playerName }), ...submission };
    const run: Run = {
      ...named,
      key: submission.key ?? this.#settings.randomKey(),
      createdAt: this.#settings.clock.now(),
    };
    // JSON would make null of it, now and after every start.
    const error = Number.isFinite(run.value)
      ? refusal
      : new LeaderboardError('VALIDATION_FAILED', 'The value must be a finite number.');
    if (error) return { status: 'refused', run, error };
    return this.#waited(options, async (stopWaiting) =>
      (await this.#parts).sender.submit(run, stopWaiting, keep),
    );
  }

  /**
   * Claims a reward of the player and sends it until it is answered. Never rejects. Resolves as `queued` at the deadline or when
   * `signal` is aborted: the claim stays stored. Safe to repeat.
   */
  claim(rewardId: string, options: { deadlineMs?: number; signal?: AbortSignal } = {}): Promise<ClaimResult> {
    return this.#waited(options, async (stopWaiting) =>
      (await this.#parts).claims.claim(rewardId, stopWaiting),
    );
  }

  /** Rewards of the player, open ones first, page by page. */
  rewards({ limit, signal }: ReadOptions = {}): AsyncGenerator<Page<Reward>> {
    return this.pages<components['schemas']['ClientReward']>('/v1/client/rewards', { limit }, signal);
  }

  /** Calls `work` with a promise that resolves at the deadline, or when the caller or the client ends the wait. */
  async #waited<T>(
    { deadlineMs = this.#settings.deadlineMs, signal }: { deadlineMs?: number; signal?: AbortSignal },
    work: (stopWaiting: Promise<void>) => Promise<T>,
  ): Promise<T> {
    let stop: () => void = () => undefined;
    const stopWaiting = new Promise<void>((resolve) => {
      stop = resolve;
    });
    const timer = setTimeout(stop, deadlineMs);
    if (signal?.aborted || this.#closed) stop();
    signal?.addEventListener('abort', stop, { once: true });
    this.#ending.signal.addEventListener('abort', stop, { once: true });
    try {
      return await work(stopWaiting);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      this.#ending.signal.removeEventListener('abort', stop);
    }
  }

  /**
   * Sends waiting runs, claims and recordings now, if there are any. Resolves with the number of runs that still wait when no more can
   * be done.
   */
  async flush(options: { deadlineMs?: number } = {}): Promise<number> {
    const { queue, sender, claims, recordings } = await this.tools();
    if (!this.#closed) for (const one of [claims, recordings]) void one?.start().catch(() => undefined);
    if (!this.#closed && (await queue.list()).length > 0) {
      await this.#waited(options, (late) => Promise.race([sender.start(), late]));
    }
    return (await queue.list()).length;
  }

  /** Runs that wait, oldest first. */
  async waiting(): Promise<Run[]> {
    return (await this.#parts).queue.list();
  }

  /** Boards of the game and published ones of its studio, page by page. */
  boards(options: ReadOptions & { gameId?: string; isActive?: boolean } = {}): AsyncGenerator<Page<Board>> {
    const { gameId: game_id, isActive: is_active, limit, signal } = options;
    return this.pages<BoardList['data'][number]>('/v1/client/boards', { game_id, is_active, limit }, signal);
  }

  async board(boardId: string, { signal }: { signal?: AbortSignal } = {}): Promise<Board> {
    return camel(
      await this.#get<BoardList['data'][number]>(
        `/v1/client/boards/${encodeURIComponent(boardId)}`,
        {},
        signal,
      ),
    );
  }

  /** The board from the top. */
  async top(boardId: string, options: ReadOptions = {}): Promise<Page<Score>> {
    const { value } = await this.scores(boardId, options).next();
    return value as Page<Score>;
  }

  /** The board from the top, read page by page on demand. */
  scores(boardId: string, { limit, signal }: ReadOptions = {}): AsyncGenerator<Page<Score>> {
    return this.pages<components['schemas']['ClientScore']>(
      '/v1/client/scores',
      { board_id: boardId, limit, ...this.#population() },
      signal,
    );
  }

  /** The player's score, the best one where every run is kept; null: there is none. */
  async mine(boardId: string, { signal }: { signal?: AbortSignal } = {}): Promise<Score | null> {
    const query = { board_id: boardId, identity_id: 'me', limit: 1, ...this.#population() };
    const { data } = await this.#get<ScoreList>('/v1/client/scores', query, signal);
    return data[0] ? camel(data[0]) : null;
  }

  /** The places around the player's score. */
  async around(boardId: string, { limit, signal }: ReadOptions = {}): Promise<Around> {
    const mine = await this.mine(boardId, { ...(signal && { signal }) });
    if (!mine) return { mine, items: [], hasNext: false, hasPrevious: false };
    const query = { board_id: boardId, around_score_id: mine.id, limit, ...this.#population() };
    const page = pageOf(await this.#get<ScoreList>('/v1/client/scores', query, signal));
    return { ...page, mine: page.items.find(({ id }) => id === mine.id) ?? mine };
  }

  /** The entries around a hypothetical value, which is the entry with `isPlaceholder`. */
  async aroundValue(
    boardId: string,
    value: number,
    { limit, signal }: ReadOptions = {},
  ): Promise<Page<Score>> {
    const query = { board_id: boardId, around_score_value: value, limit, ...this.#population() };
    return pageOf(await this.#get<ScoreList>('/v1/client/scores', query, signal));
  }

  /** A read of the session, for `./views`. `is_test` goes with it. */
  read<T>(path: string, query: Query, signal?: AbortSignal): Promise<T> {
    return this.#get<T>(path, { ...query, ...this.#population() }, signal);
  }

  /** Names a failure that a watch survives, for `./live`. */
  report(error: LeaderboardError): void {
    this.#settings.onTrouble(error);
  }

  /** Waits and retries of this client, for `./live`. */
  get retry(): { firstMs: number; mostMs: number } {
    return this.#settings.retry;
  }

  /** True: this client plays among test data. */
  get isTest(): boolean {
    return this.#settings.testMode === true;
  }

  /** Ends all work. Waiting runs, claims and recordings stay stored; what waits for an answer resolves as `queued`. */
  async close(): Promise<void> {
    this.#closed = true;
    if (typeof removeEventListener === 'function') removeEventListener('online', this.#online);
    this.#ending.abort();
    const { sender, claims, recordings } = await this.#parts;
    await Promise.all([sender.close(), claims.close(), recordings?.close()]);
  }

  #population(): Query {
    return this.isTest ? { is_test: true } : {};
  }

  /** Settings and parts, and the beginning of the names of this player's texts in the storage, for other modules of the package. */
  async tools(): Promise<Settled & Parts> {
    const own = await this.#parts;
    if (part.recordings) own.recordings ??= part.recordings(this.#settings, own);
    return { ...this.#settings, ...own };
  }

  #retried<T>(
    read: () => Promise<T>,
    signal?: AbortSignal,
    deadlineMs = this.#settings.deadlineMs,
  ): Promise<T> {
    const { retry } = this.#settings;
    return withRetries(read, { deadlineMs, retry, signal });
  }

  #get<T>(path: string, query: Query, signal?: AbortSignal): Promise<T> {
    return this.call<T>({ path, query, signal });
  }

  /** A request of the session that may be repeated, for `./runs`. @param deadlineMs retries included */
  async call<T>(request: Request, deadlineMs?: number): Promise<T> {
    const { sessions } = await this.#parts;
    return this.#retried(() => sessions.call<T>(request), request.signal, deadlineMs);
  }

  /** A list, for `./players`. @param body of a list that is read by POST */
  async *pages<T extends object>(
    path: string,
    query: Query,
    signal?: AbortSignal,
    body?: object,
  ): AsyncGenerator<Page<Camel<T>>> {
    let cursor: string | null = null;
    do {
      const next = cursor === null ? {} : { cursor };
      const list: List<T> = await this.call<List<T>>({
        path,
        signal,
        ...(body ? { method: 'POST', body: { ...body, ...next }, query } : { query: { ...query, ...next } }),
      });
      yield pageOf(list);
      cursor = list.pagination.next_cursor;
    } while (cursor !== null);
  }
}

interface List<T> {
  data: T[];
  pagination: components['schemas']['Pagination'];
}

function pageOf<T extends object>({ data, pagination }: List<T>): Page<Camel<T>> {
  return { items: data.map(camel), hasNext: pagination.has_next, hasPrevious: pagination.has_prev };
}

/** The name of this installation, made at its first start. */
async function deviceOf(storage: Settled['storage'], name: string, randomKey: () => string): Promise<string> {
  try {
    const stored = await storage.getItem(name);
    if (stored) return stored;
  } catch {
    // It cannot be stored either: this start is an installation of its own.
  }
  const device = randomKey();
  try {
    await storage.setItem(name, device);
  } catch {
    // As above.
  }
  return device;
}
