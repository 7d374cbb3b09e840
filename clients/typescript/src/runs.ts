import type { Leaderboard } from './client.js';
import { LeaderboardError } from './errors.js';
import type { operations } from './generated/rest.js';
import type { ClientClock, Settled } from './options.js';
import { part } from './part.js';
import { recordings } from './recordings.js';
import type { Submission, SubmitResult } from './run.js';
import { sha256 } from './sha256.js';

part.recordings = recordings;

type Issued = operations['issueTickets']['responses']['200']['content']['application/json'];
type IssuedTicket = Issued['tickets'][number];

/** The service's bounds of splits, and of each, milliseconds. */
const MOST_SPLITS = 64;
const LATEST_SPLIT = 2 ** 31 - 1;
/** A player waits for the start of a run. */
const DEADLINE_MS = 5_000;

/** A ticket that was fetched ahead, as it is stored. */
interface KeptTicket extends IssuedTicket {
  board_id: string;
}

export interface StartOptions {
  /** The game's version, stored with the run: up to 32 bytes. */
  gameVersion?: string;
  /** For the ticket, retries included; 5 seconds by default. */
  deadlineMs?: number;
  signal?: AbortSignal;
}

/** What a run ends with; board and times are those of the run. */
export interface Finish
  extends Omit<Submission, 'boardId' | 'ticket' | 'idleMs' | 'splits' | 'recordingHash'> {
  /** Whole milliseconds by the game's clock; by default the time played. */
  runMs?: number;
  /**
   * The run's inputs, or whatever your game can show again, for boards that take recordings: its hash goes with the score, the file is
   * sent where the service wants it. Five wait at most, the newest ones.
   */
  recording?: Uint8Array;
}

/** What is known when a run starts. */
interface Start {
  ticket?: IssuedTicket;
  attemptsLeft?: number | null;
  error?: LeaderboardError;
}

/** A run that is being played. Its time runs from `startRun` or, if the game calls it, from `begin`. */
export class GameRun {
  /**
   * False: it has no ticket, and `error` says why. A board that requires tickets will refuse it, so tell the player before it begins.
   * True as well on boards without tickets.
   */
  readonly counts: boolean;
  /** Seed for the game's random numbers, 0 to 2147483647; null: the board gives none. */
  readonly seed: number | null;
  /** Which of the limited attempts it is, from 1; null: they are not limited. */
  readonly attempt: number | null;
  /** Attempts that are left after it; null: not limited, or not known. */
  readonly attemptsLeft: number | null;
  /** When the run must be submitted; null: there is no limit. */
  readonly expiresAt: Date | null;
  readonly error: LeaderboardError | undefined;
  readonly #ticket: string | undefined;
  #splits: number[] = [];
  /** Played until the last pause. */
  #played = 0;
  /** Since when it is played; undefined: paused. */
  #since: number | undefined;

  /** @param origin when its ticket was requested, by the clock that never goes back */
  constructor(
    private readonly leaderboard: Leaderboard,
    readonly boardId: string,
    private readonly clock: ClientClock,
    private readonly origin: number,
    { ticket, attemptsLeft, error }: Start,
  ) {
    this.counts = error === undefined;
    this.error = error;
    this.#ticket = ticket?.ticket;
    this.seed = ticket?.seed ?? null;
    this.attempt = ticket?.attempt ?? null;
    this.attemptsLeft = attemptsLeft ?? null;
    this.expiresAt = ticket ? new Date(ticket.expires_at) : null;
    this.#since = clock.elapsed();
  }

  /** Milliseconds played so far, without pauses. */
  get playedMs(): number {
    return this.#played + (this.#since === undefined ? 0 : this.clock.elapsed() - this.#since);
  }

  /** The player begins now: what passed since `startRun`, such as loading, is idle time. */
  begin(): void {
    this.#played = 0;
    this.#splits = [];
    this.#since = this.clock.elapsed();
  }

  pause(): void {
    this.#played = this.playedMs;
    this.#since = undefined;
  }

  resume(): void {
    this.#since ??= this.clock.elapsed();
  }

