import type { Queryable } from '../../../db/pool.js';
import type { ScoreConnection, ScorePage } from '../../schema/connection.js';
import { type Round, Source, type States } from '../source.js';
import { BoardChange } from './changes.js';
import { type WatchedWindow, watchedWindow } from './watched-window.js';

/** Facts about a page as properties, computed when they are asked for: compiled operations call nothing. */
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
    // Not before the window: what is newer than its version is told again with the next one.
    const { id, isActive, endsAt } = await round.board();
    const scores = connectionOf(page);
    const seen = { id, version, entryCount, isActive, endsAt, scores, window: page.nodes };
    const root = Object.assign(new BoardChange(), seen);
    return [{ item: '', version, root, first: root, changed }];
  }
}
