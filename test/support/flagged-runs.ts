import { uuid7, uuidOf } from '../../src/base/ids.js';
import type { Database } from '../../src/db/pool.js';
import type { BulkReviews } from '../../src/fairplay/reviews/bulk.js';

export const HOLD_HOURS = 24;
export const STATUSES = ['pending', 'confirmed_cheat', 'false_positive', 'dismissed'] as const;
type Status = (typeof STATUSES)[number];

interface Flag {
  /** Null until it is read: a review raised it. */
  id: string | null;
  isManual: boolean;
  /** The review that raised it. */
  raisedBy: string | null;
  isGone: boolean;
  decisions: { status: Status; by: string | null }[];
}

/** A run in the model. Bare uuids. */
interface Run {
  board: string;
  event: string;
  seq: number;
  /** Epoch milliseconds. */
  at: number;
  isHeld: boolean;
  hasEnded: boolean;
  flags: Flag[];
}

/** A plain model of the flags of some boards, and the writes that change both: flags, decisions, reviews of players, ends of holds. */
export class FlaggedRuns {
  readonly #runs = new Map<string, Run>();
  readonly #undone = new Set<string>();
  /** Reviews of players that can be undone, the earliest first. */
  readonly reviews: string[] = [];

  constructor(
    private readonly db: Database,
    private readonly boards: readonly string[],
    private readonly now: () => number,
  ) {}

  /** Learns the runs that were written since. */
  async meet(): Promise<void> {
    const { rows } = await this.db.pool.query(
      `select e.board_id as board, e.id as event, e.seq, e.created_at, e.disposition, array(select f.id from score_flags f
         where f.board_id = e.board_id and f.event_seq = e.seq order by f.id) as flags
       from score_events e where e.board_id = any($1::uuid[]) and e.id <> all($2::uuid[]) order by e.board_id, e.seq`,
      [this.boards.map(uuidOf), [...this.#runs.keys()]],
    );
    for (const { board, event, seq, created_at: created, disposition, flags } of rows) {
      this.#runs.set(event, {
        ...{ board, event, seq, at: created.getTime(), isHeld: disposition === 'held', hasEnded: false },
        flags: flags.map(
          (id: string): Flag => ({ id, isManual: false, raisedBy: null, isGone: false, decisions: [] }),
        ),
      });
    }
  }

