import type { Queryable } from '../../../db/pool.js';
import type { ScoreConnection, ScorePage } from '../../schema/connection.js';
import { type Round, Source, type States } from '../source.js';
import { BoardChange } from './changes.js';
import { type WatchedWindow, watchedWindow } from './watched-window.js';

/** Properties of a page, computed when they are requested: compiled operations call no functions. */
function connectionOf({ edges, nodes, pageInfo, entryCount }: ScorePage): ScoreConnection {
  return {
    nodes,
    edges: edges.map(({ node, rank, cursor }) => ({
      node,
      rank,
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
      get endCursor() {
        return pageInfo.endCursor();
      },
    },
    entryCount: entryCount as number,
  };
}

/** A window of a board: a new state with every version. */
export class WindowSource extends Source {
  #told: number | undefined;

  constructor(
    private readonly pool: Queryable,
    private readonly boardId: string,
    private readonly window: WatchedWindow,
  ) {
    super();
  }

  async states(round: Round): Promise<States | undefined> {
    const { version, entryCount, page } = await watchedWindow(this.pool, this.boardId, this.window);
    const changed = version !== this.#told;
    if (!changed && !this.due) return undefined;
    this.#told = version;
    // Read after the window: a change that is newer than the window's version is sent again with the next window.
    const { id, isActive, endsAt } = await round.board();
    const scores = connectionOf(page);
    const seen = { id, version, entryCount, isActive, endsAt, scores, window: page.nodes };
    const root = Object.assign(new BoardChange(), seen);
    return [{ item: '', version, root, first: root, changed }];
  }
}
