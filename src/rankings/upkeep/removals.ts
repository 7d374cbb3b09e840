import { isDatabaseAway, unavailable } from '../../base/errors.js';
import { idOf, uuidOf } from '../../base/ids.js';
import type { Reconciled } from '../../players/pending-removals.js';
import { DuePlayers, type UpkeepParts } from './due-players.js';
import { RECONCILE_RATIO } from './ratios.js';

const DUE = {
  table: 'identities_due',
  dueColumn: 'leased_until',
  atOnce: 20,
  everyMillis: 5_000,
  task: 'update the boards of a deleted or restored player',
};

const TICKET = 'select ticket from identities_due where identity_id = ?';
const BOARDS = 'select boards_to_settle(?) as boards';
// Uses the pool of fixed plans, because planning a derivation takes several times as long as running it for one
// player.
const RECONCILE_IDENTITY = { name: 'settle_player', text: 'select settle_player($1, $2, $3) as moved' };
// Ratio boards follow automatically, but a response means that the player is off all boards, so this player is
// updated immediately.
const RATIOS = 'select ratios_to_settle(?) as boards';
const FINISH = 'select finish_settling(?, ?, ?) as outcome';

type Finished = 'done' | 'superseded' | 'conflict';

/**
 * Takes deleted players off their boards and puts restored ones back: one short transaction per board, which may be
 * repeated or run by several processes at the same time. Pending removals are stored in the database, so that
 * another process can continue (migrations/007_removals.sql).
 */
export class RemovalWorker extends DuePlayers {
  constructor(...parts: UpkeepParts) {
    super(DUE, ...parts);
  }

  /**
   * Brings all boards of a player in line with the last request, if anything is pending.
   * @throws DomainError UNAVAILABLE if that could not be finished now; it stays pending
   */
  override async follow(identityId: string): Promise<Reconciled> {
    const identity = uuidOf(identityId);
    let reconciled: Reconciled = 'reconciled';
    try {
      for (;;) {
        const { rows } = await this.db.knex.raw<{ rows: { ticket: string }[] }>(TICKET, [identity]);
        const ticket = rows[0]?.ticket;
        if (ticket === undefined) return reconciled;
        if ((await this.#pass(identity, ticket)) === 'conflict') reconciled = 'conflict';
      }
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
      throw unavailable('The change is saved, but the boards are not updated yet. Check again in a moment.');
    }
  }

  async #pass(identity: string, ticket: string): Promise<Finished> {
    const { knex } = this.db;
    const { rows } = await knex.raw<{ rows: { boards: string[] }[] }>(BOARDS, [identity]);
    for (const board of rows[0]!.boards) await this.#board(RECONCILE_IDENTITY, board, identity);
    const derived = await knex.raw<{ rows: { boards: string[] }[] }>(RATIOS, [identity]);
    for (const board of derived.rows[0]!.boards) await this.#board(RECONCILE_RATIO, board, identity);
    const finish = await knex.raw<{ rows: { outcome: Finished }[] }>(FINISH, [identity, ticket, this.now()]);
    return finish.rows[0]!.outcome;
  }

  async #board(statement: { name: string; text: string }, board: string, identity: string): Promise<void> {
    if (this.task.closed)
      throw unavailable('The change is saved. The service is restarting and updates the boards afterwards.');
    const { rows } = await this.db.pool.query<{ moved: boolean }>({
      ...statement,
      values: [board, identity, this.now()],
    });
    if (rows[0]!.moved) this.moved(idOf('board', board));
  }
}