  /** Notes that the run passes its next point. Those beyond 64 are not kept. @returns milliseconds played until then */
  split(): number {
    const at = Math.round(this.playedMs);
    if (this.#splits.length < MOST_SPLITS && at <= LATEST_SPLIT) this.#splits.push(at);
    return at;
  }

  /** Ends the run and submits it, as `submit` does. Never rejects. */
  async finish(
    { recording, ...finish }: Finish,
    options: { deadlineMs?: number; signal?: AbortSignal } = {},
  ): Promise<SubmitResult> {
    this.pause();
    const { boardId, error } = this;
    const recordingHash = recording && sha256(recording);
    const tools = await this.leaderboard.tools();
    // Since its end, too, of which hashing is a part.
    const idleMs = Math.max(0, Math.round(this.clock.elapsed() - this.origin - this.#played));
    const times = {
      runMs: Math.round(this.#played),
      ...(this.#splits.length > 0 && { splits: this.#splits }),
      ...(this.#ticket !== undefined && { ticket: this.#ticket, idleMs }),
      ...(recordingHash && { recordingHash }),
    };
    // What another attempt would not change will be refused for its missing ticket.
    const isRefused = error && !error.isTemporary && error.code !== 'CANCELLED' && error.status !== 401;
    const refusal = isRefused ? error : undefined;
    const key = finish.key ?? tools.randomKey();
    const keep = recording && (() => tools.recordings!.keep(key, recording));
    return this.leaderboard.submit({ ...times, ...finish, key, boardId }, options, refusal, keep);
  }
}

/**
 * Starts a run: gets its ticket, or one that was fetched ahead where the service can't be reached. Never rejects.
 */
export async function startRun(
  leaderboard: Leaderboard,
  boardId: string,
  options: StartOptions = {},
): Promise<GameRun> {
  const tools = await leaderboard.tools();
  const origin = tools.clock.elapsed();
  const start = await issued(leaderboard, tools, boardId, options);
  return new GameRun(leaderboard, boardId, tools.clock, origin, start);
}

async function issued(
  leaderboard: Leaderboard,
  tools: Tools,
  boardId: string,
  { gameVersion, deadlineMs = DEADLINE_MS, signal }: StartOptions,
): Promise<Start> {
  const hasKept = (await kept(tools)).some((one) => isGood(tools, one, boardId));
  const ending = new AbortController();
  const end = () => ending.abort();
  const timer = setTimeout(end, deadlineMs);
  signal?.addEventListener('abort', end, { once: true });
  if (signal?.aborted) end();
  try {
    const body = { board_id: boardId, ...(gameVersion !== undefined && { game_version: gameVersion }) };
    // With a ticket at hand nobody waits for a second attempt.
    const { tickets, attempts_left } = await request(
      leaderboard,
      tools,
      body,
      ending.signal,
      hasKept ? 0 : deadlineMs,
    );
    return { ticket: tickets[0]!, attemptsLeft: attempts_left };
  } catch (thrown) {
    const late = ending.signal.aborted && !signal?.aborted;
    const error = late
      ? new LeaderboardError('TIMEOUT', `No ticket within ${deadlineMs} ms.`)
      : (thrown as LeaderboardError);
    // The board has no tickets.
    if (error.code === 'BAD_REQUEST') return {};
    const ticket = error.isTemporary ? await take(tools, boardId) : undefined;
    return ticket ? { ticket } : { error };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}

/**
 * Fetches tickets for runs without a connection until so many of the board are stored: up to its `advance`. Call it while there is a
 * connection, for example at each start of the game. Where attempts are limited, each takes one.
 * @returns how many are stored
 * @throws LeaderboardError BAD_REQUEST the board has no tickets, or not so many; ATTEMPTS_USED_UP
 */
export async function fetchTickets(
  leaderboard: Leaderboard,
  boardId: string,
  count: number,
  { gameVersion, signal }: Omit<StartOptions, 'deadlineMs'> = {},
): Promise<number> {
  const tools = await leaderboard.tools();
  return tools.locks.request(`${tools.place}:tickets.fetch`, async () => {
    const have = (await kept(tools)).filter((one) => isGood(tools, one, boardId)).length;
    if (have >= count) return have;
    const body = {
      board_id: boardId,
      count: count - have,
      advance: true,
      ...(gameVersion !== undefined && { game_version: gameVersion }),
    };
    const { tickets } = await request(leaderboard, tools, body, signal);
    const fresh = tickets.map((ticket): KeptTicket => ({ ...ticket, board_id: boardId }));
    await change(tools, (all) => [...all.filter((one) => isGood(tools, one)), ...fresh]);
    return have + fresh.length;
  });
}

type Tools = Settled & { place: string };

function request(
  leaderboard: Leaderboard,
  { randomKey }: Tools,
  body: object,
  signal: AbortSignal | undefined,
  deadlineMs?: number,
): Promise<Issued> {
  const headers = { 'idempotency-key': randomKey() };
  return leaderboard.call<Issued>(
    { method: 'POST', path: '/v1/client/tickets', headers, body, signal },
    deadlineMs,
  );
}

/** By the device's clock. @param boardId absent: of any board */
function isGood({ clock }: Tools, { board_id, expires_at }: KeptTicket, boardId = board_id): boolean {
  return board_id === boardId && Date.parse(expires_at) > clock.now();
}

/** Tickets that were fetched ahead; none if they can't be read. */
async function kept({ storage, place }: Tools): Promise<KeptTicket[]> {
  try {
    const all: unknown = JSON.parse((await storage.getItem(`${place}:tickets`)) ?? '[]');
    return Array.isArray(all) ? (all as KeptTicket[]) : [];
  } catch {
    return [];
  }
}

/** @throws LeaderboardError STORAGE */
async function change(tools: Tools, changed: (all: KeptTicket[]) => KeptTicket[]): Promise<void> {
  const name = `${tools.place}:tickets`;
  await tools.locks.request(`${name}.lock`, async () => {
    try {
      await tools.storage.setItem(name, JSON.stringify(changed(await kept(tools))));
    } catch (error) {
      throw new LeaderboardError('STORAGE', String(error));
    }
  });
}

/** The stored ticket of a board that ends first, which no other tab or start of the game gets; undefined: there is none. */
async function take(tools: Tools, boardId: string): Promise<KeptTicket | undefined> {
  let taken: KeptTicket | undefined;
  const without = (all: KeptTicket[]) => {
    [taken] = all
      .filter((one) => isGood(tools, one, boardId))
      .sort((a, b) => Date.parse(a.expires_at) - Date.parse(b.expires_at));
    return all.filter((one) => one !== taken);
  };
  // A ticket that stays stored could be used twice.
  await change(tools, without).catch(() => {
    taken = undefined;
  });
  return taken;
}
