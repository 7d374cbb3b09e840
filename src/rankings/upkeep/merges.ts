import { type Clock, PeriodicTask } from '../../base/clock.js';
import { isDatabaseAway } from '../../base/errors.js';
import { idOf, uuidOf } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import { servedHere } from '../../db/moved.js';
import type { Database } from '../../db/pool.js';
import { queryUnhurried } from '../../db/statements/unhurried.js';
import { LEASE_MS } from '../../jobs/claim.js';
import { PatientWork } from '../../jobs/patience.js';

const INTERVAL_MS = 5_000;

const claim = (served: string) => `
  update player_merges set leased_until = :until where id = (
    select m.id from player_merges m where m.status in ('applying', 'undoing') and m.leased_until <= :now ${served}
    order by m.leased_until, m.id limit 1 for update skip locked)
  returning id`;
const KEEP = 'update player_merges set leased_until = ? where id = ?';
const STATE = `
  select m.status, m.source_id, surviving_player(m.target_id) as holder_id from player_merges m
  where m.id = ? and m.status in ('applying', 'undoing')`;
const BOARDS = 'select unit from boards_to_merge(?)';
// Uses the pool of fixed plans, like all derivations of one player.
const MERGE = { name: 'apply_merge', text: 'select apply_merge($1::uuid[], $2, $3) as changed' };
const RETURN = 'select return_player(?, ?)';
const FINISH = 'select finish_merge(?, ?)';

interface State {
  status: 'applying' | 'undoing';
  source_id: string;
  holder_id: string;
}

/**
 * Takes merges of players and their undos to boards: one short transaction for each board, or for those that a ratio
 * divides, which may be repeated or run by several processes at once. The progress is in the database, so another
 * process continues what one leaves behind (migrations/functions/9_merges.sql).
 */
export class MergeWorker {
  readonly #requested: PatientWork;
  readonly #task: PeriodicTask;
  readonly #claim: string;

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly log: Log,
    /** Called with the id of every board that changed, after its commit, and of both players. */
    private readonly changed: (id: string) => void,
  ) {
    this.#claim = claim(servedHere(db.knex, 'account', 'm.account_id'));
    this.#requested = new PatientWork((error, mergeId) => this.#failed(error, mergeId));
    this.#task = new PeriodicTask(() => this.followDue(), {
      everyMillis: INTERVAL_MS,
      log,
      failure: 'failed to merge players',
    });
  }

  /** Resumes unfinished merges immediately, then periodically. */
  start(): void {
    this.#task.start();
  }

  /** Merges, or begins to: resolves after a limited time even if boards are left. The periodic work does the rest. */
  followSoon(mergeId: string): Promise<void> {
    return this.#requested.begin(mergeId, (id) => this.follow(id));
  }

  /** Works on merges that no process holds. @returns how many are done */
  async followDue(): Promise<number> {
    for (let done = 0; ; done += 1) {
      const now = this.clock();
      const times = { now: new Date(now), until: new Date(now + LEASE_MS) };
      const { rows } = await this.db.knex.raw<{ rows: { id: string }[] }>(this.#claim, times);
      if (this.#task.closed || !rows[0]) return done;
      const mergeId = idOf('playerMerge', rows[0].id);
      // An error in one merge must not block the others; its lease runs out and it is tried again.
      await this.follow(mergeId).catch((error) => this.#failed(error, mergeId));
    }
  }

  /** Takes a merge or its undo to all boards, unless that is done. Rejects when it could not be finished; it stays due. */
  async follow(mergeId: string): Promise<void> {
    const merge = uuidOf(mergeId);
    const { rows } = await this.db.knex.raw<{ rows: State[] }>(STATE, [merge]);
    const state = rows[0];
    if (!state) return;
    if (state.status === 'applying') {
      if (!(await this.#boards(merge, state.source_id))) return;
    } else {
      if (!(await this.#boards(merge, state.holder_id))) return;
      await this.db.knex.raw(RETURN, [merge, this.#now()]);
      this.#players(state);
      // What its devices have submitted for the other player until then.
      if (!(await this.#boards(merge, state.holder_id))) return;
    }
    await this.db.knex.raw(FINISH, [merge, this.#now()]);
    this.#players(state);
  }

  /** @returns false if the process ends before all boards have followed */
  async #boards(merge: string, giver: string): Promise<boolean> {
    const { rows: units } = await this.db.knex.raw<{ rows: { unit: string[] }[] }>(BOARDS, [giver]);
    for (const { unit } of units) {
      if (this.#task.closed) return false;
      await this.db.knex.raw(KEEP, [new Date(this.clock() + LEASE_MS), merge]);
      const [row] = await queryUnhurried<{ changed: string[] }>(this.db.pool, MERGE, [
        ...[unit, merge, this.#now()],
      ]);
      for (const board of row!.changed) this.changed(idOf('board', board));
    }
    return true;
  }

  #players({ source_id, holder_id }: State): void {
    for (const id of [source_id, holder_id]) this.changed(idOf('identity', id));
  }

  #failed(error: unknown, mergeId: string): void {
    const level = isDatabaseAway(error) ? 'warn' : 'error';
    this.log[level]({ err: error, mergeId }, 'failed to merge players; retrying');
  }

  async close(): Promise<void> {
    await Promise.all([this.#task.close(), this.#requested.settled()]);
  }

  #now(): Date {
    return new Date(this.clock());
  }
}
