import { type Clock, PeriodicTask } from '../../base/clock.js';
import { idOf, uuidOf } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import { servedHere } from '../../db/moved.js';
import type { Database } from '../../db/pool.js';
import { queryUnhurried } from '../../db/statements/unhurried.js';
import { inTurns } from '../../jobs/in-turns.js';
import { PatientWork } from '../../jobs/patience.js';
import { reportEvent } from '../../outbox/report.js';
import type { Ratios } from '../../rankings/upkeep/ratios.js';
import { FLAGS, flagsOf } from '../flags/feed.js';
import { isOutOfRange, OUT_OF_RANGE_SENTENCE } from '../flags/save.js';
import type { ReviewStatus } from './review.js';

/** Lease of the process that works on a review; after it, any process may continue. */
export const REVIEW_LEASE_MS = 30_000;
const REVIEW_INTERVAL_MS = 5_000;
const due = (served: string) => `
  select id, account_id from identity_reviews where status in ('applying', 'undoing')
    and leased_until <= ? ${served} order by leased_until, id`;
const CLAIM = `
  update identity_reviews set leased_until = ? where id = ? and status in ('applying', 'undoing') and leased_until <= ? returning id`;

const RELEASE = 'update identity_reviews set leased_until = ? where id = ?';

// A batch that holds its board's lock may write a player's first run there, which is not visible yet: its board is visited,
// too.
const REVIEW_STATE = `
  select r.status, r.account_id as account, p.players, array(
    select unnest(review_boards(r.id))
    union select unnest(boards_to_settle(i.id)) from unnest(p.players) i(id) where r.status = 'applying'
    order by 1) as boards
  from identity_reviews r cross join lateral (select review_players(r) as players) p
  where r.id = ? and r.status in ('applying', 'undoing')`;

// On the pool of fixed plans: planning a derivation takes several times as long as running it for one player.
const RECONCILE_REVIEW = { name: 'apply_review', text: 'select apply_review($1, $2, $3) as moved' };

const FAILED = `
  insert into identity_review_boards (review_id, board_id, runs, moved, podium_before, podium_after, undone, failure)
  values (?, ?, 0, 0, '[]', '[]', false, ?)
  on conflict (review_id, board_id) do update set failure = excluded.failure`;

const FINISH_REVIEW = `
  update identity_reviews set status = case status when 'applying' then 'applied' else 'undone' end, updated_at = ?
  where id = ? and status = ?
  returning id as review_id, account_id as account, game_id as game, identity_id as player, device_id as device, decision,
    status = 'undone' as undone, array(select b.board_id from identity_review_boards b
      where b.review_id = identity_reviews.id order by 1) as boards`;

interface Due {
  id: string;
  account_id: string;
}

interface FinishedReview {
  review_id: string;
  account: string;
  game: string;
  player: string | null;
  device: string | null;
  decision: string;
  undone: boolean;
  boards: string[];
}

interface ReviewProgress {
  status: ReviewStatus;
  account: string;
  boards: string[];
  players: string[];
}

/** The steps of a review. */
type Boards = AsyncGenerator<undefined, void>;

/**
 * Applies reviews of all runs of a player or a device to the boards: one transaction for each board, which may be repeated
 * or run by several processes at once. The progress of a review is stored in the database, so that another process continues
 * the work that a process leaves behind (migrations/019_review.sql).
 */
