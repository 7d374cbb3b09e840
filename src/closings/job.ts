import type { Knex } from 'knex';
import { idOf } from '../base/ids.js';
import { CLOSE_RANKINGS } from '../boards/closing-rules/closing-rule.js';
import { servedHere } from '../db/moved.js';
import { runStatement } from '../db/pool.js';
import { inTurns } from '../jobs/in-turns.js';
import type { Job, JobCall } from '../jobs/job.js';
import { rewardsOf } from './granted.js';

/** Closings that are looked up at once; each is a transaction of its own. */
const CLOSINGS_AT_ONCE = 200;

const TO_BEGIN = (served: string) =>
  `select d.board_id, d.view_name, d.ended_at from closings_to_begin(?) d where true ${served} limit ${CLOSINGS_AT_ONCE}`;
const BEGIN = 'select begin_due_closings(?, ?, ?, ?) as begun';
/** Accounts in turns, each from the earliest on. */
const inTurn = (columns: string, condition: string, at: string) => `
  select x.* from (
    select ${columns}, c.${at} as due, row_number() over (partition by c.account_id order by c.${at}, c.board_id, c.id) as nth
    from closings c where ${condition}) x
  order by x.nth, x.due, x.board_id, x.id limit ${CLOSINGS_AT_ONCE}`;
const DUE = (served: string) =>
  inTurn('c.board_id, c.id', `c.status = 'settling' and c.settles_at <= ? ${served}`, 'settles_at');
const FREEZE = 'select freeze_closing(?, ?, ?) as state';
const GRANTING = (served: string) =>
  inTurn('c.board_id, c.id, c.game_id, c.account_id', `c.prizes_status = 'granting' ${served}`, 'frozen_at');
const RELEASED = (served: string) => `select release_held(c.board_id, c.id, ?) as released
  from closings c join games g on g.id = c.game_id where c.prizes_status = 'held' and g.prizes_held_at is null ${served}
  order by c.frozen_at, c.board_id, c.id limit ${CLOSINGS_AT_ONCE}`;
const GRANT = 'select grant_prizes(?, ?, ?, ?, ?) as state';
/** Rewards of held closings do not expire. */
const unheld = (reward: string) => `not exists (select from closings h
  where h.board_id = ${reward}.board_id and h.id = ${reward}.closing_id and h.prizes_status = 'held')`;
/** Rewards that one statement has expire. */
const EXPIRED_AT_ONCE = 1_000;
/** Places that one transaction gives prizes to. */
const PLACES_AT_ONCE = 5_000;
const EXPIRE = (served: string) => `select expire_rewards(array(
  select r.id from rewards r where r.status = 'open' and r.expires_at <= ? and ${unheld('r')} ${served}
    order by r.expires_at limit ${EXPIRED_AT_ONCE} for update skip locked), '${CLOSE_RANKINGS}', ?) as expired`;
const NEXT = `select least(
  (select w.expires_at from rewards w where w.status = 'open' and w.expires_at is not null
    and ${unheld('w')} order by w.expires_at limit 1),
  (select min(c.settles_at) from closings c where c.status = 'settling'),
  (select min(o.ends_at) from closing_rules r join boards o on o.id = r.board_id where r.view_name = '' and not o.is_active
    and o.ends_at > :now),
  (select min(p.ends_at) from closing_rules r join board_views v on v.board_id = r.board_id and v.name = r.view_name and v.status = 'live'
    cross join lateral (select x.ends_at from view_periods x where x.board_id = v.board_id and x.view_no = v.view_no
      and x.ends_at > greatest(r.since, :now)
      order by x.starts_at limit 1) p)) as at`;

interface Beginning {
  board_id: string;
  view_name: string;
  ended_at: Date;
}

interface Granting {
  board_id: string;
  id: string;
  game_id: string;
  account_id: string;
}

type Changed = (topic: string) => void;

/** Limits of the installation (config/table.ts). */
export interface GrantLimits {
  grantsPerClosing: number;
}

/**
 * Begins the closings of what has ended and freezes those that have settled, in the order of their ends. Each is a
 * transaction under the lock of its board; then their prizes are granted, without that lock. Any number of processes,
 * and a kill at any moment, have the same result.
 * @param changed called with each board that was changed, after the commit
 * @returns how many closings began or were frozen, or had their prizes granted
 */
export async function closeRankings(call: JobCall, changed: Changed, limits: GrantLimits): Promise<number> {
  const closed = (await beginClosings(call, changed)) + (await freezeClosings(call, changed));
  await releaseHeld(call);
  return closed + (await grantPrizes(call, changed, limits));
}

