import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { runStatement } from '../../db/pool.js';

const END = 'select end_league(?, ?, ?, ?)';
const RANGE = 'select * from close_league(?, ?, ?, ?, ?, ?, ?, ?)';

/** A range is a transaction: whoever waits for a cohort that is being closed waits that long. */
const AIM_MS = 25;
/** Also the first range. Smaller ones cost more than they close. */
const LEAST_RANGE = 20;
const LARGEST_RANGE = 1_000;
/** No range grows faster: the first ones say little. */
const GROWTH = 2;

/** A period of a league. */
export interface LeaguePeriod {
  /** Bare uuid. */
  boardId: string;
  viewNo: number;
  periodNumber: number;
}

interface Closing {
  now: Date;
  signal: AbortSignal;
  /** Pause after each range, in times of its length: submissions go first. */
  rest: number;
  /** Called with each range that was closed. */
  closed?(cohorts: number, ms: number): void;
}

interface Place {
  test: boolean | null;
  tier_no: number;
  cohort_no: number;
  closed: string;
}

/**
 * Closes a period that has ended and settled, range by range in the order of its cohorts. Any number of processes, and a kill at any
 * moment, have the same result.
 * @returns how many cohorts it closed
 */
export async function closeLeague(db: Knex, period: LeaguePeriod, call: Closing): Promise<number> {
  const { boardId, viewNo, periodNumber } = period;
  const key = [boardId, viewNo, periodNumber, call.now];
  await runStatement(db, END, key);
  let place: Place | undefined = { test: false, tier_no: 0, cohort_no: 0, closed: '0' };
  let most = LEAST_RANGE;
  let cohorts = 0;
  while (!call.signal.aborted) {
    const begun = performance.now();
    const after: unknown[] = [place.test, place.tier_no, place.cohort_no];
    const { rows } = await runStatement<Place>(db, RANGE, [...key, most, ...after]);
    place = rows[0]!;
    if (place.test === null) break;
    const ms = performance.now() - begun;
    const closed = Number(place.closed);
    cohorts += closed;
    call.closed?.(closed, ms);
    if (closed === 0) continue;
    most = Math.round(most * Math.min(GROWTH, AIM_MS / ms));
    most = Math.max(LEAST_RANGE, Math.min(LARGEST_RANGE, most));
    if (call.rest > 0) await delay(ms * call.rest);
  }
  return cohorts;
}
