import { type Clock, PeriodicTask } from '../../base/clock.js';
import { idOf, isId, uuidOf } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import type { Changes } from '../../db/changes.js';
import { servedHere } from '../../db/moved.js';
import type { Database } from '../../db/pool.js';

/** Maximum delay of a ratio board if this process has missed a change of its sources. */
const RATIO_INTERVAL_MS = 1_000;
/** Delay between a change of a source and the round that follows it. */
const RATIO_BEAT_MS = 100;
/** Events of each source in one round: a few tenths of a second under the ratio board's lock. */
const ROUND = 2_000;

const SOURCES = `
  select c.numerator_board_id, c.denominator_board_id from ratio_configs c join boards b on b.id = c.board_id and b.deleted_at is null`;

const behind = (served: string) => `
  select r.board_id from ratio_configs c
  join boards b on b.id = c.board_id and b.deleted_at is null
  join board_rankings r on r.board_id = c.board_id and r.ratio is not null
  join board_rankings n on n.board_id = (r.ratio ->> 'numerator')::uuid
  join board_rankings d on d.board_id = (r.ratio ->> 'denominator')::uuid
  where (r.numerator_seq < n.seq or r.denominator_seq < d.seq) ${served}`;

const DERIVED = `
  select board_id from ratio_configs where numerator_board_id = ? or denominator_board_id = ? order by board_id`;

// Updates one player, regardless of the marks.
export const RECONCILE_RATIO = {
  name: 'settle_ratio_player',
  text: 'select settle_ratio_player($1, $2, $3) as moved',
};

// Uses the pool of fixed plans, because planning a round takes longer than running it for a few players.
const PULL = { name: 'follow_ratio', text: 'select changed, behind from follow_ratio($1, $2, $3)' };

/**
 * Updates ratio boards from their sources. They pull (migrations/013_ratios.sql): a round takes the events beyond
 * the numbers read last, in one transaction. Any process may run any round at any time; a round without new events
 * does nothing. A mark of a source wakes this process; polling once a second compensates for lost marks.
 */
export class Ratios {
  #sources = new Set<string>();
  readonly #task: PeriodicTask;
  readonly #unlisten: () => void;

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly log: Log,
    changes: Changes,
    /** Called after the commit of every round that changed something, with the ratio board's id. */
    private readonly moved: (boardId: string) => void,
  ) {
    this.#unlisten = changes.listen((topic) => {
      if (isId('board', topic) && this.#sources.has(uuidOf(topic))) this.#task.wake(RATIO_BEAT_MS);
    });
    this.#task = new PeriodicTask((woken) => this.#look(woken), {
      everyMillis: RATIO_INTERVAL_MS,
      log,
      failure: 'ratio boards could not follow their sources',
    });
  }

  /** Polls immediately, then periodically. */
  start(): void {
    this.#task.start();
  }

  /** Takes all new events, for all ratio boards. @returns the number of boards that were behind */
  async followAll(): Promise<number> {
    const { rows } = await this.db.knex.raw<{ rows: { board_id: string }[] }>(
      behind(servedHere(this.db.knex, 'account', 'b.account_id')),
    );
    for (const { board_id } of rows) {
      if (this.#task.closed) break;
      try {
        await this.follow(idOf('board', board_id));
      } catch (error) {
        // An error on one board must not block the others.
        this.log.warn(
          { err: error, boardId: idOf('board', board_id) },
          'failed to update a ratio board from its sources; retrying',
        );
      }
    }
    return rows.length;
  }

  /** Runs rounds of one ratio board until it has all events that existed when the last round began. */
  async follow(boardId: string): Promise<void> {
    for (;;) {
      const { rows } = await this.db.pool.query<{ changed: number; behind: boolean }>({
        ...PULL,
        values: [uuidOf(boardId), new Date(this.clock()), ROUND],
      });
      const { changed, behind } = rows[0]!;
      if (changed > 0) this.moved(boardId);
      if (!behind || this.#task.closed) return;
    }
  }

  /**
   * Updates the boards that are derived from a source for some of its players immediately, so that a response shows
   * their new state. If that fails, the periodic work updates them.
   */
  async followPlayers(sourceId: string, identityIds: string[]): Promise<void> {
    const source = uuidOf(sourceId);
    try {
      const { rows } = await this.db.knex.raw<{ rows: { board_id: string }[] }>(DERIVED, [source, source]);
      for (const { board_id } of rows) await this.#reconcile(board_id, identityIds);
    } catch (error) {
      this.log.warn(
        { err: error, boardId: sourceId },
        'ratio boards were not updated in time for the response; they will be updated later',
      );
    }
  }

  async #reconcile(board: string, identityIds: string[]): Promise<void> {
    let moved = false;
    for (const id of identityIds) {
      const values = [board, uuidOf(id), new Date(this.clock())];
      const { rows } = await this.db.pool.query<{ moved: boolean }>({ ...RECONCILE_RATIO, values });
      moved ||= rows[0]!.moved;
    }
    if (moved) this.moved(idOf('board', board));
  }

  async close(): Promise<void> {
    this.#unlisten();
    await this.#task.close();
  }

  async #look(woken: boolean): Promise<void> {
    if (!woken) {
      const { rows } = await this.db.knex.raw<{
        rows: { numerator_board_id: string; denominator_board_id: string }[];
      }>(SOURCES);
      this.#sources = new Set(rows.flatMap((row) => [row.numerator_board_id, row.denominator_board_id]));
    }
    await this.followAll();
  }
}
