import type { BoardViewInput, TiePolicy, ViewPeriod } from '../../generated/graphql.js';
import { fromLocalInput, toLocalInput } from '../../parts/format.js';

/** A view of a board or of a template as the service returns it. */
export interface StoredView {
  name: string;
  period?: ViewPeriod | null;
  every?: { every: number; from: string } | null;
  seasons?: readonly { name: string; startsAt: string; endsAt: string }[] | null;
  by: readonly string[];
  tiePolicy: TiePolicy;
  keepPeriods?: number | null;
  keepPodium: number;
  since?: string | null;
  /** Of boards. */
  status?: 'BUILDING' | 'LIVE';
  progress?: number | null;
}

/** Kind of the periods of a view; ALL: of all time. */
export type ViewKind = ViewPeriod | 'EVERY' | 'SEASONS' | 'ALL';

export interface SeasonDraft {
  key: number;
  name: string;
  starts: string;
  ends: string;
  stored?: { startsAt: string; endsAt: string };
}

/** A view as the form holds it: numbers and moments as texts of their fields. */
export interface ViewDraft {
  key: number;
  name: string;
  kind: ViewKind;
  every: string;
  from: string;
  seasons: readonly SeasonDraft[];
  by: readonly string[];
  tiePolicy: TiePolicy;
  keepPeriods: string;
  keepPodium: string;
  since: string;
  stored?: StoredView;
}

let lastKey = 0;

/** A key of a row that stays when rows before it go. */
export function newKey(): number {
  lastKey += 1;
  return lastKey;
}

/** Views that one click declares. */
const COMMON = {
  daily: { kind: 'DAY', by: [] },
  weekly: { kind: 'WEEK', by: [] },
  monthly: { kind: 'MONTH', by: [] },
  country: { kind: 'ALL', by: ['country'] },
  platform: { kind: 'ALL', by: ['platform'] },
} as const satisfies Record<string, { kind: ViewKind; by: readonly string[] }>;
export type CommonView = keyof typeof COMMON;
export const COMMON_VIEWS = Object.keys(COMMON) as CommonView[];

export function newView(changes: Partial<ViewDraft> = {}): ViewDraft {
  return {
    ...{ key: newKey(), name: '', kind: 'WEEK', every: '14', from: '', seasons: [], by: [] },
    ...{ tiePolicy: 'EARLIEST', keepPeriods: '', keepPodium: '', since: '' },
    ...changes,
  };
}

export function newSeason(): SeasonDraft {
  return { key: newKey(), name: '', starts: '', ends: '' };
}

export function isCommon(view: ViewDraft, common: CommonView): boolean {
  return view.kind === COMMON[common].kind && view.by.join() === COMMON[common].by.join();
}

export function commonView(name: CommonView): ViewDraft {
  return newView({ name, ...COMMON[name] });
}

/** The form's state of a stored view. */
export function viewDraft(stored: StoredView): ViewDraft {
  const { name, period, every, seasons, by, tiePolicy, keepPeriods, keepPodium, since } = stored;
  return {
    ...{ key: newKey(), name, by, tiePolicy, stored },
    kind: period ?? (every ? 'EVERY' : seasons ? 'SEASONS' : 'ALL'),
    every: String(every?.every ?? ''),
    from: every?.from ?? '',
    seasons: (seasons ?? []).map(({ name, startsAt, endsAt }) => ({
      ...{ key: newKey(), name, stored: { startsAt, endsAt } },
      starts: toLocalInput(startsAt),
      ends: toLocalInput(endsAt),
    })),
    keepPeriods: String(keepPeriods ?? ''),
    keepPodium: String(keepPodium),
    since: toLocalInput(since),
  };
}

/** Fields show minutes; a moment that was not changed keeps its seconds. */
function momentOf(text: string, stored: string | null | undefined): string | null {
  return stored && text === toLocalInput(stored) ? stored : fromLocalInput(text);
}

export function viewInput(view: ViewDraft): BoardViewInput {
  const { kind, stored } = view;
  const isPeriod = kind !== 'EVERY' && kind !== 'SEASONS' && kind !== 'ALL';
  return {
    name: view.name.trim(),
    period: isPeriod ? kind : null,
    every: kind === 'EVERY' ? { every: Number(view.every), unit: 'DAY', from: view.from } : null,
    seasons:
      kind === 'SEASONS'
        ? view.seasons.map((season) => ({
            name: season.name.trim(),
            // Empty: the service names the field.
            startsAt: momentOf(season.starts, season.stored?.startsAt) ?? '',
            endsAt: momentOf(season.ends, season.stored?.endsAt) ?? '',
          }))
        : null,
    by: [...view.by],
    tiePolicy: view.tiePolicy,
    keepPeriods: kind !== 'ALL' && view.keepPeriods ? Number(view.keepPeriods) : null,
    keepPodium: view.keepPodium ? Number(view.keepPodium) : undefined,
    since: momentOf(view.since, stored?.since),
  };
}
