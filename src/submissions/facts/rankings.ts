import type { TiePolicy } from '../../boards/board/tie-policy.js';
import type { ViewPeriodKind } from '../../boards/views/rows.js';
import type { EntryBefore, KeepRules } from '../../rankings/kept-entry.js';

/** A ranking of a view, existing or not. */
export interface RankingKey {
  view: number;
  /** 0: all time. */
  period: number;
  /** Values of the view's tags, joined by commas; empty: none. */
  group: string;
  /** True: the one that the running build makes, not the one that is served. */
  built?: boolean | undefined;
}

/** A ranking that submissions are ranked in. */
export interface Ranking {
  /** Negative, public and stable. */
  no: number;
  /** The generation of its entries. */
  generation: number;
}

/** A ranking started by a batch. */
export interface BegunRanking extends RankingKey {
  no: number;
  /** Undefined: the view is not being built. */
  next: number | undefined;
}

/**
 * `none`: not started; `full`: can't start, because the view has too many groups in the period; `shut`: dropped.
 */
type RankingState = Ranking | 'none' | 'full' | 'shut';

/** A period of a view; epoch milliseconds. */
export interface PeriodFacts {
  /** 0: all time. */
  number: number;
  startsAt: number;
  endsAt: number;
  /** As in the API: `2026-W48`, `all`. */
  key: string;
}

/** A view of a board that submissions are ranked in, with its periods from the current one on. */
export interface ViewFacts {
  no: number;
  name: string;
  /**
   * The rules of a view being built, which responses have no standings in. Null: it is served, by the board's
   * rules.
   */
  rules: KeepRules | null;
  /** `country`, `platform`, dimensions of the board. */
  by: string[];
  ties: TiePolicy;
  periods: PeriodFacts[];
}

/** The views of a board as a batch reads them. */
export interface BoardViews {
  /** True if a built or served view is by platform, so the platform is stored with events. */
  platform: boolean;
  list: ViewFacts[];
  /** From this instant on, more periods must be read; epoch milliseconds. */
  until: number;
  /** Rankings that were looked up or started, by {@link rankingId}. */
  rankings: Map<string, RankingState>;
}

/** The player's entries by generation of the ranking; null: none there. */
export type ViewEntries = ReadonlyMap<number, EntryBefore | null>;

/** As `view_facts` returns it (migrations/functions/7_views.sql). */
export interface ViewsJson {
  platform: boolean;
  list: {
    no: number;
    name: string;
    rules: KeepRules | null;
    by: string[];
    kind: ViewPeriodKind | null;
    ties: TiePolicy;
    periods: [
      number: number,
      startsAt: number | null,
      endsAt: number | null,
      key: string,
      no: number | null,
      generation: number | null,
      status: string | null,
    ][];
  }[];
}

/** How many periods of a view are read at a time. */
const PERIODS_READ = 4;

/** The periods written in advance end before the time of a batch, of which nothing was written. */
export class PeriodsDue extends Error {
  /** Treated as an aborted transaction: the batch is retried once they are written. */
  readonly code = '40VP1';

  /** @param boardId bare uuid */
  constructor(readonly boardId: string) {
    super('The present period of a view has not been written yet');
  }
}

/** Groups that start must first include the runs left out earlier; nothing was written. */
export class GroupsDue extends Error {
  /** Treated as an aborted transaction: the batch is retried once they have started. */
  readonly code = '40VP2';

  /** @param boardId bare uuid */
  constructor(
    readonly boardId: string,
    readonly groups: readonly RankingKey[],
  ) {
    super('Groups have to take in earlier runs');
  }
}

/** Identifies a ranking of a board. */
export function rankingId({ view, period, group, built }: RankingKey): string {
  return `${built ? '+' : ''}${view} ${period} ${group}`;
}

/** What a batch that starts a ranking knows about it. */
export function* statesOf(begun: BegunRanking): Iterable<[id: string, state: Ranking]> {
  const { no, next } = begun;
  yield [rankingId({ ...begun, built: false }), { no, generation: no }];
  if (next !== undefined) yield [rankingId({ ...begun, built: true }), { no, generation: next }];
}

export function viewsOf({ platform, list }: ViewsJson): BoardViews {
  const rankings = new Map<string, RankingState>();
  let until = Number.POSITIVE_INFINITY;
  const views = list.map(({ no, name, rules, by, kind, ties, periods }) => {
    for (const [period, , , , ranking, generation, status] of periods) {
      if (by.length > 0) break;
      const state = ranking === null || generation === null ? 'none' : stateOf(status, ranking, generation);
      rankings.set(rankingId({ view: no, period, group: '', built: rules !== null }), state);
    }
    // There is none after the last season; other periods never end.
    if (kind !== null && !(kind === 'seasons' && periods.length < PERIODS_READ)) {
      until = Math.min(until, periods.at(-1)?.[2] ?? Number.NEGATIVE_INFINITY);
    }
    return { no, name, rules, by, ties, periods: periods.map(periodOf) };
  });
  return { platform, list: views, until, rankings };
}

function periodOf([
  number,
  startsAt,
  endsAt,
  key,
]: ViewsJson['list'][number]['periods'][number]): PeriodFacts {
  return {
    number,
    startsAt: startsAt ?? Number.NEGATIVE_INFINITY,
    endsAt: endsAt ?? Number.POSITIVE_INFINITY,
    key,
  };
}

/** @param status of the ranking's row */
export function stateOf(status: string | null, no: number, generation: number): RankingState {
  return status === 'dropped' ? 'shut' : { no, generation };
}
