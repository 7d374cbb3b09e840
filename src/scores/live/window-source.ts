import type { Queryable } from '../../db/pool.js';
import type { ScoreConnection, ScorePage } from '../connection.js';
import { withoutOrigin } from '../visibility.js';
import { BoardChange } from './changes.js';
import { type Round, Source, type States } from './source.js';
import { type WatchedWindow, watchedWindow } from './watched-window.js';

/** Facts about a page as properties, computed when they are asked for: compiled operations call nothing. */
function connectionOf({ edges, nodes, pageInfo, entryCount }: ScorePage): ScoreConnection {
  const { hasNextPage, hasPreviousPage, startCursor, endCursor } = pageInfo;
  const fact = <T>(value: T | (() => T)): T => (typeof value === 'function' ? (value as () => T)() : value);
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
      hasNextPage: fact(hasNextPage) as boolean,
      hasPreviousPage: fact(hasPreviousPage) as boolean,
      get startCursor() {
        return fact(startCursor);
      },
      get endCursor() {
        return fact(endCursor);
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

  async states({ board }: Round): Promise<States | undefined> {
    const { version, entryCount, page } = await watchedWindow(this.pool, this.boardId, this.window);
    const changed = version !== this.#told;
    if (!changed && !this.due) return undefined;
    this.#told = version;
    const { id, isActive, endsAt } = board;
    return (rights) => {
      const nodes = rights === 'admin' ? page.nodes : page.nodes.map(withoutOrigin);
      const edges = page.edges.map((edge, i) => ({ ...edge, node: nodes[i]! }));
      const scores = connectionOf({ ...page, nodes, edges });
      const seen = { id, version, entryCount, isActive, endsAt, scores, window: nodes };
      const root = Object.assign(new BoardChange(), seen);
      return [{ item: '', version, root, first: root, changed }];
    };
  }
}
