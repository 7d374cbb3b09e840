import type { Knex } from 'knex';
import { inSlices } from '../../base/pacer.js';
import { servedHere } from '../../db/moved.js';
import { runStatement } from '../../db/pool.js';
import type { Job } from '../../jobs/job.js';
import { type Calendar, type Period, type PeriodRule, periodsBetween } from './calendar.js';
import { NAMED_PERIODS, namedPeriod } from './named-period.js';
import type { PeriodRow, ViewRow } from './rows.js';
import { calendarOf, ruleOf } from './rules.js';
import { DAY } from './zone.js';

/** Periods are written ahead for so long; `periodsJob` looks every hour and writes when half of it is left. */
const AHEAD_DAYS = 400;

function aheadDays({ period }: Pick<PeriodView, 'period'>): number {
  return period === null || period === 'every' || period === 'seasons'
    ? AHEAD_DAYS
    : namedPeriod(period).ahead;
}

/** SQL: with how many days left the periods of a view `v` are due. */
const DUE = `case v.period ${Object.entries(NAMED_PERIODS)
  .map(([period, { ahead }]) => `when '${period}' then ${ahead / 2}`)
  .join(' ')} else ${AHEAD_DAYS / 2} end`;

const NEWEST = `select number, key, ends_at from view_periods where board_id = ? and view_no = ? order by number desc limit 3`;

/** Rows of one statement: some milliseconds for this process. */
const WRITTEN_AT_ONCE = 1_000;

const INSERT = `
  insert into view_periods (board_id, view_no, number, key, starts_at, ends_at)
  select ?, ?, u.number, u.key, u.starts_at, u.ends_at
  from unnest(?::integer[], ?::text[], ?::timestamptz[], ?::timestamptz[]) u(number, key, starts_at, ends_at)
  on conflict do nothing`;

interface Newest {
  number: number;
  key: string;
  ends_at: Date;
}

type PeriodView = Pick<
  ViewRow,
  | 'board_id'
  | 'view_no'
  | 'period'
  | 'every_days'
  | 'epoch'
  | 'seasons'
  | 'time_zone'
  | 'week_start'
  | 'day_start'
>;

type BoardCalendar = Pick<Calendar, 'timeZone' | 'dayStart'> & { weekStart: string };

/**
 * Writes the periods of a view that are not there yet, up to the one that contains `at` and some ahead. They follow the
 * newest one without a gap, whatever calendar that had; seasons keep their own bounds.
 * @param from the first moment that needs a period, for a view that has none yet
 */
export async function writePeriods(
  db: Knex,
  view: PeriodView,
  board: BoardCalendar,
  at: Date,
  from: Date = at,
): Promise<void> {
  const rule = ruleOf(view);
  if (!rule || view.period === null) return;
  const { rows: newest } = await runStatement<Newest>(db, NEWEST, [view.board_id, view.view_no]);
  const until = 'seasons' in rule ? Number.MAX_SAFE_INTEGER : at.getTime() + aheadDays(view) * DAY;
  const periods = await followingPeriods(rule, calendarOf(view, board), newest, from.getTime(), until);
  await insertPeriods(db, view, periods);
}

async function insertPeriods(
  db: Knex,
  view: Pick<ViewRow, 'board_id' | 'view_no'>,
  periods: readonly Period[],
): Promise<void> {
  for (let begin = 0; begin < periods.length; begin += WRITTEN_AT_ONCE) {
    const part = periods.slice(begin, begin + WRITTEN_AT_ONCE);
    await runStatement(db, INSERT, [
      view.board_id,
      view.view_no,
      part.map(({ number }) => number),
      part.map(({ key }) => key),
      part.map(({ startsAt }) => new Date(startsAt)),
      part.map(({ endsAt }) => new Date(endsAt)),
    ]);
  }
}

/** The periods after the existing ones, newest first. If a key is already used, the next period's key is taken. */
async function followingPeriods(
  rule: PeriodRule,
  calendar: Calendar,
  newest: readonly Newest[],
  from: number,
  until: number,
): Promise<Period[]> {
  const [last] = newest;
  let begin = last?.ends_at.getTime();
  let number = last?.number ?? 0;
  const used = new Set(newest.map(({ key }) => key));
  const start = 'seasons' in rule ? 0 : (begin ?? from);
  const periods: Period[] = [];
  for await (const period of inSlices(periodsBetween(rule, calendar, start, Math.max(until, start + 1)))) {
    if (used.has(period.key) || period.endsAt <= (begin ?? 0)) continue;
    const follows = begin !== undefined && (!('seasons' in rule) || period.startsAt < begin);
    const startsAt = follows ? begin! : period.startsAt;
    number = Math.max(number + 1, period.number);
    periods.push({ ...period, number, startsAt });
    begin = period.endsAt;
  }
  return periods;
}

const OF_BOARD = `
  select v.*, v.epoch::text as epoch, b.time_zone as board_zone, b.week_start as board_week, b.day_start as board_day
  from board_views v join boards b on b.id = v.board_id
  where v.board_id = ? and v.period is not null and v.status <> 'dropping'`;

interface WithCalendar extends ViewRow {
  board_zone: string;
  board_week: string;
  board_day: string;
}