export class BulkReviews {
  readonly #requested: PatientWork;
  readonly #task: PeriodicTask;
  readonly #due: string;

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly ratios: Ratios,
    /** Called with the board's id after the commit of every board that changed, and when a player's tier may have changed. */
    private readonly changed: (topic: string) => void,
  ) {
    this.#due = due(servedHere(db.knex, 'account', 'account_id'));
    this.#requested = new PatientWork((error, reviewId) =>
      log.error({ err: error, reviewId }, 'failed to apply a review to boards; retrying'),
    );
    this.#task = new PeriodicTask(() => this.reconcileDue(), {
      everyMillis: REVIEW_INTERVAL_MS,
      log,
      failure: 'failed to apply reviews to boards',
    });
  }

  /** Resumes unfinished reviews immediately, then periodically. */
  start(): void {
    this.#task.start();
  }

  /** Finishes reviews that no process holds, a board each in turns: the whole of the periodic work. @returns the number of reviews */
  async reconcileDue(): Promise<number> {
    let reconciled = 0;
    const begun = new Map<string, Boards>();
    await inTurns(
      async () => (await this.db.knex.raw<{ rows: Due[] }>(this.#due, [this.#now()])).rows,
      ({ id }) => id,
      async ({ id }) => {
        const boards = begun.get(id) ?? this.#boards(id);
        begun.set(id, boards);
        const step = await this.#advance(id, boards);
        if (step === 'finished') reconciled += 1;
        return step === 'more';
      },
      () => this.#task.closed,
      ({ account_id }) => account_id,
    );
    return reconciled;
  }

  /** Takes a step of a review that no process holds, and gives it back. */
  async #advance(id: string, boards: Boards): Promise<'more' | 'finished' | 'left'> {
    const leased = new Date(this.clock() + REVIEW_LEASE_MS);
    const { rows } = await this.db.knex.raw<{ rows: unknown[] }>(CLAIM, [leased, id, this.#now()]);
    if (rows.length === 0) return 'left';
    try {
      if ((await boards.next()).done) return 'finished';
      await this.db.knex.raw(RELEASE, [this.#now(), id]);
      return 'more';
    } catch (error) {
      // An error in one review must not block the others; its lease runs out and it is tried again.
      const reviewId = idOf('identityReview', id);
      this.log.warn({ err: error, reviewId }, 'failed to apply a review to boards; retrying');
      return 'left';
    }
  }

  /**
   * Applies a request's review, or begins to: resolves after a limited time even if boards are left. The periodic work does
   * the rest.
   */
  reconcileSoon(reviewId: string): Promise<void> {
    return this.#requested.begin(reviewId, (id) => this.reconcile(id));
  }

  /** Applies a review to all boards, unless that is done. Rejects when it could not be finished; the review stays due. */
  async reconcile(reviewId: string): Promise<void> {
    const boards = this.#boards(uuidOf(reviewId));
    while (!(await boards.next()).done);
  }

  /** Applies a review to one board after the other, then ends it. */
  async *#boards(review: string): Boards {
    for (;;) {
      const { rows } = await this.db.knex.raw<{ rows: ReviewProgress[] }>(REVIEW_STATE, [review]);
      const state = rows[0];
      if (!state) return;
      const players = state.players.map((id) => idOf('identity', id));
      for (const board of state.boards) {
        if (this.#task.closed) return;
        await this.#board(board, review, players);
        yield;
      }
      for (const player of players) this.changed(player);
      if (state.status === 'applying') {
        // The review may have raised flags.
        for (const topic of [FLAGS, flagsOf(idOf('account', state.account))]) this.changed(topic);
      }
      await this.#finish(review, state.status);
    }
  }

  /** Another process may have been first: then it reported the review. */
  async #finish(review: string, status: ReviewStatus): Promise<void> {
    const now = this.#now();
    await this.db.knex.transaction(async (trx) => {
      const { rows } = await trx.raw<{ rows: FinishedReview[] }>(FINISH_REVIEW, [now, review, status]);
      for (const { account, game, player, device, ...review } of rows) {
        const about = { accountId: idOf('account', account), gameId: idOf('game', game) };
        const whom = {
          player_id: player && idOf('identity', player),
          device_id: device && idOf('device', device),
        };
        const boards = review.boards.map((id) => idOf('board', id));
        const subject = { ...review, review_id: idOf('identityReview', review.review_id), ...whom, boards };
        await reportEvent(trx, { ...about, type: 'runs.reviewed', subject, at: now });
      }
    });
  }

  async #board(board: string, review: string, players: string[]): Promise<void> {
    const boardId = idOf('board', board);
    try {
      if (!(await this.#follow(board, review))) return;
    } catch (error) {
      if (!isOutOfRange(error)) throw error;
      await this.db.knex.raw(FAILED, [review, board, OUT_OF_RANGE_SENTENCE]);
      return;
    }
    this.changed(boardId);
    await this.ratios.followPlayers(boardId, players);
  }

  /** @returns true if there was work to do */
  async #follow(board: string, review: string): Promise<boolean> {
    const values = [board, review, this.#now()];
    const [row] = await queryUnhurried<{ moved: boolean }>(this.db.pool, RECONCILE_REVIEW, values);
    return row!.moved;
  }

  async close(): Promise<void> {
    await Promise.all([this.#task.close(), this.#requested.settled()]);
  }

  #now(): Date {
    return new Date(this.clock());
  }
}
