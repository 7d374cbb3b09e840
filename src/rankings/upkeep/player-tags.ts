import { isDatabaseAway, unavailable } from '../../base/errors.js';
import { idOf, uuidOf } from '../../base/ids.js';
import { queryUnhurried } from '../../db/statements/unhurried.js';
import { LEASE_MS } from '../../jobs/claim.js';
import { DuePlayers, type UpkeepParts } from './due-players.js';

const DUE = {
  table: 'player_tags_due',
  dueColumn: 'leased_until',
  atOnce: 20,
  everyMillis: 5_000,
  task: "update boards with a player's tags",
};

/** A player with more events on a board is left to the periodic work: the board is locked for 0.3 ms per event. */
const MOST_IN_REQUEST = 20_000;
/** Lease of that work: as long as its statement may take. */
const LONG_LEASE_MILLIS = 600_000;

const TICKET = 'select ticket from player_tags_due where identity_id = ?';
const BOARDS = `
  select r.unit, (select coalesce(sum(s.submission_count), 0)::bigint from unnest(r.unit) u(id)
    join states s on s.board_id = u.id and s.is_test in (false, true) and s.identity_id = ?) as events
  from boards_to_retag(?) r`;
const KEEP = 'update player_tags_due set leased_until = ? where identity_id = ? and ticket = ?';
/** Ends the lease, unless another process has taken it for longer. */
const RELEASE = `${KEEP} and leased_until <= ?`;
// Uses the pool of fixed plans, like all derivations of one player.
const RETAG = { name: 'apply_player_tags', text: 'select apply_player_tags($1::uuid[], $2, $3) as changed' };
const FINISH = 'select finish_retagging(?, ?)';

/** Boards that change together, bare uuids. */
interface Unit {
  unit: string[];
  /** Events of the player on these boards. */
  events: number;
}

/**
 * Makes boards rank players' events by their current tags, in one transaction per board, or for both boards of a
 * ratio, which may be repeated or run by several processes at the same time. Pending changes are stored with the
 * tags, so that another process can continue (migrations/functions/9_player_tags.sql).
 */
export class PlayerTagWorker extends DuePlayers {
  constructor(...parts: UpkeepParts) {
    super(DUE, ...parts);
  }

  /**
   * Brings all boards of a player in line with its tags, if a change is pending.
   * @param unhurried true: includes boards with any number of the player's events
   * @throws DomainError UNAVAILABLE if that could not be finished now; it stays pending
   */
  override async follow(identityId: string, unhurried = false): Promise<void> {
    const identity = uuidOf(identityId);
    try {
      for (;;) {
        const { rows } = await this.db.knex.raw<{ rows: { ticket: string }[] }>(TICKET, [identity]);
        if (!rows[0]) return;
        await this.#pass(identity, rows[0].ticket, unhurried);
      }
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
      throw unavailable('The tags are saved, but the boards are not updated yet. Check again in a moment.');
    }
  }

  async #pass(identity: string, ticket: string, unhurried: boolean): Promise<void> {
    const { rows: units } = await this.db.knex.raw<{ rows: Unit[] }>(BOARDS, [identity, identity]);
    const after = (millis: number) => new Date(this.clock() + millis);
    let left = 0;
    for (const { unit, events } of units) {
      if (this.task.closed)
        throw unavailable(
          'The change is saved. The service is restarting and updates the boards afterwards.',
        );
      const isLong = events > MOST_IN_REQUEST;
      if (isLong && !unhurried) {
        left += 1;
        continue;
      }
      if (isLong) {
        await this.db.knex.raw(KEEP, [after(LONG_LEASE_MILLIS), identity, ticket]);
        const boards = unit.map((id) => idOf('board', id));
        this.log.info(
          { identityId: idOf('identity', identity), boards, events },
          'updating boards with the tags of a player with very many events; submissions to these boards wait',
        );
      }
      const values = [unit, identity, after(0)];
      const rows = unhurried
        ? await queryUnhurried<{ changed: string[] }>(this.db.pool, RETAG, values)
        : (await this.db.pool.query<{ changed: string[] }>({ ...RETAG, values })).rows;
      for (const board of rows[0]!.changed) this.moved(idOf('board', board));
    }
    if (left === 0) {
      await this.db.knex.raw(FINISH, [identity, ticket]);
      return;
    }
    await this.db.knex.raw(RELEASE, [after(0), identity, ticket, after(LEASE_MS)]);
    this.task.wake();
    throw unavailable(
      'The tags are saved. Boards on which the player has very many scores are updated later.',
    );
  }
}
