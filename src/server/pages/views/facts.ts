import type { PageRanking } from './address.js';

/** A view of a board, as its page needs it. */
export interface PageViewFacts {
  name: string;
  /** Name of GraphQL's enum value. */
  period: string | null;
  every: { every: number } | null;
  seasons: { name: string }[] | null;
  by: string[];
  status: 'BUILDING' | 'LIVE';
}

export interface ViewPeriodFacts {
  key: string;
  startsAt: string;
  endsAt: string;
  state: 'OPEN' | 'CLOSED' | 'DROPPED';
  total: number | null;
  podium: PodiumFacts[];
}

export interface PodiumFacts {
  rank: number;
  identityId: string;
  scoreId: string;
  playerName: string;
  value: number;
  valueDisplay: string | null;
  isDisqualified: boolean;
}

export interface GroupFacts {
  key: string;
  where: Record<string, string>;
  state: 'OPEN' | 'CLOSED' | 'DROPPED';
  total: number;
}

/** The ranking of a view that a page shows. */
export interface ShownView {
  facts: PageViewFacts;
  place: PageRanking;
  /** The periods around the shown one, newest first; none of a view of all time. */
  periods: ViewPeriodFacts[];
  /** The shown period. */
  period: ViewPeriodFacts | undefined;
  previous: ViewPeriodFacts | undefined;
  next: ViewPeriodFacts | undefined;
  /** Of a view by tags: groups of the period. */
  groups: GroupFacts[];
  /** True if there are more groups than listed. */
  hasMoreGroups: boolean;
  /** Of a view by tags: the shown group; undefined: one is to be chosen, or the group has no entries. */
  group: GroupFacts | undefined;
  /** When this was read, in epoch milliseconds. */
  readAt: number;
  /** True if the values of all tags are chosen. */
  isChosen: boolean;
}

/** Operations of views, a part of the pages' document. */
export const VIEW_OPERATIONS = `
  query ViewPeriods($code: String!, $view: String!, $of: String) {
    publicBoard(by: { shortCode: $code }) { view(name: $view) { periods(period: $of, first: 100) {
      nodes { key startsAt endsAt state total: totalCount
        podium { rank identityId scoreId playerName value valueDisplay isDisqualified } }
    } } }
  }
  query ViewGroups($code: String!, $view: String!, $of: String) {
    publicBoard(by: { shortCode: $code }) { view(name: $view) { groups(period: $of, first: 100) {
      nodes { key tags { name value } state total: totalCount } pageInfo { hasNextPage }
    } } }
  }
  query ViewScores($code: String!, $view: String!, $of: String, $where: [TagInput!], $from: Int!, $size: Int!) {
    publicBoard(by: { shortCode: $code }) {
      ranking(view: $view, period: $of, where: $where) {
        leader: entries(first: 1) { nodes { value valueDisplay } }
        scores: entries(startRank: $from, first: $size) { entryCount: totalCount nodes { ...Place updatedAt verifiedAt } }
      }
    }
  }
`;
