import type { ViewedPeriod } from '../boards/views/period-reads.js';

/** Names a ranking: a board's own, or one of a view. */
export interface RankingAddress {
  /** Prefixed. */
  boardId: string;
  /** 0: the board's own ranking. */
  viewNo: number;
  /** 0: all time. */
  period: number;
  /** Values of the view's tags, joined by commas. */
  group: string;
}

/** The address of a board's own ranking. */
export function ownAddress(boardId: string): RankingAddress {
  return { boardId, viewNo: 0, period: 0, group: '' };
}

export function isOwn({ viewNo }: Pick<RankingAddress, 'viewNo'>): boolean {
  return viewNo === 0;
}

/** A ranking that a request chose. */
export interface ChosenRanking extends RankingAddress {
  /** Null: the board's own. */
  view: string | null;
  /** Key of its period; `all` where the view has none; null for the board's own. */
  key: string | null;
  where: Readonly<Record<string, string>>;
  /** Null: all time. */
  span: ViewedPeriod | null;
}

/** A board's own ranking. */
export function ownRanking(boardId: string): ChosenRanking {
  return { ...ownAddress(boardId), view: null, key: null, where: {}, span: null };
}
