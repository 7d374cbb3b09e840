import type { Knex } from 'knex';
import type { QueryConfig } from 'pg';
import { PeriodicTask } from '../../base/clock.js';
import { idOf, NIL_UUID, uuidOf } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import type { Changes } from '../../db/changes.js';
import type { Queryable } from '../../db/pool.js';

/** Maximum of ids that a reader holds in memory: the rest stays in the table. */
const AHEAD = 50;

/** What a feed reads: flags that were raised, or that changed since they were; alerts that were raised. */
const STREAMS = {
  added: { kind: 'scoreFlag', table: 'score_flags', column: 'added_in' },
  changed: { kind: 'scoreFlag', table: 'score_flags', column: 'changed_in' },
  alerts: { kind: 'alert', table: 'alerts', column: 'added_in' },
} as const;

export type FlagStream = keyof typeof STREAMS;

/** Position up to which flags were read: the transaction that added or changed them, then the id. */
export interface FlagPosition {
  writtenIn: string;
  id: string;
}

/**
 * Position at which a reader begins. `seen`: the snapshot it began with, whose flags are not new; null: it continues after a
 * flag.
 */
interface Start extends FlagPosition {
  seen: string | null;
}

/** Limits the feed to an account or games. Prefixed ids; undefined: no limit. */
interface FlagScope {
  accountId?: string | undefined;
  gameIds?: readonly string[] | undefined;
}

const UPTO = { name: 'flags_upto', text: 'select pg_snapshot_xmin(pg_current_snapshot())::text as upto' };

const START = {
  name: 'flags_start',
  text: `
    select pg_snapshot_xmin(s)::text as "writtenIn", '${NIL_UUID}' as id, s::text as seen from pg_current_snapshot() s`,
};

const PLACE = {
  name: 'flag_place',
  text: 'select added_in::text as "writtenIn", id, null as seen from score_flags where id = $1',
};

/**
 * Numbers of a flag's changes only ascend, but a flag that moves with its account gets to another database with its own numbers. A position
 * beyond the number of its own flag is of the former one: all changes are read again there, since which of them are new is not known.
 */
const position = (stream: FlagStream, { table, column } = STREAMS[stream]) => ({
  name: `flag_position_${stream}`,
  text: `
    select case when p.former then '0' else $1::text end as "writtenIn", case when p.former
      then '${NIL_UUID}' else $2::uuid end as id, null as seen
    from (select exists (select from ${table} where id = $2::uuid and ${column} < $1::text::xid8)) p(former)`,
});

const POSITION = { added: position('added'), changed: position('changed'), alerts: position('alerts') };

// No flag can be written below `upto` any more, in whatever order transactions end.
const nextFlags = (stream: FlagStream, { table, column } = STREAMS[stream]) => ({
  name: `next_flags_${stream}`,
  text: `
    select ${column}::text as "writtenIn", id from ${table}
    where (${column}, id) > ($1::text::xid8, $2::uuid) and ${column} < $3::text::xid8
      and ($4::uuid is null or account_id = $4) and ($5::uuid[] is null or game_id = any($5))
      and ($6::text is null or not pg_visible_in_snapshot(${column}, $6::text::pg_snapshot))
    order by ${column}, id limit ${AHEAD}`,
});

const NEXT_FLAGS = {
  added: nextFlags('added'),
  changed: nextFlags('changed'),
  alerts: nextFlags('alerts'),
};

/**
 * Flags or alerts of a stream for one reader, in the order in which they were written, without gaps: the reader
 * continues from its position in the table, so a slow reader costs no memory.
 * @param topic is marked when there may be flags to read
 * @param after resolves to the id of the added flag to continue after, or to a position; undefined: from now on; its
 * rejection ends the feed
 * @param read returns the newest state of a flag; undefined: it is gone. An error that it throws ends the feed with that
 * error
 */
