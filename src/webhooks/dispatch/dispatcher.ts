import type { Knex } from 'knex';
import type pg from 'pg';
import { servedHere } from '../../db/moved.js';
import { runStatement } from '../../db/pool.js';
import { fromRow } from '../../db/row.js';
import { type Job, type JobCall, type JobResult, wakeJob } from '../../jobs/job.js';
import type { RecordingAddresses } from '../../scores/recordings/address.js';
import { WebhookEvent } from '../deliveries/event-row.js';
import { DISPATCH_WEBHOOKS, SEND_WEBHOOKS } from '../events/job-names.js';
import { reportClosing } from './closing.js';
import { dataOf } from './data.js';
import { askingFor, endpointsOf, insertDeliveries } from './deliver.js';
import { reportFlags } from './flags.js';
import { reportLeaders } from './leaders.js';
import { toldTogether } from './rewards.js';

const EVENTS_AT_ONCE = 200;
/** How often boards and flags are compared while an endpoint asks for them. */
const ROUND_MS = 10_000;

/** One process dispatches at a time: every transaction of it holds this row. */
const LOCK = 'select from webhook_state for update';
const LOCK_IF_FREE = `${LOCK} skip locked`;

/** Events that are due, as many of each account as of any other: one that reports much delays nobody else. */
const dueEvents = (served: string) => `
  with recursive open(account_id) as (
    (select account_id from webhook_events where dispatched_at is null order by account_id limit 1)
    union all
    select (select w.account_id from webhook_events w where w.dispatched_at is null and w.account_id > o.account_id
      order by w.account_id limit 1)
    from open o where o.account_id is not null
  ), turn as (
    select f.id from open o cross join lateral (
      select w.id, w.due_at, row_number() over (order by w.due_at, w.occurred_at, w.id) as nth from webhook_events w
      where w.account_id = o.account_id and w.dispatched_at is null and w.due_at <= ? ${served}
      order by w.due_at, w.occurred_at, w.id limit ${EVENTS_AT_ONCE}) f
    order by f.nth, f.due_at, f.id limit ${EVENTS_AT_ONCE}
  )
  select w.* from webhook_events w where w.id in (select id from turn) order by w.due_at, w.occurred_at, w.id for update`;

const DISPATCHED = `
  update webhook_events w set dispatched_at = :now, data = x.data, players = x.players::uuid[]
  from unnest(:ids::uuid[], :data::jsonb[], :players::text[]) x(id, data, players) where w.id = x.id`;
const VOID = 'delete from webhook_events where id = any(?::uuid[])';

/** What endpoints ask for that has to be looked for, and when the next reported event is due. */
const WORK = `
  select exists (select from webhook_endpoints where deleted_at is null and events && '{score.flagged,score.held}'::text[]) as flags,
    exists (select from webhook_endpoints where deleted_at is null
      and events && '{board.leader_changed,player.overtaken}'::text[]) as leaders,
    exists (select from webhook_endpoints where deleted_at is null and events && '{board.closing}'::text[]) as closing,
    (select min(due_at) from webhook_events where dispatched_at is null) as due_at`;

interface Work {
  flags: boolean;
  leaders: boolean;
  closing: boolean;
  due_at: Date | null;
}

/** Deliveries of deleted accounts are not sent any more, whatever happens to the account. */
const DROP = `
  update webhook_deliveries set status = 'failed', settled_at = ?, last_error = 'The account was deleted.'
  where status in ('queued', 'blocked') and endpoint_id in (
    select e.id from webhook_endpoints e join accounts a on a.id = e.account_id where a.deleted_at is not null)`;

export interface DispatchParts {
  /** The pool of the score plane. */
  pool: pg.Pool;
  /** WEBHOOKS. */
  isOn: boolean;
  /** WEBHOOK_LOG_DAYS. */
  logDays: number;
  recordings: RecordingAddresses;
}

/** Turns what happened into deliveries. Called by every event that is reported, and regularly while boards have to be compared. */
export function dispatchJob(parts: DispatchParts): Job {
  return {
    name: DISPATCH_WEBHOOKS,
    description: 'Finds the events that webhook endpoints ask for, and queues their deliveries.',
    everyMinutes: 1,
    run: async (call) => (parts.isOn ? dispatch(call, parts) : { done: 0 }),
  };
}

