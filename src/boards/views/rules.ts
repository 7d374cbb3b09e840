import { isDeepStrictEqual } from 'node:util';
import { DomainError, invalidField } from '../../base/errors.js';
import { newColumns } from '../../graphql/records/record.js';
import type { BoardType } from '../board/enums.js';
import { storedTies, type TiePolicy } from '../board/tie-policy.js';
import {
  type Calendar,
  type DatedSeason,
  type PeriodRule,
  type Season,
  seasonDates,
  seasonTexts,
} from './calendar.js';
import { type Dimension, SESSION_TAGS } from './dimension.js';
import { namedPeriod } from './named-period.js';
import type { ViewRow } from './rows.js';
import { type BoardViewInput, viewFields } from './view.js';
import { DAY } from './zone.js';

/** Limits of the installation (config/table.ts). */
export interface ViewLimits {
  viewsPerBoard: number;
  viewsPerRunsBoard: number;
  groupsPerView: number;
  tagsPerView: number;
}

/** A view as it was requested, checked and with its defaults. */
export interface Declaration {
  name: string;
  /** Undefined: of all time. */
  rule: PeriodRule | undefined;
  by: string[];
  tiePolicy: TiePolicy;
  keepPeriods: number | null;
  keepPodium: number;
  since: Date | null;
  mostGroups: number;
}

const MOST_DAYS = 366;
const KEPT_GROUPS = 8;

export function invalidView(sentence: string): DomainError {
  return new DomainError('INVALID_VIEW', sentence);
}

export function unknownView(name: string, views: readonly { name: string }[]): DomainError {
  const names = views.map((view) => view.name).join(', ') || 'none';
  return invalidView(`The board has no view ${name}. Its views: ${names}`);
}

/**
 * Checks the views of a board or template by themselves.
 * @throws DomainError VALIDATION_FAILED; INVALID_VIEW where they do not fit the board
 */
export function checkedViews(
  inputs: readonly BoardViewInput[],
  boardType: BoardType,
  dimensions: readonly Dimension[],
  limits: ViewLimits,
): Declaration[] {
  const declared = inputs.map((input, index) => declaration(input, index, limits));
  const names = declared.map(({ name }) => name);
  const twice = names.findIndex((name, index) => names.indexOf(name) < index);
  if (twice >= 0) throw invalidField(['views', twice, 'name'], 'must be unique on the board');
  checkFit(declared, boardType, dimensions, limits);
  return declared;
}

/** Checks that views fit the rules and tags of their board. @throws DomainError INVALID_VIEW */
export function checkFit(
  views: readonly { name: string; by: string[] }[],
  boardType: BoardType,
  dimensions: readonly Dimension[],
  limits: ViewLimits,
): void {
  if (views.length === 0) return;
  const most = boardType === 'run_runs' ? limits.viewsPerRunsBoard : limits.viewsPerBoard;
  if (views.length > most) {
    const all = boardType === 'run_runs' ? ' that ranks every run' : '';
    throw invalidView(`A board${all} can have at most ${most} views.`);
  }
  // Tags of a ratio board are those of its sources, which have the same views (checkRatioViews).
  if (boardType === 'ratio') return;
  const declared = [...SESSION_TAGS, ...dimensions.map(({ name }) => name)];
  for (const { name, by } of views) {
    const unknown = by.find((tag) => !declared.includes(tag));
    if (unknown !== undefined) {
      throw invalidView(
        `The view ${name} groups by ${unknown}, which is not country, platform or one of the board's dimensions.`,
      );
    }
  }
}

function declaration(input: BoardViewInput, index: number, limits: ViewLimits): Declaration {
  const at = (...loc: (string | number)[]) => ['views', index, ...loc];
  const view = newColumns(viewFields, input);
  const { period, every, seasons, by } = view;
  const kinds = [period, every, seasons].filter((kind) => kind != null);
  if (kinds.length > 1) {
    throw invalidField(at('period'), 'must not be combined with another of period, every and seasons');
  }
  if (new Set(by).size < by.length) throw invalidField(at('by'), 'must not name a tag twice');
  if (by.length > limits.tagsPerView) {
    throw invalidField(at('by'), `must have at most ${limits.tagsPerView} tags`, 'items');
  }
  const rule = period
    ? { period }
    : every
      ? { interval: { every: every.every, from: every.from } }
      : seasons
        ? { seasons: checkedSeasons(seasons, at) }
        : undefined;
  if (!rule && by.length === 0) {
    throw invalidField(at('period'), 'is required, or one of every, seasons and by', 'missing');
  }
  if (!rule && view.keepPeriods !== null) {
    throw invalidField(at('keepPeriods'), 'is only allowed on views with periods');
  }
  const isDaily = period === 'day' || every?.every === 1;
  if (isDaily && (view.keepPeriods ?? 0) > MOST_DAYS) {
    throw invalidField(at('keepPeriods'), `must be at most ${MOST_DAYS} days`, 'range');
  }
  return {
    name: view.name,
    ...{ rule, by, tiePolicy: view.tiePolicy, since: view.since },
    keepPeriods: view.keepPeriods ?? defaultKept(rule, by),
    keepPodium: view.keepPodium,
    mostGroups: limits.groupsPerView,
  };
}

