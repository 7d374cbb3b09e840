import { type Clock, PeriodicTask } from '../../base/clock.js';
import { isDatabaseAway, unavailable } from '../../base/errors.js';
import { idOf, uuidOf } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import { servedHere } from '../../db/moved.js';
import type { Database } from '../../db/pool.js';
import { LEASE_MS, type Reconciled } from '../../players/pending-removals.js';
import { RECONCILE_RATIO } from './ratios.js';

const REMOVAL_INTERVAL_MS = 5_000;
/** How many players one process takes at a time. */
const CLAIMED_AT_ONCE = 20;

/** As many players of each account as of any other. */
const claim = (served: string) => `
  update identities_due set leased_until = :until
  where leased_until <= :now and identity_id in (
    select x.identity_id from (
      select d.identity_id, d.leased_until, row_number() over (partition by i.account_id order by d.leased_until, i.id) as nth
      from identities_due d join identities i on i.id = d.identity_id where d.leased_until <= :now ${served}) x
    order by x.nth, x.leased_until limit ${CLAIMED_AT_ONCE})
  returning identity_id`;

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
export class RemovalWorker {
  readonly #task: PeriodicTask;
  readonly #claim: string;

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly log: Log,
    /** Called with the board's id after the commit of every board that changed. */
    private readonly moved: (boardId: string) => void,
  ) {
    this.#claim = claim(servedHere(db.knex, 'identity', 'd.identity_id'));
    this.#task = new PeriodicTask(() => this.reconcileDue(), {
      everyMillis: REMOVAL_INTERVAL_MS,
      log,
      failure: 'boards of deleted or restored players could not be updated',
    });
  }

  /** Resumes unfinished removals immediately, then periodically. */
  start(): void {
    this.#task.start();
  }

  /** Finishes removals that no process holds: the whole of the periodic work. @returns the number of players */
  async reconcileDue(): Promise<number> {
    let reconciled = 0;
    for (;;) {
      const now = this.clock();
      const { rows } = await this.db.knex.raw<{ rows: { identity_id: string }[] }>(this.#claim, {
        until: new Date(now + LEASE_MS),
        now: new Date(now),
      });
      for (const row of rows) {
        try {
          await this.reconcile(idOf('identity', row.identity_id));
          reconciled += 1;
        } catch (error) {
          // An error for one player must not block the others; its lease runs out and it is retried.
          this.log.warn(
            { err: error, identityId: row.identity_id },
            'failed to update the boards of a deleted or restored player; retrying',
          );
        }
      }
      if (this.#task.closed || rows.length < CLAIMED_AT_ONCE) return reconciled;
    }
  }

  /**
   * Brings all boards of a player in line with the last request, if anything is pending.
   * @throws DomainError UNAVAILABLE if that could not be finished now; it stays pending
   */
  async reconcile(identityId: string): Promise<Reconciled> {
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
    const finish = await knex.raw<{ rows: { outcome: Finished }[] }>(FINISH, [identity, ticket, this.#now()]);
    return finish.rows[0]!.outcome;
  }

  async #board(statement: { name: string; text: string }, board: string, identity: string): Promise<void> {
    if (this.#task.closed)
      throw unavailable('The change is saved. The service is restarting and updates the boards afterwards.');
    const { rows } = await this.db.pool.query<{ moved: boolean }>({
      ...statement,
      values: [board, identity, this.#now()],
    });
    if (rows[0]!.moved) this.moved(idOf('board', board));
  }

  close(): Promise<void> {
    return this.#task.close();
  }

  #now(): Date {
    return new Date(this.clock());
  }
}
