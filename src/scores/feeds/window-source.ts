import { PublicField } from '../../boards/board/board.js';
import type { FollowedRanking } from '../../live/followed-ranking.js';
import type { RankingMarks } from '../../live/ranking-marks.js';
import { type Round, Source, type States } from '../../live/source.js';
import type { ChosenRanking } from '../../rankings/address.js';
import { placeIn } from '../../rankings/own-score.js';
import { type RankWindow, windowAfter, windowAround } from '../../rankings/window.js';
import type { ScoreReads } from '../loaders.js';
import { boardOrder, filtersOf, pageOf } from '../read/pages.js';
import { type EntryConnection, EntryPage } from '../schema/connection.js';
import { Ranking } from '../standings/ranking.js';
import { pageWithTexts } from '../value-text.js';
import { shownIn } from '../visibility.js';
import { BoardChange } from './changes.js';

/** Properties of a page, computed when they are requested: compiled operations call no functions. */
function windowConnection(page: EntryPage): EntryConnection {
  const { edges, pageInfo } = page;
  return {
    nodes: page.nodes,
    rows: page.rows,
    scores: page.scores,
    edges: edges.map(({ node, amongRank, cursor }) => ({
      node,
      amongRank,
      get cursor() {
        return cursor();
      },
    })),
    pageInfo: {
      hasNextPage: pageInfo.hasNextPage() as boolean,
      hasPreviousPage: pageInfo.hasPreviousPage() as boolean,
      get startCursor() {
        return pageInfo.startCursor();
      },
      get backCursor() {
        return pageInfo.backCursor();
      },
      get endCursor() {
        return pageInfo.endCursor();
      },
    },
    totalCount: page.totalCount as number,
    hypothetical: null,
  };
}

/** A window of a ranking: a new state with every version of the board that changes it, of its own ranking with every version. */
export class WindowSource extends Source {
  #sentVersion: number | undefined;
  #sentKey: string | null | undefined;

  constructor(
    private readonly reads: Pick<ScoreReads, 'pool' | 'windows'>,
    followed: FollowedRanking,
    private readonly window: WatchedWindow,
  ) {
    super(followed, window.isTest);
  }

  override isTouched(marks: RankingMarks): boolean {
    const version = this.#sentVersion;
    return version === undefined || this.followed.isTouched(marks, version);
  }

  async states(round: Round): Promise<States | undefined> {
    const ranking = await this.followed.now();
    const { version, entryCount, page } = await watchedWindow(this.reads, ranking, this.window);
    const changed = version !== this.#sentVersion || ranking.key !== this.#sentKey;
    if (!changed && !this.due) return undefined;
    this.#sentVersion = version;
    this.#sentKey = ranking.key;
    // Read after the window: a change that is newer than the window's version is sent again with the next window.
    const board = await round.board();
    const isHidden = this.window.rights === 'visitor' && !board.publicFields.includes(PublicField.METADATA);
    const seenPage = isHidden
      ? page.showing(page.nodes.map((score) => shownIn('withoutMetadata', score)))
      : page;
    const on = new Ranking(board, ranking, this.window.isTest, entryCount);
    const { id: boardId, isActive, endsAt } = board;
    const entries = windowConnection(new EntryPage(pageWithTexts(board, seenPage), on));
    const seen = { boardId, version, isActive, endsAt, ranking: on, entries };
    const root = Object.assign(new BoardChange(), seen);
    return [{ item: '', version, root, first: root, changed }];
  }
}

/** A watched window. */
export interface WatchedWindow {
  isTest: boolean;
  /** Scores, 1 to 100. */
  first: number;
  /**
   * Id of a score or an identity: the window is around it as long as it is ranked there; otherwise from the top.
   */
  around: string | undefined;
  /** Rights of the listeners, which decide how much of the scores they see. */
  rights: 'admin' | 'client' | 'visitor';
}

/** Returns the current window, with version and count of the same instant. */
export async function watchedWindow(
  reads: Pick<ScoreReads, 'pool' | 'windows'>,
  ranking: ChosenRanking,
  watched: WatchedWindow,
) {
  const window = await readWatchedWindow(reads, ranking, watched);
  const { version, entryCount, sortDirection } = window;
  const filters = filtersOf({ id: ranking.boardId, sortDirection, ranking }, watched.isTest);
  return { version, entryCount, ...pageOf(window, boardOrder(false), filters) };
}

/**
 * The place and the window around it are read one after the other. An entry that moved in between is looked up again;
 * otherwise the window around its old place would be sent as the newest state.
 */
async function readWatchedWindow(
  { pool, windows }: Pick<ScoreReads, 'pool' | 'windows'>,
  ranking: ChosenRanking,
  { isTest, first, around, rights }: WatchedWindow,
): Promise<RankWindow> {
  const detail = rights === 'admin' ? 'all' : 'withoutOrigin';
  const place = () => (around === undefined ? undefined : placeIn(pool, ranking, isTest, around));
  let key = await place();
  for (;;) {
    const window = await (key
      ? windowAround(windows, ranking, isTest, key, first, detail)
      : windowAfter(windows, ranking, isTest, undefined, first, detail));
    if (key && window.keys.some(({ seq }) => seq === key?.seq)) return window;
    const now = await place();
    if (!key && !now) return window;
    key = now;
  }
}
