import type { Clock } from '../clock.js';
import type { Database } from '../db/pool.js';
import { isDatabaseAway } from '../errors.js';
import { idOf, uuidOf } from '../ids.js';
import type { Log } from '../log.js';
import type { Ratios } from '../scores/ratios.js';
import { FLAGS, flagsOf } from './flag-watch.js';
import type { ReviewStatus } from './identity-review.js';
import { isOutOfRange, OUT_OF_RANGE_SENTENCE } from './settle.js';

/** How long whoever took a review on is left alone with it; after it, any process may go on. */
export const LEASE_MILLIS = 30_000;
const EVERY_MILLIS = 5_000;
/** How long a request waits for its review; what is left is done after its answer. */
const PATIENCE_MILLIS = 8_000;

const CLAIM = `
  update identity_reviews set leased_until = ?
  where id = (select id from identity_reviews where status in ('applying', 'undoing') and leased_until <= ?
    order by leased_until limit 1 for update skip locked)
  returning id`;

const STATE = `
  select status, account_id as account, review_boards(id) as boards, review_players(r) as players from identity_reviews r
  where id = ? and status in ('applying', 'undoing')`;

// On the pool of fixed plans: planning a derivation takes several times as long as running it for one player.
const SETTLE = { name: 'settle_review', text: 'select settle_review($1, $2, $3) as moved' };

const FAILED = `
  insert into identity_review_boards (review_id, board_id, runs, moved, podium_before, podium_after, undone, failure)
  values (?, ?, 0, 0, '[]', '[]', false, ?)
  on conflict (review_id, board_id) do update set failure = excluded.failure`;

const FINISH = `
  update identity_reviews set status = case status when 'applying' then 'applied' else 'undone' end, updated_at = ?
  where id = ? and status = ?`;

interface State {
  status: ReviewStatus;
  account: string;
  boards: string[];
  players: string[];
}

/**
 * Has boards follow reviews of all runs of a player or a device: one transaction a board, each of which may be done twice or
 * by several processes at once. How far a review is stands in the database, so that work which a process leaves behind is
 * found by another (migrations/019_review.sql).
 */
export class BulkReviews {
  readonly #settling = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly ratios: Ratios,
    /** Called after the commit of every board that changed, with its id, and when a player's tier may have. */
    private readonly changed: (topic: string) => void,
  ) {}

  /** Looks at once for what was left, then again and again. */
  start(): void {
    if (this.#closed) return;
    this.#working = this.settleDue()
      .then(() => undefined)
      .catch((error) => this.log.warn({ err: error }, 'boards have yet to follow reviews'))
      .finally(() => {
        if (this.#closed) return;
        this.#timer = setTimeout(() => this.start(), EVERY_MILLIS);
        this.#timer.unref();
      });
  }

  /** Finishes what nobody is working at: the whole of the periodic work. @returns the number of reviews */
  async settleDue(): Promise<number> {
    for (let settled = 0; ; settled += 1) {
      const now = this.clock();
      const { rows } = await this.db.knex.raw<{ rows: { id: string }[] }>(CLAIM, [
        new Date(now + LEASE_MILLIS),
        new Date(now),
      ]);
      if (rows.length === 0 || this.#closed) return settled;
      await this.settle(idOf('identityReview', rows[0]!.id));
    }
  }

  /** Has a request's review followed, or begun: resolves after a while even when boards are left. Then they follow by and by. */
  async settleSoon(reviewId: string): Promise<void> {
    const settling: Promise<void> = this.settle(reviewId)
      .catch((error) => {
        if (!isDatabaseAway(error))
          this.log.error({ err: error, reviewId }, 'a review is still to be followed');
      })
      .finally(() => this.#settling.delete(settling));
    this.#settling.add(settling);
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, PATIENCE_MILLIS);
    });
    await Promise.race([settling, patience]);
    clearTimeout(timer);
  }

  /** Makes all boards agree with a review, if it is not done yet. Rejects when that could not be finished; it stays due. */
  async settle(reviewId: string): Promise<void> {
    const review = uuidOf(reviewId);
    for (;;) {
      const { rows } = await this.db.knex.raw<{ rows: State[] }>(STATE, [review]);
      const state = rows[0];
      if (!state) return;
      const players = state.players.map((id) => idOf('identity', id));
      for (const board of state.boards) {
        if (this.#closed) return;
        await this.#board(board, review, players);
      }
      for (const player of players) this.changed(player);
      if (state.status === 'applying') {
        // It may have raised flags.
        for (const topic of [FLAGS, flagsOf(idOf('account', state.account))]) this.changed(topic);
      }
      await this.db.knex.raw(FINISH, [this.#now(), review, state.status]);
    }
  }

  async #board(board: string, review: string, players: string[]): Promise<void> {
    const boardId = idOf('board', board);
    try {
      const { rows } = await this.db.pool.query<{ moved: boolean }>({
        ...SETTLE,
        values: [board, review, this.#now()],
      });
      if (!rows[0]!.moved) return;
    } catch (error) {
      if (!isOutOfRange(error)) throw error;
      await this.db.knex.raw(FAILED, [review, board, OUT_OF_RANGE_SENTENCE]);
      return;
    }
    this.changed(boardId);
    await this.ratios.followPlayers(boardId, players);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await Promise.all([this.#working, ...this.#settling]);
  }

  #now(): Date {
    return new Date(this.clock());
  }
}