  get held(): number {
    return [...this.#runs.values()].filter(({ isHeld }) => isHeld).length;
  }

  /** @param event a bare uuid */
  counts(event: string): boolean {
    const { flags, isHeld, hasEnded } = this.#runs.get(event)!;
    const live = flags.filter(({ isGone }) => !isGone);
    if (live.some((flag) => this.#status(flag) === 'confirmed_cheat')) return false;
    const open = live.filter((flag) => this.#status(flag) === 'pending');
    return !(isHeld && !hasEnded && open.some(({ isManual }) => !isManual));
  }

  #status({ decisions }: Flag): Status {
    const standing = decisions.findLast(({ by }) => by === null || !this.#undone.has(by));
    return standing?.status ?? 'pending';
  }

  #nth(nth: number, isFlagged: boolean): Run | undefined {
    const runs = [...this.#runs.values()].filter(
      ({ flags }) => !isFlagged || flags.some(({ isGone }) => !isGone),
    );
    return runs[nth % Math.max(1, runs.length)];
  }

  async flag(nth: number): Promise<void> {
    const run = this.#nth(nth, false);
    if (!run) return;
    const id = uuid7();
    run.flags.push({ id, isManual: true, raisedBy: null, isGone: false, decisions: [] });
    await this.db.knex.raw(
      `insert into score_flags (board_id, event_seq, id, event_id, account_id, game_id, identity_id, device_id, is_test, flag_type, confidence,
         status, metadata, compared_events, created_at, updated_at)
       select board_id, seq, ?, id, account_id, game_id, identity_id, device_id, is_test, 'manual', 'high', 'pending', '{}', '{}',
         created_at, created_at from score_events where board_id = ? and seq = ?`,
      [id, run.board, run.seq],
    );
    await this.#settle(run);
  }

  async decide(nth: number, status: Status): Promise<void> {
    const run = this.#nth(nth, true);
    if (!run) return;
    const live = run.flags.filter(({ isGone }) => !isGone);
    const flag = live[nth % live.length]!;
    flag.id ??= await this.#raised(run, flag);
    if (this.#status(flag) === status) return;
    flag.decisions.push({ status, by: null });
    await this.db.knex('flag_reviews').insert({
      ...{ board_id: run.board, flag_id: flag.id, status, notes: false, undone: false },
      created_at: new Date(this.now()),
    });
    await this.#settle(run);
  }

  async #raised({ board, seq }: Run, { raisedBy }: Flag): Promise<string> {
    const of = { board_id: board, event_seq: seq, added_by_review: raisedBy };
    return (await this.db.knex('score_flags').where(of).first('id')).id;
  }

  async #settle({ board, seq, flags }: Run): Promise<void> {
    const at = new Date(this.now());
    await this.db.knex.transaction(async (trx) => {
      await trx.raw('select lock_flags(array[?::uuid])', [board]);
      await trx.raw('select update_flags(?, ?::uuid[], ?)', [board, flags.flatMap(({ id }) => id ?? []), at]);
      await trx.raw('select apply_effects(?, ?::bigint[], null, ?)', [board, [seq], at]);
    });
  }

  /** Decides all runs that a player has by now. @param player a bare uuid */
  async review(
    work: BulkReviews,
    player: string,
    decision: Exclude<Status, 'pending'>,
    banDevices: boolean,
  ): Promise<string> {
    const { knex } = this.db;
    const id = uuid7();
    const at = new Date(this.now());
    const { account_id, game_id } = await knex('identities').where('id', player).first();
    await knex('identity_reviews').insert({
      ...{ id, account_id, game_id, identity_id: player, upto: at, decision, ban_devices: banDevices },
      ...{ status: 'applying', leased_until: at, created_at: at, updated_at: at },
    });
    await work.reconcile(`rev_${id}`);
    const events = await knex('score_events')
      .whereIn('board_id', this.boards.map(uuidOf))
      .where('identity_id', player)
      .select('id');
    for (const { id: event } of events) {
      const { flags } = this.#runs.get(event)!;
      let live = flags.filter(({ isGone }) => !isGone);
      if (live.length === 0 && decision === 'confirmed_cheat') {
        live = [{ id: null, isManual: true, raisedBy: id, isGone: false, decisions: [] }];
        flags.push(...live);
      }
      for (const { decisions } of live) decisions.push({ status: decision, by: id });
    }
    this.reviews.push(id);
    return id;
  }

  async undoReview(work: BulkReviews, nth: number): Promise<void> {
    const id = this.reviews[nth % Math.max(1, this.reviews.length)];
    if (!id) return;
    this.reviews.splice(this.reviews.indexOf(id), 1);
    await this.db.knex('identity_reviews').where({ id }).update({ status: 'undoing' });
    await work.reconcile(`rev_${id}`);
    this.#undone.add(id);
    for (const { flags } of this.#runs.values()) {
      for (const flag of flags) {
        const hasDecisions = flag.decisions.some(({ by }) => by === null || !this.#undone.has(by));
        flag.isGone ||= flag.raisedBy === id && !hasDecisions;
      }
    }
  }

  async endHolds(): Promise<void> {
    for (const run of this.#runs.values()) {
      if (run.isHeld && run.at + HOLD_HOURS * 3_600_000 <= this.now()) run.hasEnded = true;
    }
    for (const board of this.boards)
      await this.db.knex.raw('select end_holds(?, ?, 1000)', [uuidOf(board), new Date(this.now())]);
  }
}