async function beginClosings({ db, now, signal, log }: JobCall, changed: Changed): Promise<number> {
  const statement = TO_BEGIN(servedHere(db, 'board', 'd.board_id'));
  let begun = 0;
  for (let full = true; full && !signal.aborted; ) {
    const { rows } = await runStatement<Beginning>(db, statement, [now]);
    const before = begun;
    for (const { board_id, view_name, ended_at } of rows) {
      if (signal.aborted) break;
      const values = [board_id, view_name, ended_at, now];
      begun += await alone(log, board_id, async () => Number(await one(db, BEGIN, values, 'begun')));
      changed(idOf('board', board_id));
    }
    full = rows.length === CLOSINGS_AT_ONCE && begun > before;
  }
  return begun;
}

async function freezeClosings({ db, now, signal, log }: JobCall, changed: Changed): Promise<number> {
  const statement = DUE(servedHere(db, 'board', 'c.board_id'));
  let frozen = 0;
  for (let full = true; full && !signal.aborted; ) {
    const { rows } = await runStatement<{ board_id: string; id: string }>(db, statement, [now]);
    let looked = 0;
    for (const { board_id, id } of rows) {
      if (signal.aborted) break;
      looked += await alone(log, board_id, async () => {
        if ((await one(db, FREEZE, [board_id, id, now], 'state')) === 'frozen') frozen += 1;
        return 1;
      });
      changed(idOf('board', board_id));
    }
    full = rows.length === CLOSINGS_AT_ONCE && looked > 0;
  }
  return frozen;
}

/** Held closings of games that were released. */
async function releaseHeld({ db, now, signal }: JobCall): Promise<void> {
  const statement = RELEASED(servedHere(db, 'board', 'c.board_id'));
  for (let full = true; full && !signal.aborted; ) {
    const { rowCount } = await runStatement(db, statement, [now]);
    full = rowCount === CLOSINGS_AT_ONCE;
  }
}

async function grantPrizes(
  { db, now, signal, log }: JobCall,
  changed: Changed,
  limits: GrantLimits,
): Promise<number> {
  const statement = GRANTING(servedHere(db, 'board', 'c.board_id'));
  let granted = 0;
  const step = async ({ board_id, id, game_id }: Granting) => {
    const values = [board_id, id, PLACES_AT_ONCE, limits.grantsPerClosing, now];
    const state = await one(db, GRANT, values, 'state');
    if (state !== null) changed(rewardsOf(idOf('game', game_id)));
    return state;
  };
  await inTurns(
    async () => (await runStatement<Granting>(db, statement)).rows,
    ({ id }) => id,
    async (closing) => {
      let state: unknown;
      granted += await alone(log, closing.board_id, async () => {
        state = await step(closing);
        return state === 'granted' ? 1 : 0;
      });
      return state === 'granting';
    },
    () => signal.aborted,
    ({ account_id }) => account_id,
  );
  return granted;
}

async function expireRewards({ db, now, signal }: JobCall): Promise<number> {
  const statement = EXPIRE(servedHere(db, 'board', 'r.board_id'));
  let expired = 0;
  for (let full = true; full && !signal.aborted; ) {
    const some = Number(await one(db, statement, [now, now], 'expired'));
    expired += some;
    full = some === EXPIRED_AT_ONCE;
  }
  return expired;
}

async function one(db: Knex, statement: string, values: unknown[], column: string): Promise<unknown> {
  const { rows } = await runStatement<Record<string, unknown>>(db, statement, values);
  return rows[0]![column];
}

/** An error on one board does not block the others; the next run tries again. */
async function alone(log: JobCall['log'], board: string, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    log.warn({ err: error, board: idOf('board', board) }, 'failed to close a ranking; it will be retried');
    return 0;
  }
}

/** The job that runs it; it schedules itself for the next end. */
export function closingsJob(changed: Changed, limits: GrantLimits): Job {
  return {
    name: CLOSE_RANKINGS,
    description:
      'Closes rankings that have ended, fixes their places once they have settled, grants their prizes, and has unclaimed rewards expire.',
    everyMinutes: 1,
    run: async (call) => {
      const done = (await closeRankings(call, changed, limits)) + (await expireRewards(call));
      const { rows } = await runStatement<{ at: Date | null }>(call.db, NEXT, { now: call.now });
      return { done, again: rows[0]!.at ?? undefined };
    },
  };
}