function checkedSeasons(
  seasons: readonly DatedSeason[],
  at: (...loc: (string | number)[]) => (string | number)[],
): Season[] {
  for (const [i, { name, startsAt, endsAt }] of seasons.entries()) {
    if (endsAt <= startsAt)
      throw invalidField(at('seasons', i, 'endsAt'), 'must be after its start', 'range');
    if (seasons.findIndex((other) => other.name === name) < i) {
      throw invalidField(at('seasons', i, 'name'), 'must be unique in the view');
    }
  }
  const ascending = seasons
    .map((season, i) => ({ ...season, i }))
    .sort((a, b) => a.startsAt.getTime() - b.startsAt.getTime());
  for (const [place, { i, startsAt }] of ascending.entries()) {
    if (place > 0 && startsAt < ascending[place - 1]!.endsAt) {
      throw invalidField(at('seasons', i, 'startsAt'), 'must not overlap another season', 'range');
    }
  }
  return seasonTexts(ascending);
}

function defaultKept(rule: PeriodRule | undefined, by: string[]): number | null {
  if (!rule) return null;
  if (by.length > 0) return KEPT_GROUPS;
  return 'period' in rule ? namedPeriod(rule.period).kept : null;
}

/** A view as closing rules, tickets and the default view name it. */
export interface NamedView {
  name: string;
  hasPeriods: boolean;
}

export function namedViewsOf(views: readonly Declaration[]): NamedView[] {
  return views.map(({ name, rule }) => ({ name, hasPeriods: rule !== undefined }));
}

/** The rule of a stored view. */
export function ruleOf(
  row: Pick<ViewRow, 'period' | 'every_days' | 'epoch' | 'seasons'>,
): PeriodRule | undefined {
  if (row.period === null) return undefined;
  if (row.period === 'seasons') return { seasons: row.seasons ?? [] };
  if (row.period === 'every') return { interval: { every: row.every_days!, from: row.epoch! } };
  return { period: row.period };
}

/** A stored view as it was declared. */
export function declaredBy(row: ViewRow): Declaration {
  return {
    name: row.name,
    rule: ruleOf(row),
    by: row.by_tags,
    tiePolicy: row.tie_policy,
    keepPeriods: row.keep_periods,
    keepPodium: row.keep_podium,
    since: row.since,
    mostGroups: row.most_groups,
  };
}

/** The calendar of a view's periods to come. */
export function calendarOf(
  view: Pick<ViewRow, 'time_zone' | 'week_start' | 'day_start'>,
  board: { timeZone: string; weekStart: string; dayStart: string },
): Calendar {
  return {
    timeZone: view.time_zone ?? board.timeZone,
    weekStart: (view.week_start ?? board.weekStart) as Calendar['weekStart'],
    dayStart: view.day_start ?? board.dayStart,
  };
}

/** Views in the form of their inputs. */
export function givenBy({
  rule,
  mostGroups,
  ...view
}: Omit<Declaration, 'mostGroups'> & { mostGroups?: number }): BoardViewInput {
  return {
    ...view,
    ...(rule && 'period' in rule && { period: rule.period }),
    ...(rule && 'interval' in rule && { every: { ...rule.interval, unit: 'day' } }),
    ...(rule && 'seasons' in rule && { seasons: seasonDates(rule.seasons) }),
  };
}

/** True if a declaration is of the same rule as a stored view; names of seasons and their bounds may differ. */
function isSameRule(declared: Declaration, row: ViewRow): boolean {
  const plain = (rule: PeriodRule | undefined) => (rule && 'seasons' in rule ? 'seasons' : rule);
  return (
    isDeepStrictEqual(plain(declared.rule), plain(ruleOf(row))) &&
    isDeepStrictEqual(declared.by, row.by_tags) &&
    storedTies(declared.tiePolicy) === storedTies(row.tie_policy) &&
    (declared.since?.getTime() ?? null) === (row.since?.getTime() ?? null)
  );
}

/** A stored view stays what it is. @throws DomainError INVALID_VIEW for another rule under its name */
export function checkSameRules(views: readonly Declaration[], stored: readonly ViewRow[]): void {
  const named = new Map(stored.map((row) => [row.name, row]));
  for (const view of views) {
    const row = named.get(view.name);
    if (!row || isSameRule(view, row)) continue;
    throw invalidView(
      `A view's rule cannot be changed. Drop the view ${view.name} first, or choose another name for the new one.`,
    );
  }
}

/** Boards of a template last for one window: a period is shorter. @throws DomainError INVALID_VIEW */
export function checkWindow(views: readonly Declaration[], windowMillis: number): void {
  for (const { name, rule } of views) {
    if (!rule || 'seasons' in rule) continue;
    const days = 'interval' in rule ? rule.interval.every : namedPeriod(rule.period).days;
    if (days * DAY < windowMillis) continue;
    throw invalidView(
      `The periods of the view ${name} are at least as long as a board of this template. Remove the view, or ` +
        `declare it on a board without a template.`,
    );
  }
}

/** @throws DomainError VALIDATION_FAILED if a page is to show a view first that the board does not have */
export function checkDefaultView(
  { defaultView: name }: { defaultView: string | null },
  views: readonly { name: string }[],
): void {
  if (name !== null && !views.some((view) => view.name === name))
    throw invalidField(['defaultView'], `must be a view of the board, which ${name} is not`);
}
