import { idOf, uuidOf } from '../../base/ids.js';
import { servedHere } from '../../db/moved.js';
import { DuePlayers, type UpkeepParts } from './due-players.js';

const DUE = {
  table: 'renames_due',
  dueColumn: 'due_at',
  alsoSet: 'passed_at = :now',
  atOnce: 50,
  // With eight seconds between two passes for one player, a name is on all boards within ten (migrations/functions/9_names.sql).
  everyMillis: 1_500,
  task: "update boards with a player's new name",
};

/** Runs of one step: submissions to the board wait for it. */
const RUNS_AT_ONCE = 2_000;
/** Entries of an older board that are compared in one step. */
const ENTRIES_AT_ONCE = 5_000;

const RENAMES = 'select ticket, steps from renames_due where identity_id = ?';
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

interface Renames {
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
export class NameWorker extends DuePlayers {
  readonly #oldBoard: string;

  constructor(...parts: UpkeepParts) {
    super(DUE, ...parts);
    this.#oldBoard = OLD_BOARD(servedHere(this.db.knex, 'board', 'board_id'));
  }

  /** Also takes a step over an older board. */
  override async followDue(): Promise<number> {
    const done = await super.followDue();
    await this.#noteMisnamed();
    return done;
  }

  /** Updates all boards of a player to the current name, if a rename is due. */
  override async follow(identityId: string): Promise<void> {
    const identity = uuidOf(identityId);
    const { rows: renames } = await this.db.knex.raw<{ rows: Renames[] }>(RENAMES, [identity]);
    if (!renames[0]) return;
    const { ticket, steps } = renames[0];
    const { rows } = await this.db.knex.raw<{ rows: Board[] }>(BOARDS, [identity, steps.length > 0]);
    for (const board of rows) {
      if (this.task.closed) return;
      let changed = false;
      if (board.board_type !== 'ratio')
        for (const step of steps) changed = (await this.#renameRuns(board, identity, step)) || changed;
      const { rows: shown } = await this.db.pool.query<{ changed: boolean }>({
        ...SHOW,
        values: [board.board_id, identity],
      });
      if (changed || shown[0]!.changed) this.moved(idOf('board', board.board_id));
    }
    await this.db.knex.raw(FINISH, [identity, ticket, this.now()]);
  }

  async #renameRuns(
    { board_id, seq }: Board,
    identity: string,
    { was, name }: Renames['steps'][number],
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
    await this.db.knex.raw(NOTE, [rows[0].board_id, this.now(), ENTRIES_AT_ONCE]);
    this.task.wake();
  }
}
