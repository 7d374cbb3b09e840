import type { BoardType } from '../board/enums.js';
import type { TiePolicy } from '../board/tie-policy.js';
import { seasonDates, seasonTexts } from './calendar.js';
import type { Dimension } from './dimension.js';
import { checkedViews, type Declaration, type ViewLimits } from './rules.js';
import type { BoardViewInput, ViewPeriod } from './view.js';

/** A view of a template as its table has it: the input, with moments as text. */
export interface StoredView {
  name: string;
  period: ViewPeriod | null;
  every: { every: number; unit: 'day'; from: string } | null;
  seasons: { name: string; startsAt: string; endsAt: string }[] | null;
  by: string[];
  /** Null: the default. */
  tiePolicy?: TiePolicy | null;
  keepPeriods: number | null;
  keepPodium: number | null;
  since: string | null;
  /** Absent: stored before it was a setting. */
  mostGroups?: number;
}

export function storedView(input: BoardViewInput, { groupsPerView }: ViewLimits): StoredView {
  return {
    name: input.name,
    period: input.period ?? null,
    every: input.every ? { every: input.every.every, unit: 'day', from: input.every.from } : null,
    seasons: input.seasons ? seasonTexts(input.seasons) : null,
    by: input.by ?? [],
    tiePolicy: input.tiePolicy ?? null,
    keepPeriods: input.keepPeriods ?? null,
    keepPodium: input.keepPodium ?? null,
    since: input.since?.toISOString() ?? null,
    mostGroups: groupsPerView,
  };
}

/** The input as it was requested. */
export function inputOf(view: StoredView): BoardViewInput {
  const { seasons, since } = view;
  return {
    ...view,
    // Stored before views had it: the default.
    tiePolicy: view.tiePolicy ?? 'earliest',
    keepPodium: view.keepPodium ?? 3,
    seasons: seasons && seasonDates(seasons),
    since: since === null ? null : new Date(since),
  };
}

interface ViewsOfTemplate {
  views: StoredView[];
  boardType: BoardType;
  dimensions: Dimension[];
}

/** Boards of a template keep the views that it was allowed to have. */
const NO_LIMITS: ViewLimits = {
  viewsPerBoard: Number.POSITIVE_INFINITY,
  viewsPerRunsBoard: Number.POSITIVE_INFINITY,
  groupsPerView: 10_000,
  tagsPerView: Number.POSITIVE_INFINITY,
};

/** The views that the boards of a template have. @throws DomainError VALIDATION_FAILED, INVALID_VIEW */
export function declarationsOf(template: ViewsOfTemplate, limits = NO_LIMITS): Declaration[] {
  const { views, boardType, dimensions } = template;
  return checkedViews(views.map(inputOf), boardType, dimensions, limits).map((view, n) => ({
    ...view,
    mostGroups: views[n]!.mostGroups ?? view.mostGroups,
  }));
}
