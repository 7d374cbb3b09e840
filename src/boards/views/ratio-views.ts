import { isDeepStrictEqual } from 'node:util';
import type { Knex } from 'knex';
import { uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import { saveRecord } from '../../db/save.js';
import { Board } from '../board/board.js';
import type { ViewRow } from './rows.js';
import { dropViews, noteViews, storedViews } from './rows.js';
import { invalidView } from './rules.js';

type Role = 'numerator' | 'denominator';

/** A view of a ratio board and the one of the same name of one of its sources. */
interface Pair {
  role: Role;
  view_no: number;
  view: Rule;
  /** Null: the source has none. */
  source: Rule | null;
  /** The key of a period whose number or bounds differ between the two. */
  differs: string | null;
}

type Rule = Pick<
  ViewRow,
  'name' | 'period' | 'every_days' | 'epoch' | 'by_tags' | 'since' | 'seasons' | 'status'
> & {
  calendar: string[];
};

const rule = (
  view: string,
  board: string,
) => `json_build_object('name', ${view}.name, 'period', ${view}.period,
    'every_days', ${view}.every_days, 'epoch', ${view}.epoch, 'by_tags', ${view}.by_tags, 'since', ${view}.since,
    'seasons', ${view}.seasons,
    'status', ${view}.status, 'calendar', array[coalesce(${view}.time_zone, ${board}.time_zone),
      coalesce(${view}.week_start, ${board}.week_start), coalesce(${view}.day_start, ${board}.day_start)])`;

const PAIRS = `
  select s.role, v.view_no, ${rule('v', 'o')} as view, case when w.name is not null then ${rule('w', 'b')} end as source,
    (select p.key from view_periods p join view_periods q on q.board_id = w.board_id and q.view_no = w.view_no
      and (q.number = p.number or q.key = p.key)
      where p.board_id = v.board_id and p.view_no = v.view_no
        and (q.number, q.key, q.starts_at, q.ends_at) is distinct from (p.number, p.key, p.starts_at, p.ends_at)
      order by p.number limit 1) as differs
  from board_views v
  join boards o on o.id = v.board_id
  join ratio_configs c on c.board_id = v.board_id
  cross join lateral (values ('numerator', c.numerator_board_id), ('denominator', c.denominator_board_id)) s(role, id)
  join boards b on b.id = s.id
  left join board_views w on w.board_id = s.id and w.name = v.name and w.status <> 'dropping'
  where v.board_id = ? and v.status <> 'dropping'
  order by v.view_no, s.role desc`;

/** A change of a source's views or calendar holds the row of its board for update (lockRecord). */
const HOLD_SOURCES = `
  select from boards b where b.id in (
    select u.id from ratio_configs c, unnest(array[c.numerator_board_id, c.denominator_board_id]) u(id) where c.board_id = ?)
  order by b.id for share`;

const COPY_PERIODS = `
  insert into view_periods (board_id, view_no, number, key, starts_at, ends_at)
  select v.board_id, v.view_no, p.number, p.key, p.starts_at, p.ends_at
  from board_views v
  join ratio_configs c on c.board_id = v.board_id
  join board_views w on w.board_id in (c.numerator_board_id, c.denominator_board_id) and w.name = v.name and w.status <> 'dropping'
  join view_periods p on p.board_id = w.board_id and p.view_no = w.view_no
  where v.board_id = ? and v.view_no = ?
  order by w.board_id <> c.numerator_board_id, p.number
  on conflict do nothing`;

/** True of the ratio boards of a source. */
const DIVIDES =
  'id in (select c.board_id from ratio_configs c where ? in (c.numerator_board_id, c.denominator_board_id))';

/** The periods that the sources of a ratio board have are those of its view, by their numbers. */
export async function copyPeriods(trx: Knex.Transaction, boardId: string, viewNo: number): Promise<void> {
  await runStatement(trx, COPY_PERIODS, [boardId, viewNo]);
}

/** Keeps the sources of a ratio board as they are until the transaction ends. Before anything of its views is written. */
export async function holdSources(trx: Knex.Transaction, board: Board): Promise<void> {
  await runStatement(trx, HOLD_SOURCES, [uuidOf(board.id)]);
}

/**
 * Checks that each view of a ratio board is one of both sources, with the same rule, calendar and periods.
 * @throws DomainError INVALID_VIEW
 */
export async function checkRatioViews(trx: Knex.Transaction, board: Board): Promise<void> {
  const [misfit] = await misfits(trx, uuidOf(board.id));
  if (misfit) throw invalidView(misfit.sentence);
}

/**
 * Applies a change of a source's views or calendar to the ratio boards of it, which lose the views that it has dropped.
 * @returns the ids of those that lost one
 * @throws DomainError INVALID_VIEW where one cannot keep another view, or still names a dropped one; deleted ratio boards keep no
 * source from changing
 */
export async function settleDerivedViews(trx: Knex.Transaction, board: Board, now: Date): Promise<string[]> {
  const dependents = await Board.query(trx)
    .whereRaw(DIVIDES, [uuidOf(board.id)])
    .orderBy('id')
    .forUpdate();
  const changed = [];
  for (const ratio of dependents) {
    const faults = await misfits(trx, uuidOf(ratio.id));
    if (faults.length === 0) continue;
    if (ratio.deletedAt) await forgetViews(trx, ratio, faults, now);
    else checkSpared(ratio, faults);
    const before = await storedViews(trx, uuidOf(ratio.id));
    await dropViews(trx, ratio, faults, now);
    await noteViews(trx, ratio, before);
    changed.push(ratio.id);
  }
  return changed;
}

/** @throws DomainError INVALID_VIEW for a view that the ratio board cannot keep as it is, or names elsewhere */
function checkSpared({ name, defaultView, closingRules }: Board, faults: readonly Misfit[]): void {
  const kept = faults.find(({ isGone }) => !isGone);
  if (kept) throw invalidView(`${kept.sentence}. Drop the view on the board ${name} first.`);
  const named = new Set([defaultView, ...closingRules.map(({ view }) => view)]);
  const needed = faults.find(({ view }) => named.has(view));
  if (needed)
    throw invalidView(
      `The board ${name} divides by this one and names the view ${needed.view}, as its default or in a closing rule. Change that first.`,
    );
}

/** A deleted board names no dropped view when it is restored. */
async function forgetViews(
  trx: Knex.Transaction,
  ratio: Board,
  gone: readonly Misfit[],
  now: Date,
): Promise<void> {
  const isGone = (name: string | null) => gone.some(({ view }) => view === name);
  const closingRules = ratio.closingRules.filter(({ view }) => !isGone(view));
  const defaultView = isGone(ratio.defaultView) ? null : ratio.defaultView;
  await saveRecord(trx, ratio, { closingRules, defaultView }, now);
}

interface Misfit {
  view: string;
  view_no: number;
  /** True: the source has no such view. */
  isGone: boolean;
  sentence: string;
}

async function misfits(trx: Knex.Transaction, boardId: string): Promise<Misfit[]> {
  const { rows } = await runStatement<Pair>(trx, PAIRS, [boardId]);
  return rows.flatMap((pair) => {
    const fault = faultOf(pair);
    return fault === undefined
      ? []
      : [
          {
            view: pair.view.name,
            view_no: pair.view_no,
            isGone: pair.source === null,
            sentence: `The view ${pair.view.name} of a ratio board ${fault}`,
          },
        ];
  });
}

function faultOf({ role, view, source, differs }: Pair): string | undefined {
  if (!source) return `needs a view with the same name on its ${role} board`;
  const ofRule = ({ period, every_days, epoch, by_tags, since }: Rule) => [
    period,
    every_days,
    epoch,
    by_tags,
    since,
  ];
  if (!isDeepStrictEqual(ofRule(view), ofRule(source)))
    return `must have the same rule as the view on its ${role} board`;
  if (!isDeepStrictEqual(view.seasons, source.seasons)) {
    const strange = view.seasons?.find(
      (season) => !source.seasons?.some((one) => isDeepStrictEqual(one, season)),
    );
    if (strange) return `has a season ${strange.name} that differs from the one on its ${role} board`;
  }
  if (
    view.period !== null &&
    view.period !== 'seasons' &&
    !isDeepStrictEqual(view.calendar, source.calendar)
  ) {
    return `must have the same time_zone, week_start and day_start as its ${role} board`;
  }
  if (differs !== null) {
    return `has a period ${differs} that starts or ends at another time on its ${role} board, because a calendar was changed`;
  }
  if (view.status === 'live' && source.status === 'building') {
    return `cannot be added until the view on its ${role} board is built`;
  }
  return undefined;
}
