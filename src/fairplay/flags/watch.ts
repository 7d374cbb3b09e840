import { PeriodicTask } from '../../base/clock.js';
import { idOf } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import type { Changes } from '../../db/changes.js';
import type { Queryable } from '../../db/pool.js';

/** Maximum delay of a flag notification. */
export const POLL_INTERVAL_MS = 1_000;

/** Topic of all flags; with an account's id, of that account's. */
export const FLAGS = 'flags';
export const flagsOf = (accountId: string) => `${FLAGS}:${accountId}`;

const LOOK = {
  name: 'flags_since',
  text: `
    select f.account_id, x.upto::text as upto
    from (select pg_snapshot_xmin(pg_current_snapshot()) as upto) x
    left join lateral (
      select distinct account_id from score_flags where added_in >= $1::text::xid8 and added_in < x.upto) f on true`,
};

/**
 * Marks the topics of accounts that got flags, whichever process wrote them. Transactions end in another order than they
 * begin, so a poll reads up to the oldest open transaction, and the next poll continues from there.
 */
export class FlagWatch {
  #upto: string | undefined;
  readonly #task: PeriodicTask;

  constructor(
    private readonly pool: Queryable,
    private readonly changes: Changes,
    log: Log,
  ) {
    this.#task = new PeriodicTask(() => this.look(), {
      everyMillis: POLL_INTERVAL_MS,
      log,
      failure: 'new flags could not be read',
      level: 'debug',
    });
  }

  start(): void {
    this.#task.start();
  }

  /** Polls once; does nothing while there are no watchers. */
  async look(): Promise<void> {
    const watched = this.changes.topics().filter((topic) => topic.split(':')[0] === FLAGS);
    if (watched.length === 0) {
      this.#upto = undefined;
      return;
    }
    const { rows } = await this.pool.query<{ account_id: string | null; upto: string }>({
      ...LOOK,
      values: [this.#upto ?? String(2n ** 64n - 1n)],
    });
    const first = this.#upto === undefined;
    this.#upto = rows[0]!.upto;
    const flagged = new Set<string>();
    for (const { account_id } of rows) {
      if (account_id) flagged.add(FLAGS).add(flagsOf(idOf('account', account_id)));
    }
    // Flags from before the first poll are not known.
    for (const topic of first ? watched : flagged) this.changes.mark(topic);
  }

  close(): Promise<void> {
    return this.#task.close();
  }
}
