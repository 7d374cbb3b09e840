import { type Clock, PeriodicTask } from '../../base/clock.js';
import { idOf, uuidOf } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import { servedHere } from '../../db/moved.js';
import type { Database } from '../../db/pool.js';
import { LEASE_MS } from '../../players/pending-removals.js';

/**
 * With eight seconds between two passes for one player, a name is on all boards within ten
 * (migrations/functions/9_names.sql).
 */
const RENAME_INTERVAL_MS = 1_500;
/** How many players one process takes at a time. */
const CLAIMED_AT_ONCE = 50;
/** Runs of one step: submissions to the board wait for it. */
const RUNS_AT_ONCE = 2_000;
/** Entries of an older board that are compared in one step. */
const ENTRIES_AT_ONCE = 5_000;

const claim = (served: string) => `
  update renames_due d set passed_at = :now, due_at = :until
  from (select w.identity_id from renames_due w where w.due_at <= :now ${served}
    order by w.due_at limit ${CLAIMED_AT_ONCE} for update skip locked) c
  where d.identity_id = c.identity_id
  returning d.identity_id`;

const DUE = 'select ticket, steps from renames_due where identity_id = ?';
const BOARDS = 'select board_id, board_type, seq from boards_to_rename(?, ?)';
// Uses the pool of fixed plans, like all work on one player.
const SHOW = { name: 'show_name', text: 'select show_name($1, $2) as changed' };
const RENAME = {
  name: 'apply_rename',
  text: 'select reached, changed from apply_rename($1, $2, $3, $4, $5, $6, $7)',
};
const FINISH = 'select finish_renaming(?, ?, ?)';
const OLD_BOARD = (served: string) => `select board_id from names_due where true ${served} limit 1`;
const NOTE = 'select note_misnamed(?, ?, ?)';

interface Due {
  ticket: number;
  /** Renames by administrators that are still to be applied to runs; `was` null: all runs. */
  steps: { was: string | null; name: string }[];
}

interface Board {
  board_id: string;
  board_type: string;
  /** Applies to runs up to this number. */
  seq: number;
}

/**
 * Updates boards to players' current names, in one transaction per board, which may be repeated or run by several
 * processes at the same time. Renames are stored with the name, so that another process can continue.
 */
export class NameWorker {
  readonly #task: PeriodicTask;
  readonly #claim: string;
  readonly #oldBoard: string;

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly log: Log,
    /** Called with the board's id after the commit of every board that changed. */
    private readonly moved: (boardId: string) => void,
  ) {
    this.#claim = claim(servedHere(db.knex, 'identity', 'w.identity_id'));
    this.#oldBoard = OLD_BOARD(servedHere(db.knex, 'board', 'board_id'));
    this.#task = new PeriodicTask(() => this.followDue(), {
      everyMillis: RENAME_INTERVAL_MS,
      log,
      failure: 'boards could not follow the names of players',
    });
  }

  start(): void {
    this.#task.start();
  }

  /**
   * One pass over the boards of each player that is due, and one step over an older board. @returns the number of
   * players
   */
  async followDue(): Promise<number> {
    const now = this.clock();
    const { rows } = await this.db.knex.raw<{ rows: { identity_id: string }[] }>(this.#claim, {
      now: new Date(now),
      until: new Date(now + LEASE_MS),
    });
    for (const { identity_id } of rows) {
      const identityId = idOf('identity', identity_id);
      try {
        await this.follow(identityId);
      } catch (error) {
        // An error for one player must not block the others; its lease runs out and it is retried.
        this.log.warn(
          { err: error, identityId },
          "failed to update boards with a player's new name; retrying",
        );
      }
    }
    await this.#noteMisnamed();
    return rows.length;
  }

  /** Updates all boards of a player to the current name, if a rename is due. */
  async follow(identityId: string): Promise<void> {
    const identity = uuidOf(identityId);
    const { rows: found } = await this.db.knex.raw<{ rows: Due[] }>(DUE, [identity]);
    if (!found[0]) return;
    const { ticket, steps } = found[0];
    const { rows } = await this.db.knex.raw<{ rows: Board[] }>(BOARDS, [identity, steps.length > 0]);
    for (const board of rows) {
      if (this.#task.closed) return;
      let changed = false;
      if (board.board_type !== 'ratio')
        for (const step of steps) changed = (await this.#renameRuns(board, identity, step)) || changed;
      const { rows: shown } = await this.db.pool.query<{ changed: boolean }>({
        ...SHOW,
        values: [board.board_id, identity],
      });
      if (changed || shown[0]!.changed) this.moved(idOf('board', board.board_id));
    }
    await this.db.knex.raw(FINISH, [identity, ticket, new Date(this.clock())]);
  }

  async #renameRuns(
    { board_id, seq }: Board,
    identity: string,
    { was, name }: Due['steps'][number],
  ): Promise<boolean> {
    let changed = false;
    for (let reached: number | null = 0; reached !== null; ) {
      const values: unknown[] = [board_id, identity, was, name, reached, seq, RUNS_AT_ONCE];
      const { rows }: { rows: { reached: number | null; changed: boolean }[] } = await this.db.pool.query({
        ...RENAME,
        values,
      });
      changed ||= rows[0]!.changed;
      reached = rows[0]!.reached;
    }
    return changed;
  }

  /** Boards from before this release: notes players they show by a name other than the current one. */
  async #noteMisnamed(): Promise<void> {
    const { rows } = await this.db.knex.raw<{ rows: { board_id: string }[] }>(this.#oldBoard);
    if (!rows[0]) return;
    await this.db.knex.raw(NOTE, [rows[0].board_id, new Date(this.clock()), ENTRIES_AT_ONCE]);
    this.#task.wake();
  }

  close(): Promise<void> {
    return this.#task.close();
  }
}
