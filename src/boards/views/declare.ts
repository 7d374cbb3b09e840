import type { Knex } from 'knex';
import { uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import type { Board } from '../board/board.js';
import type { Season } from './calendar.js';
import { begunPeriods, forgetFuturePeriods, writePeriods } from './periods.js';
import { copyPeriods } from './ratio-views.js';
import type { ViewRow } from './rows.js';
import { dropViews, noteViews, storedViews } from './rows.js';
import { checkSameRules, type Declaration, invalidView } from './rules.js';

const INSERT = `
  with numbered as (
    update board_rankings set newest_view = newest_view + 1, dense_views = dense_views or :tiePolicy = 'dense'
      where board_id = :board returning newest_view
  )
  insert into board_views (board_id, view_no, name, period, every_days, epoch, seasons, by_tags, tie_policy, keep_periods,
    keep_podium, most_groups, since,
    status, created_at, updated_at)
  select :board, newest_view, :name, :period, :every, :epoch::date, :seasons::jsonb, :by::text[], :tiePolicy, :keepPeriods,
    :keepPodium, :mostGroups, :since,
    :status, :now, :now
  from numbered
  returning *, epoch::text as epoch`;

const KEEP = `
  update board_views set tie_policy = :tiePolicy, keep_periods = :keepPeriods, keep_podium = :keepPodium,
    seasons = coalesce(:seasons::jsonb, seasons),
    updated_at = :now
  where board_id = :board and view_no = :view
    and (tie_policy, keep_periods, keep_podium, seasons) is distinct
      from (:tiePolicy, :keepPeriods::int, :keepPodium::int, coalesce(:seasons::jsonb, seasons))
  returning *, epoch::text as epoch`;

const DECLARE_TAGS = 'select declare_tags(?) as wrong';

/** Where the history of a view begins: imported events may have occurred before the board's first one. */
const FIRST_EVENT = 'select e.created_at from earliest_event(?) e(created_at) where e.created_at is not null';

/**
 * Has a board take the tags that its record declares, under the lock of its submissions.
 * @throws DomainError INVALID_VIEW for one whose source was another
 */
export async function declareTags(trx: Knex.Transaction, { id, dimensions }: Board): Promise<void> {
  const { rows } = await runStatement<{ wrong: string | null }>(trx, DECLARE_TAGS, [uuidOf(id)]);
  const name = rows[0]!.wrong;
  if (name === null) return;
  const isPlayers = dimensions.find((one) => one.name === name)!.source === 'player';
  const before = isPlayers ? 'its submissions' : 'players';
  throw invalidView(
    `The name ${name} was used before, for a tag of ${before}. Choose another name for the new tag.`,
  );
}

/** Writes the views of a new board without history: they are live immediately. */
export async function declareViews(
  trx: Knex.Transaction,
  board: Board,
  views: readonly Declaration[],
  now: Date,
): Promise<void> {
  for (const view of views) await addView(trx, board, view, 'live', now, now);
  if (views.length > 0) await noteViews(trx, board, null);
}

/**
 * Changes the views of a board to those that are declared, under the lock of its submissions: the same name and rule
 * stays as it is, new ones are built, missing ones are dropped.
 * @returns true if anything changed
 * @throws DomainError INVALID_VIEW for another rule under a stored name
 */
export async function changeViews(
  trx: Knex.Transaction,
  board: Board,
  views: readonly Declaration[],
  now: Date,
): Promise<boolean> {
  const boardId = uuidOf(board.id);
  const stored = await storedViews(trx, boardId);
  const named = new Map(stored.map((row) => [row.name, row]));
  let changed = false;
  checkSameRules(views, stored);
  const missing = stored.filter(({ name }) => !views.some((view) => view.name === name));
  if (missing.length > 0) {
    await dropViews(trx, board, missing, now);
    changed = true;
  }
  const { rows: first } = await runStatement<{ created_at: Date }>(trx, FIRST_EVENT, [boardId]);
  for (const view of views) {
    const row = named.get(view.name);
    if (row) {
      changed = (await keepView(trx, board, view, row, now)) || changed;
    } else {
      await addView(trx, board, view, first[0] ? 'building' : 'live', first[0]?.created_at ?? now, now);
      changed = true;
    }
  }
  if (changed) await noteViews(trx, board, stored);
  return changed;
}

async function addView(
  trx: Knex.Transaction,
  board: Board,
  { name, rule, by, tiePolicy, keepPeriods, keepPodium, since, mostGroups }: Declaration,
  status: 'building' | 'live',
  from: Date,
  now: Date,
): Promise<void> {
  const interval = rule && 'interval' in rule ? rule.interval : undefined;
  const seasons = rule && 'seasons' in rule ? rule.seasons : undefined;
  const { rows } = await runStatement<ViewRow>(trx, INSERT, {
    board: uuidOf(board.id),
    name,
    period: rule ? ('period' in rule ? rule.period : interval ? 'every' : 'seasons') : null,
    every: interval?.every ?? null,
    epoch: interval?.from ?? null,
    seasons: seasons ? JSON.stringify(seasons) : null,
    by,
    tiePolicy,
    keepPeriods,
    keepPodium,
    mostGroups,
    since,
    status,
    now,
  });
  if (board.boardType === 'ratio') await copyPeriods(trx, uuidOf(board.id), rows[0]!.view_no);
  await writePeriods(trx, rows[0]!, board, now, since && since > from ? since : from);
}

async function keepView(
  trx: Knex.Transaction,
  board: Board,
  { name, rule, tiePolicy, keepPeriods, keepPodium }: Declaration,
  row: ViewRow,
  now: Date,
): Promise<boolean> {
  const seasons = rule && 'seasons' in rule ? rule.seasons : undefined;
  if (seasons) await checkBegun(trx, name, seasons, row, now);
  const { rows } = await runStatement<ViewRow>(trx, KEEP, {
    board: uuidOf(board.id),
    view: row.view_no,
    tiePolicy,
    keepPeriods,
    keepPodium,
    seasons: seasons ? JSON.stringify(seasons) : null,
    now,
  });
  const [changed] = rows;
  if (changed && seasons) {
    await forgetFuturePeriods(trx, row.board_id, [row.view_no], now);
    await writePeriods(trx, changed, board, now);
  }
  return changed !== undefined;
}

/** A season that has begun is ranked already. @throws DomainError INVALID_VIEW */
async function checkBegun(
  trx: Knex.Transaction,
  name: string,
  seasons: readonly Season[],
  row: ViewRow,
  now: Date,
): Promise<void> {
  const begun = new Map(
    (await begunPeriods(trx, row.board_id, row.view_no, now)).map((period) => [period.key, period]),
  );
  for (const season of seasons) {
    const period = begun.get(season.name);
    const [startsAt, endsAt] = [Date.parse(season.startsAt), Date.parse(season.endsAt)];
    if (!period && startsAt <= now.getTime()) {
      throw invalidView(`Season ${season.name} of the view ${name} must start in the future.`);
    }
    if (!period) continue;
    if (period.starts_at.getTime() !== startsAt || period.ends_at.getTime() !== endsAt) {
      throw invalidView(`Season ${season.name} of the view ${name} has started and cannot be changed.`);
    }
  }
  const missing = [...begun.keys()].find((key) => !seasons.some((season) => season.name === key));
  if (missing !== undefined) {
    throw invalidView(`Season ${missing} of the view ${name} has started and cannot be removed.`);
  }
}

/** Writes the periods to come by the board's new calendar; those that have begun stay. */
export async function followCalendar(trx: Knex.Transaction, board: Board, now: Date): Promise<void> {
  const views = (await storedViews(trx, uuidOf(board.id))).filter(
    ({ period }) => period !== null && period !== 'seasons',
  );
  await forgetFuturePeriods(
    trx,
    uuidOf(board.id),
    views.map(({ view_no }) => view_no),
    now,
  );
  for (const view of views) await writePeriods(trx, view, board, now);
}
