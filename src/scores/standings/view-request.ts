import { DomainError, invalidField } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import type { Board } from '../../boards/board/board.js';
import { isPeriodKey } from '../../boards/views/calendar.js';
import type { Dimension } from '../../boards/views/dimension.js';
import { namedPeriod } from '../../boards/views/named-period.js';
import type { PeriodReads, ViewedPeriod } from '../../boards/views/period-reads.js';
import { tagsOfSources, viewRowsOfBoard } from '../../boards/views/read.js';
import type { ViewPeriodKind, ViewRow } from '../../boards/views/rows.js';
import { calendarOf, invalidView, ruleOf, unknownView } from '../../boards/views/rules.js';
import { isTagValue, TAG_VALUE_SENTENCE, tagValueOf } from '../../boards/views/tag-value.js';
import { cursorFilter } from '../../db/sort.js';
import type { Context } from '../../graphql/context.js';
import { type ChosenRanking, ownRanking } from '../../rankings/address.js';

/** The arguments that choose a ranking of a board; all absent: the board's own. */
export interface ViewArgs {
  view?: string | null;
  period?: string | null;
  where?: Readonly<Record<string, string>> | null;
}

/** Key of the single period of an all-time view. */
export const ALL_TIME = 'all';

/** Builds take minutes on large boards. */
const BUILD_RETRY_SECONDS = 5;

type Cursors = { after?: string | null; before?: string | null };

/**
 * Finds the ranking a request chose.
 * @param cursors a cursor stays in its period when that ends
 * @throws DomainError INVALID_VIEW, VALIDATION_FAILED, UNAVAILABLE while the view is being built
 */
export async function chosenRanking(
  context: Context,
  periods: PeriodReads,
  board: Board,
  { view, period, where }: ViewArgs,
  cursors: Cursors = {},
): Promise<ChosenRanking> {
  if (view == null) {
    if (period != null || where != null) throw invalidView('A period and tags require a view.');
    return ownRanking(board.id);
  }
  const row = await servedView(context, board, view);
  const group = groupOf(row, where ?? {}, await declaredTags(context, board, row));
  return {
    boardId: board.id,
    viewNo: row.view_no,
    group: group.key,
    view,
    where: group.where,
    ...(await chosenPeriod(context, periods, board, row, period ?? undefined, cursors)),
  };
}

/**
 * The period of a view that a request chose.
 * @throws DomainError INVALID_VIEW, VALIDATION_FAILED
 */
export async function chosenPeriod(
  context: Context,
  periods: PeriodReads,
  board: Board,
  row: ViewRow,
  of: string | undefined,
  cursors: Cursors,
): Promise<{ period: number; key: string; span: ViewedPeriod | null }> {
  const chosen = of ?? periodOfCursor(cursors, row.name) ?? 'current';
  if (row.period !== null) {
    const span = await periodOf(context, periods, board, row, chosen);
    return { period: span.number, key: span.key, span };
  }
  if (of !== undefined && of !== ALL_TIME && of !== 'current') {
    throw invalidView(`The view ${row.name} has no periods. Leave the period out.`);
  }
  return { period: 0, key: ALL_TIME, span: null };
}

/** A board's view that can be read. @throws DomainError INVALID_VIEW, UNAVAILABLE while it is being built */
export async function servedView(context: Context, board: Board, name: string): Promise<ViewRow> {
  const rows = (await context.loaders.of(viewRowsOfBoard).load(board.id)) ?? [];
  const row = rows.find((one) => one.name === name);
  if (!row) throw unknownView(name, rows);
  if (row.status !== 'live') {
    throw new DomainError(
      'UNAVAILABLE',
      `The view ${name} is still being built. See \`views\` for its progress.`,
      undefined,
      BUILD_RETRY_SECONDS,
    );
  }
  return row;
}

/** The period that `of` names. @throws DomainError INVALID_VIEW, VALIDATION_FAILED */
async function periodOf(
  context: Context,
  periods: PeriodReads,
  board: Board,
  row: ViewRow,
  of: string,
): Promise<ViewedPeriod> {
  const id = uuidOf(board.id);
  const now = context.clock();
  if (of === 'current' || of === 'previous') {
    const period = (await periods.around(id, row.view_no, now))[of];
    if (!period) throw invalidView(`The view ${row.name} has no ${of} period.`);
    return period;
  }
  if (!isPeriodKey(ruleOf(row)!, calendarOf(row, board).weekStart, of)) {
    throw invalidField(
      ['period'],
      `must be current, previous or a period key like ${exampleOf(row.period!)}`,
      'period',
    );
  }
  const period = await periods.byKey(id, row.view_no, of, now);
  if (!period) throw invalidView(`The view ${row.name} has no period ${of}.`);
  return period;
}

function exampleOf(period: ViewPeriodKind): string {
  if (period === 'every') return '#37';
  return period === 'seasons' ? 'the name of a season' : namedPeriod(period).example;
}

/** The tags a board ranks by, with their declared values; for a ratio board, those of its sources. */
async function declaredTags(
  context: Context,
  board: Board,
  { by_tags }: ViewRow,
): Promise<readonly Pick<Dimension, 'name' | 'values'>[]> {
  if (board.boardType !== 'ratio') return board.dimensions;
  return by_tags.length === 0 ? [] : ((await context.loaders.of(tagsOfSources).load(board.id)) ?? []);
}

/** The key of a view's group. @throws DomainError INVALID_VIEW, VALIDATION_FAILED, UNAVAILABLE */
export async function groupKeyOf(
  context: Context,
  board: Board,
  view: string,
  where: Readonly<Record<string, string>>,
): Promise<string> {
  const row = await servedView(context, board, view);
  return groupOf(row, where, await declaredTags(context, board, row)).key;
}

/** The group that `where` names: one value for each tag of the view. @throws DomainError INVALID_VIEW, VALIDATION_FAILED */
function groupOf(
  row: ViewRow,
  where: Readonly<Record<string, string>>,
  declared: readonly Pick<Dimension, 'name' | 'values'>[],
) {
  const names = Object.keys(where);
  const strange = names.find((name) => !row.by_tags.includes(name));
  if (strange !== undefined) throw invalidView(`The view ${row.name} does not group by ${strange}.`);
  const chosen: Record<string, string> = {};
  for (const tag of row.by_tags) {
    // A game requests the platform by the name its devices use.
    const value = tag === 'platform' ? (tagValueOf(where[tag]) ?? where[tag]) : where[tag];
    if (value === undefined) {
      throw invalidView(
        `The view ${row.name} groups by ${row.by_tags.join(' and ')}: \`where\` must include ${tag}.`,
      );
    }
    if (!isTagValue(value)) throw invalidField(['where', tag], TAG_VALUE_SENTENCE, 'tag');
    const values = declared.find(({ name }) => name === tag)?.values;
    if (values && !values.includes(value)) {
      throw invalidView(`The tag ${tag} has no value ${value}. Valid values: ${values.join(', ')}`);
    }
    chosen[tag] = tag === 'country' ? value.toUpperCase() : value;
  }
  return { key: row.by_tags.map((tag) => chosen[tag]).join(), where: chosen };
}

/** The period of a cursor of this view. */
function periodOfCursor({ after, before }: Cursors, view: string): string | undefined {
  const cursor = after ?? before;
  if (cursor == null || cursorFilter(cursor, 'view') !== view) return undefined;
  const period = cursorFilter(cursor, 'of');
  return typeof period === 'string' ? period : undefined;
}