export function flagFeed<T>(
  { pool, changes, stream }: { pool: Queryable; changes: Changes; stream: FlagStream },
  topic: string,
  scope: FlagScope,
  after: Promise<string | FlagPosition | undefined>,
  read: (id: string, place: FlagPosition) => Promise<T | undefined>,
): AsyncIterableIterator<T> {
  const marks = changes.watch(topic);
  const account = scope.accountId ? uuidOf(scope.accountId) : null;
  const games = scope.gameIds?.map(uuidOf) ?? null;
  // The start is read when the feed is requested, not when the first flag is awaited.
  const start = startOf(pool, stream, after);
  start.catch(() => undefined);
  let place: FlagPosition | undefined;
  let ahead: FlagPosition[] = [];
  let ended = false;

  const end = async (): Promise<IteratorResult<T>> => {
    ended = true;
    await marks.return?.();
    return { value: undefined, done: true };
  };
  const more = async (): Promise<boolean> => {
    const { seen, ...first } = await start;
    const { writtenIn, id } = place ?? first;
    const { rows } = await pool.query<{ upto: string }>(UPTO);
    const { upto } = rows[0]!;
    const found = await pool.query<FlagPosition>({
      ...NEXT_FLAGS[stream],
      values: [writtenIn, id, upto, account, games, seen],
    });
    ahead = found.rows;
    // The flag to continue after may have been written above `upto`: the position stays there, or that flag would be sent again.
    const settled = BigInt(upto) > BigInt(writtenIn) ? { writtenIn: upto, id: NIL_UUID } : { writtenIn, id };
    place = ahead.length < AHEAD ? settled : ahead.at(-1)!;
    return ahead.length > 0;
  };
  const next = async (): Promise<IteratorResult<T>> => {
    while (!ended) {
      const flag = ahead.shift();
      if (flag) {
        const state = await read(idOf(STREAMS[stream].kind, flag.id), flag);
        if (state !== undefined && !ended) return { value: state, done: false };
      } else if (!(await more()) && (await marks.next()).done) break;
    }
    return { value: undefined, done: true };
  };
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: async () => {
      try {
        return await next();
      } catch (error) {
        await end();
        throw error;
      }
    },
    return: end,
    throw: async (error) => {
      await end();
      throw error;
    },
  };
}

async function startOf(
  pool: Queryable,
  stream: FlagStream,
  after: Promise<string | FlagPosition | undefined>,
): Promise<Start> {
  const { rows } = await pool.query<Start>(startQuery(stream, await after));
  return rows[0]!;
}

function startQuery(stream: FlagStream, after: string | FlagPosition | undefined): QueryConfig {
  if (after === undefined) return START;
  if (typeof after === 'string') return { ...PLACE, values: [uuidOf(after)] };
  return { ...POSITION[stream], values: [after.writtenIn, after.id] };
}

/** The position from here on, as a cursor: continuing after it may repeat a flag, but misses none. */
export async function cursorNow(db: Knex): Promise<string> {
  const { rows } = await db.raw<{ rows: Start[] }>(START.text);
  return cursorOf(rows[0]!);
}

/** `<transaction>:<uuid of the flag>`. */
export function cursorOf({ writtenIn, id }: FlagPosition): string {
  return Buffer.from(`${writtenIn}:${id}`).toString('base64url');
}

/** Maximum delay of a flag notification. */
const FLAG_INTERVAL_MS = 1_000;

/** Topic of all flags, raised and changed, and of alerts; with an account's id, of that account's. */
export const FLAGS = 'flags';
export const flagsOf = (accountId: string) => `${FLAGS}:${accountId}`;

const NEWEST = {
  name: 'flags_since',
  text: `
    select f.account_id, x.upto::text as upto
    from (select pg_snapshot_xmin(pg_current_snapshot()) as upto) x
    left join lateral (
      select account_id from score_flags where added_in >= $1::text::xid8 and added_in < x.upto
      union select account_id from score_flags where changed_in >= $1::text::xid8 and changed_in < x.upto
      union select account_id from alerts where added_in >= $1::text::xid8 and added_in < x.upto) f on true`,
};

/**
 * Marks the topics of accounts that got flags, decisions or alerts, whichever process wrote them. Transactions end in
 * another order than they begin, so a poll reads up to the oldest open transaction, and the next poll continues from
 * there.
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
      everyMillis: FLAG_INTERVAL_MS,
      log,
      failure: 'failed to read new flags',
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
      ...NEWEST,
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