function boardCalendar({ board_zone, board_week, board_day }: WithCalendar): BoardCalendar {
  return { timeZone: board_zone, weekStart: board_week, dayStart: board_day };
}

/**
 * Writes the periods of a board's views up to a moment and some ahead. For the write of a submission that finds none for
 * its moment: the job that writes them ahead has not run for weeks.
 * @param boardId bare uuid
 */
export async function extendPeriods(db: Knex, boardId: string, at: Date): Promise<void> {
  const { rows } = await runStatement<WithCalendar>(db, OF_BOARD, [boardId]);
  for (const view of rows) await writePeriods(db, view, boardCalendar(view), at);
}

const EARLIEST = `
  select e.at, first.view_no, first.number, first.starts_at,
    array(select p.key from view_periods p where p.board_id = first.board_id and p.view_no = first.view_no) as keys
  from earliest_event(?) e(at)
  cross join lateral (select distinct on (p.view_no) p.* from view_periods p where p.board_id = ? order by p.view_no, p.number) first
  where first.starts_at > e.at`;

interface First {
  at: Date;
  view_no: number;
  number: number;
  starts_at: Date;
  keys: string[];
}

/**
 * Writes the periods before the first one of each of a board's views, back to its earliest event: imported events may have
 * occurred before the board existed.
 * @param boardId bare uuid
 */
export async function precedePeriods(db: Knex, boardId: string): Promise<void> {
  const { rows: views } = await runStatement<WithCalendar>(db, OF_BOARD, [boardId]);
  if (views.length === 0) return;
  const { rows } = await runStatement<First>(db, EARLIEST, [boardId, boardId]);
  for (const { at, view_no, number, starts_at, keys } of rows) {
    const view = views.find((one) => one.view_no === view_no);
    const rule = view && ruleOf(view);
    if (!rule || 'seasons' in rule) continue;
    const until = starts_at.getTime();
    const candidates: Period[] = [];
    const calendar = calendarOf(view, boardCalendar(view));
    for await (const period of inSlices(periodsBetween(rule, calendar, at.getTime(), until)))
      candidates.push(period);
    const used = new Set(keys);
    let next = number;
    const earlier = candidates.reverse().flatMap((period) => {
      next = Math.min(next - 1, period.number);
      // With a changed calendar, the last one may overlap the first existing one.
      const endsAt = Math.min(period.endsAt, until);
      return next < 1 || used.has(period.key) ? [] : { ...period, endsAt, number: next };
    });
    await insertPeriods(db, view, earlier);
  }
}

const due = (served: string) => `
  select v.*, v.epoch::text as epoch, b.time_zone as board_zone, b.week_start as board_week, b.day_start as board_day
  from board_views v join boards b on b.id = v.board_id
  where v.period is not null and v.period <> 'seasons' and v.status <> 'dropping' and b.deleted_at is null
    and (b.ends_at is null or b.ends_at > ?) and (v.board_id, v.view_no) > (?, ?) ${served}
    and coalesce((select p.ends_at from view_periods p where p.board_id = v.board_id and p.view_no = v.view_no
      order by p.number desc limit 1), '-infinity')
      < ?::timestamptz + (${DUE}) * interval '1 day'
  order by v.board_id, v.view_no limit 200`;

/** Writes the periods of all boards ahead. @returns the number of views that got some */
async function writeDuePeriods(db: Knex, now: Date, signal?: AbortSignal): Promise<number> {
  const statement = due(servedHere(db, 'account', 'b.account_id'));
  let [board, view, done] = ['00000000-0000-0000-0000-000000000000', 0, 0];
  while (!signal?.aborted) {
    const { rows } = await runStatement<WithCalendar>(db, statement, [now, board, view, now]);
    for (const row of rows) await writePeriods(db, row, boardCalendar(row), now);
    done += rows.length;
    const last = rows.at(-1);
    if (!last || rows.length < 200) break;
    [board, view] = [last.board_id, last.view_no];
  }
  return done;
}

const FORGET_FUTURE = `
  delete from view_periods p where p.board_id = ? and p.view_no = any(?::integer[]) and p.starts_at > ?
    and not exists (select from rankings r where r.board_id = p.board_id and r.view_no = p.view_no and r.period_number = p.number)`;

/** Forgets periods that have not begun: their calendar has changed. */
export async function forgetFuturePeriods(
  db: Knex,
  boardId: string,
  viewNos: number[],
  now: Date,
): Promise<void> {
  await runStatement(db, FORGET_FUTURE, [boardId, viewNos, now]);
}

const BEGUN = `select number, key, starts_at, ends_at from view_periods
  where board_id = ? and view_no = ? and starts_at <= ?`;

/** Periods that have begun. */
export async function begunPeriods(
  db: Knex,
  boardId: string,
  viewNo: number,
  now: Date,
): Promise<Pick<PeriodRow, 'number' | 'key' | 'starts_at' | 'ends_at'>[]> {
  const { rows } = await runStatement<PeriodRow>(db, BEGUN, [boardId, viewNo, now]);
  return rows;
}

/** The job that writes the boundaries of periods weeks ahead. */
export const viewPeriodsJob: Job = {
  name: 'write-view-periods',
  description: 'Prepares upcoming periods of views.',
  everyMinutes: 60,
  run: async ({ db, now, signal }) => ({ done: await writeDuePeriods(db, now, signal) }),
};
