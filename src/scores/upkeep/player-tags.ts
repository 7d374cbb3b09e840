import { type Clock, PeriodicTask } from '../../base/clock.js';
import { isDatabaseAway, unavailable } from '../../base/errors.js';
import { idOf, uuidOf } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import { servedHere } from '../../db/moved.js';
import type { Database } from '../../db/pool.js';
import { LEASE_MILLIS } from '../../players/pending-removals.js';

const RETAG_INTERVAL_MS = 5_000;
/** Players that one process takes at a time. */
const CLAIMED_AT_ONCE = 20;

const claim = (served: string) => `
  update player_tags_due set leased_until = ?
  where identity_id in (
    select identity_id from player_tags_due where leased_until <= ? ${served}
    order by leased_until limit ${CLAIMED_AT_ONCE} for update skip locked)
  returning identity_id`;

const TICKET = 'select ticket from player_tags_due where identity_id = ?';
const BOARDS = 'select unit from boards_to_retag(?)';
// On the pool of fixed plans, as all derivations of one player.
const RETAG = { name: 'retag_player', text: 'select retag_player($1::uuid[], $2, $3) as changed' };
const FINISH = 'select finish_retagging(?, ?)';

/**
 * Makes boards rank the events of players by the players' present tags: one transaction for each board, or for the boards that a
 * ratio board divides, which may be repeated or run by several processes at once. Pending changes are stored with the tags, so that
 * another process continues the work that a process leaves behind (migrations/functions/9_player_tags.sql).
 */
export class PlayerTagWorker {
  readonly #task: PeriodicTask;
  readonly #claim: string;

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly log: Log,
    /** Called with the board's id after the commit of every board that changed. */
    private readonly moved: (boardId: string) => void,
  ) {
    this.#claim = claim(servedHere(db.knex, 'identity', 'identity_id'));
    this.#task = new PeriodicTask(() => this.followDue(), {
      everyMillis: RETAG_INTERVAL_MS,
      log,
      failure: 'boards could not follow the tags of players',
    });
  }

  /** Resumes unfinished changes at once, then periodically. */
  start(): void {
    this.#task.start();
  }

  /** Finishes changes that no process holds: the whole of the periodic work. @returns the number of players */
  async followDue(): Promise<number> {
    const now = this.clock();
    const { rows } = await this.db.knex.raw<{ rows: { identity_id: string }[] }>(this.#claim, [
      new Date(now + LEASE_MILLIS),
      new Date(now),
    ]);
    for (const row of rows) {
      const identityId = idOf('identity', row.identity_id);
      try {
        await this.follow(identityId);
      } catch (error) {
        // An error for one player must not block the others; its lease runs out and it is tried again.
        this.log.warn(
          { err: error, identityId },
          'boards could not follow the tags of a player; they are tried again',
        );
      }
    }
    return rows.length;
  }

  /**
   * Brings all boards of a player in line with its tags, if a change is pending.
   * @throws DomainError UNAVAILABLE when that could not be finished now; it stays pending
   */
  async follow(identityId: string): Promise<void> {
    const identity = uuidOf(identityId);
    try {
      for (;;) {
        const { rows } = await this.db.knex.raw<{ rows: { ticket: string }[] }>(TICKET, [identity]);
        if (!rows[0]) return;
        await this.#pass(identity, rows[0].ticket);
      }
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
      throw unavailable('The tags are stored, but boards have yet to follow; they will. Ask again shortly');
    }
  }

  async #pass(identity: string, ticket: string): Promise<void> {
    const { rows: units } = await this.db.knex.raw<{ rows: { unit: string[] }[] }>(BOARDS, [identity]);
    for (const { unit } of units) {
      if (this.#task.closed) throw unavailable('The service is shutting down; boards follow when it is back');
      const { rows } = await this.db.pool.query<{ changed: string[] }>({
        ...RETAG,
        values: [unit, identity, new Date(this.clock())],
      });
      for (const board of rows[0]!.changed) this.moved(idOf('board', board));
    }
    await this.db.knex.raw(FINISH, [identity, ticket]);
  }

  close(): Promise<void> {
    return this.#task.close();
  }
}
