import { idOf, NIL_UUID, uuidOf } from '../../base/ids.js';
import type { Changes } from '../../db/changes.js';
import type { Queryable } from '../../db/pool.js';

/** Ids a reader has in hand at most: the rest waits in the table. */
const AHEAD = 50;

/** Up to where flags were read: the transaction that added them, then the id. */
interface Position {
  addedIn: string;
  id: string;
}

/** Where a reader begins. `seen`: the snapshot it began with, what that shows is not new; null: it goes on from a flag. */
interface Start extends Position {
  seen: string | null;
}

/** Whose flags. Prefixed ids; undefined: of all. */
export interface FlagScope {
  accountId?: string | undefined;
  gameId?: string | undefined;
}

const UPTO = { name: 'flags_upto', text: 'select pg_snapshot_xmin(pg_current_snapshot())::text as upto' };

const START = {
  name: 'flags_start',
  text: `
    select pg_snapshot_xmin(s)::text as "addedIn", '${NIL_UUID}' as id, s::text as seen from pg_current_snapshot() s`,
};

const PLACE = {
  name: 'flag_place',
  text: 'select added_in::text as "addedIn", id, null as seen from score_flags where id = $1',
};

// Below `upto` nothing can come any more, in whatever order transactions end.
const NEXT = {
  name: 'next_flags',
  text: `
    select added_in::text as "addedIn", id from score_flags
    where (added_in, id) > ($1::text::xid8, $2::uuid) and added_in < $3::text::xid8
      and ($4::uuid is null or account_id = $4) and ($5::uuid is null or game_id = $5)
      and ($6::text is null or not pg_visible_in_snapshot(added_in, $6::text::pg_snapshot))
    order by added_in, id limit ${AHEAD}`,
};

/**
 * New flags for one reader, in the order in which they were added, none left out: it reads on from its place in the table, so
 * a slow reader costs no memory.
 * @param topic is marked when there may be new ones
 * @param after resolves to the id of a flag to go on from, undefined: from now on; its rejection ends the feed
 * @param read the newest state of a flag; undefined: it is gone. What it throws ends the feed with that error
 */
export function flagFeed<T>(
  { pool, changes }: { pool: Queryable; changes: Changes },
  topic: string,
  scope: FlagScope,
  after: Promise<string | undefined>,
  read: (id: string) => Promise<T | undefined>,
): AsyncIterableIterator<T> {
  const marks = changes.watch(topic);
  const account = scope.accountId ? uuidOf(scope.accountId) : null;
  const game = scope.gameId ? uuidOf(scope.gameId) : null;
  // Where it begins is settled when it is asked for, not when the first flag is waited for.
  const start = startOf(pool, after);
  start.catch(() => undefined);
  let place: Position | undefined;
  let ahead: Position[] = [];
  let ended = false;

  const end = async (): Promise<IteratorResult<T>> => {
    ended = true;
    await marks.return?.();
    return { value: undefined, done: true };
  };
  const more = async (): Promise<boolean> => {
    const { seen, ...first } = await start;
    const { addedIn, id } = place ?? first;
    const { rows } = await pool.query<{ upto: string }>(UPTO);
    const { upto } = rows[0]!;
    const found = await pool.query<Position>({ ...NEXT, values: [addedIn, id, upto, account, game, seen] });
    ahead = found.rows;
    // A flag to go on from may have been added above what is settled by now: there it stays, or that flag would be told again.
    const settled = BigInt(upto) > BigInt(addedIn) ? { addedIn: upto, id: NIL_UUID } : { addedIn, id };
    place = ahead.length < AHEAD ? settled : ahead.at(-1)!;
    return ahead.length > 0;
  };
  const next = async (): Promise<IteratorResult<T>> => {
    while (!ended) {
      const flag = ahead.shift();
      if (flag) {
        const state = await read(idOf('scoreFlag', flag.id));
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

async function startOf(pool: Queryable, after: Promise<string | undefined>): Promise<Start> {
  const id = await after;
  const { rows } = await pool.query<Start>(id ? { ...PLACE, values: [uuidOf(id)] } : START);
  return rows[0]!;
}