async function dispatch(call: JobCall, { pool, logDays, recordings }: DispatchParts): Promise<JobResult> {
  const { db, now, signal } = call;
  const work = await readWork(db);
  const rounds = [
    ...(work.flags ? [(trx: Knex) => reportFlags(trx, now, logDays)] : []),
    ...(work.closing ? [(trx: Knex) => reportClosing(trx, now)] : []),
    ...(work.leaders ? [(trx: Knex) => reportLeaders(trx, pool, now)] : []),
  ];
  for (const round of rounds) {
    while (!signal.aborted && (await alone(db, round)));
  }
  let done = 0;
  for (let more = true; more && !signal.aborted; ) {
    const { count, ...left } = await alone(db, (trx) => dispatchDue(trx, now, recordings));
    done += count;
    more = left.more;
  }
  await runStatement(db, DROP, [now]);
  return { done, ...nextOf(await readWork(db), now) };
}

/** True if an endpoint asks for what happens on boards by submissions. */
export async function asksForBoards(db: Knex): Promise<boolean> {
  const { flags, leaders } = await readWork(db);
  return flags || leaders;
}

/**
 * Turns what happened on a few boards into deliveries; all others, and what is left over, are found by the job.
 * @param boards bare uuids
 * @returns false if another process dispatches: nothing was done
 */
export function dispatchBoards(
  db: Knex,
  { pool, logDays, recordings }: DispatchParts,
  now: Date,
  boards: readonly string[],
): Promise<boolean> {
  return db.transaction(async (trx) => {
    if ((await runStatement(trx, LOCK_IF_FREE)).rowCount === 0) return false;
    const work = await readWork(trx);
    if (work.flags) await reportFlags(trx, now, logDays);
    if (work.leaders) await reportLeaders(trx, pool, now, boards);
    await dispatchDue(trx, now, recordings);
    return true;
  });
}

async function readWork(db: Knex): Promise<Work> {
  return (await runStatement<Work>(db, WORK)).rows[0]!;
}

/** When the next call is due. */
function nextOf({ flags, leaders, closing, due_at: dueAt }: Work, now: Date): { again?: Date } {
  const round = flags || leaders || closing ? now.getTime() + ROUND_MS : Number.POSITIVE_INFINITY;
  const next = Math.min(round, dueAt?.getTime() ?? Number.POSITIVE_INFINITY);
  return Number.isFinite(next) ? { again: new Date(next) } : {};
}

function alone<T>(db: Knex, work: (trx: Knex) => Promise<T>): Promise<T> {
  return db.transaction(async (trx) => {
    await runStatement(trx, LOCK);
    return work(trx);
  });
}

async function dispatchDue(
  trx: Knex,
  now: Date,
  recordings: RecordingAddresses,
): Promise<{ count: number; more: boolean }> {
  const { rows } = await runStatement(trx, dueEvents(servedHere(trx, 'account', 'w.account_id')), [now]);
  if (rows.length === 0) return { count: 0, more: false };
  const due = rows.map((row) => fromRow(WebhookEvent, row));
  const events = toldTogether(due);
  const told = await dataOf(trx, events, now, recordings);
  const real = events.filter(({ id }) => told.get(id));
  const endpoints = await endpointsOf(
    trx,
    real.map(({ accountId }) => accountId),
  );
  const pairs = real.flatMap((event) => askingFor(event, endpoints).map((endpoint) => ({ event, endpoint })));
  await insertDeliveries(trx, pairs, now);
  await runStatement(trx, DISPATCHED, {
    now,
    ids: real.map(({ id }) => id),
    data: real.map(({ id }) => JSON.stringify(told.get(id)!.data)),
    players: real.map(({ id }) => `{${told.get(id)!.players.join()}}`),
  });
  const unreal = events.filter(({ id }) => !told.get(id)).map(({ id }) => id);
  if (unreal.length > 0) await runStatement(trx, VOID, [unreal]);
  if (pairs.length > 0) await wakeJob(trx, SEND_WEBHOOKS, now, now.getTime());
  return { count: events.length, more: rows.length === EVENTS_AT_ONCE || events.length < due.length };
}
