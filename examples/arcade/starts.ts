import type { Leaderboard } from 'leaderboard-client';
import { type GameRun, startRun } from 'leaderboard-client/runs';

const SEED = 'arcade:seed';
/** The build whose simulation this is: recordings of another one may not give their score again. */
const GAME_VERSION = '1';
const DEADLINE_MS = 4_000;

/** The next run's ticket, which brings the course: fetched before the player starts, so that nobody waits for it. */
export class Starts {
  #next: GameRun | undefined;
  /** Counts requests: an older answer is not the next run. */
  #serial = 0;

  constructor(
    private readonly leaderboard: Leaderboard,
    private readonly boardId: string,
  ) {}

  /** Fetches one, unless a good one waits. */
  async prepare(): Promise<void> {
    if (this.#next?.counts) return;
    this.#serial += 1;
    const serial = this.#serial;
    const run = await startRun(this.leaderboard, this.boardId, {
      gameVersion: GAME_VERSION,
      deadlineMs: DEADLINE_MS,
    });
    if (serial !== this.#serial) return;
    this.#next = run;
    if (run.seed !== null) localStorage.setItem(SEED, String(run.seed));
  }

  /** The run that begins now; undefined: no ticket has come, and it counts without one. */
  take(): GameRun | undefined {
    const run = this.#next;
    this.#next = undefined;
    this.#serial += 1;
    run?.begin();
    return run;
  }

  /** The course of the board: the last one that a ticket named. */
  get seed(): number | undefined {
    const seed = localStorage.getItem(SEED);
    return seed === null ? undefined : Number(seed);
  }
}
