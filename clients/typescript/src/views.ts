import type { Leaderboard, Page, ReadOptions } from './client.js';
import { LeaderboardError } from './errors.js';
import type { components, operations } from './generated/rest.js';
import { type Camel, camel } from './names.js';

type Schemas = components['schemas'];
type Answer<Name extends keyof operations> = operations[Name] extends {
  responses: { 200: { content: { 'application/json': infer Body } } };
}
  ? Body
  : never;

/** A player's place in a ranking. `scoreId` is its score in the board's own ranking. */
export type Standing = Camel<Schemas['Standing']>;
export type View = Camel<Schemas['View']>;
export type Period = Camel<Answer<'listBoardPeriodsForClient'>['data'][number]>;
export type Group = Camel<Answer<'listBoardGroupsForClient'>['data'][number]>;

/** A ranking of a board's view. */
export interface Ranking {
  view: string;
  /** Key of a period, like `2026-W48`, or `current` (default) or `previous`. */
  of?: string;
  /** Of a view by tags: the value of each, like `{ country: 'DE' }`. */
  where?: Record<string, string>;
}

type RankingOptions = Ranking & ReadOptions;

/** The places around a player in a ranking; `mine` is among them. */
export interface StandingsAround extends Page<Standing> {
  /** Null: the player has no place there, and the page is empty. */
  mine: Standing | null;
}

interface List<T> {
  data: T[];
  pagination: Schemas['Pagination'];
}

type Query = Record<string, string | number | boolean | undefined>;

/** Rankings of the views of a board, as the client's player reads them. */
export function viewsOf(leaderboard: Leaderboard, boardId: string): BoardViews {
  return new BoardViews(leaderboard, boardId);
}

export class BoardViews {
  readonly #board: string;

  constructor(
    private readonly leaderboard: Leaderboard,
    private readonly boardId: string,
  ) {
    this.#board = `/v1/client/boards/${encodeURIComponent(boardId)}`;
  }

  /** The views, and the progress of those that are being built. */
  async list({ signal }: { signal?: AbortSignal } = {}): Promise<View[]> {
    const { views } = await this.leaderboard.read<{ views: Schemas['View'][] }>(
      `${this.#board}/views`,
      {},
      signal,
    );
    return views.map(camel);
  }

  /** A ranking from the top, read page by page on demand. */
  scores({ limit, signal, ...ranking }: RankingOptions): AsyncGenerator<Page<Standing>> {
    return this.#pages<Schemas['Standing']>('/v1/client/scores', { ...this.#query(ranking), limit }, signal);
  }

  /** The player's place; null: it has none. */
  async ownScore({ signal, ...ranking }: Ranking & { signal?: AbortSignal }): Promise<Standing | null> {
    const query = { ...this.#query(ranking), board_id: undefined, identity_id: 'me' };
    try {
      return camel(
        await this.leaderboard.read<Schemas['Standing']>(`${this.#board}/standing`, query, signal),
      );
    } catch (error) {
      if (error instanceof LeaderboardError && error.code === 'NOT_FOUND') return null;
      throw error;
    }
  }

  /** The places around the player. */
  async around({ limit, signal, ...ranking }: RankingOptions): Promise<StandingsAround> {
    const mine = await this.ownScore({ ...ranking, ...(signal && { signal }) });
    if (!mine) return { mine, items: [], hasNext: false, hasPrevious: false };
    const query = { ...this.#query(ranking), around_score_id: mine.scoreId, limit };
    const page = pageOf(
      await this.leaderboard.read<List<Schemas['Standing']>>('/v1/client/scores', query, signal),
    );
    return { ...page, mine: page.items.find(({ scoreId }) => scoreId === mine.scoreId) ?? mine };
  }

  /** The player's places in the present rankings of all views; of a view by tags in the group of its newest run. */
  async standings({ signal }: { signal?: AbortSignal } = {}): Promise<Standing[]> {
    const { standings } = await this.leaderboard.read<{ standings: Schemas['Standing'][] }>(
      `${this.#board}/standings`,
      { identity_id: 'me' },
      signal,
    );
    return standings.map(camel);
  }

  /** Periods of a view that have begun, the newest first. */
  periods(view: string, { limit, signal }: ReadOptions = {}): AsyncGenerator<Page<Period>> {
    const path = `${this.#board}/views/${encodeURIComponent(view)}/periods`;
    return this.#pages<Answer<'listBoardPeriodsForClient'>['data'][number]>(path, { limit }, signal);
  }

  /** Groups of a view by tags that have entries, in one of its periods. */
  groups(
    view: string,
    { of, limit, signal }: ReadOptions & { of?: string } = {},
  ): AsyncGenerator<Page<Group>> {
    const path = `${this.#board}/views/${encodeURIComponent(view)}/groups`;
    return this.#pages<Answer<'listBoardGroupsForClient'>['data'][number]>(path, { of, limit }, signal);
  }

  #query({ view, of, where }: Ranking): Query {
    const tags = where && Object.entries(where).map((pair) => pair.join(':'));
    return { board_id: this.boardId, view, of, where: tags?.join() };
  }

  async *#pages<T extends object>(
    path: string,
    query: Query,
    signal?: AbortSignal,
  ): AsyncGenerator<Page<Camel<T>>> {
    let cursor: string | null = null;
    do {
      const more: Query = cursor === null ? query : { ...query, cursor };
      const list: List<T> = await this.leaderboard.read<List<T>>(path, more, signal);
      yield pageOf(list);
      cursor = list.pagination.next_cursor;
    } while (cursor !== null);
  }
}

function pageOf<T extends object>({ data, pagination }: List<T>): Page<Camel<T>> {
  return { items: data.map(camel), hasNext: pagination.has_next, hasPrevious: pagination.has_prev };
}
