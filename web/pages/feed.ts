import { createClient } from 'graphql-ws';
import type { ShownScore } from '../../src/server/pages/ranking.js';

/** The newest state of a board. */
export interface BoardState {
  version: number;
  entries: { totalCount: number; nodes: ShownScore[] };
}

export interface FeedReader {
  state(state: BoardState): void;
  /** The board is no longer to be seen. */
  gone(): void;
}

const WATCH = `subscription Watch($board: ID!, $first: Int!, $around: AroundInput) {
  boardChanged(boardId: $board, first: $first, around: $around) {
    version entries { totalCount nodes { id: scoreId identityId rank displayRank playerName value valueDisplay } }
  }
}`;

/** For boards that show the day of each score. */
const WATCH_DATED = WATCH.replace('valueDisplay }', 'valueDisplay updatedAt }');

const LONGEST_WAIT_MS = 30_000;

/** One connection that states of boards arrive on. */
export interface Feed {
  /**
   * Reads the states of a board as they arrive, until the feed ends.
   * @param more `around`: a player around whom the window stays, else it begins at the top; `dated`: with the moments of the scores
   */
  follow(
    board: string,
    first: number,
    reader: FeedReader,
    more?: { around?: string | undefined; dated?: boolean },
  ): void;
  end(): void;
}

/** @param connected called with true at each state, with false when the connection is lost */
export function openFeed(up: string, connected: (connected: boolean) => void): Feed {
  const url = new URL(`${up}graphql`, location.href);
  url.protocol = url.protocol.replace('http', 'ws');
  let ended = false;
  const client = createClient({
    url: url.href,
    retryAttempts: Number.POSITIVE_INFINITY,
    // Spread, so that not all visitors reconnect to a restarted service at the same moment.
    retryWait: (tries) =>
      new Promise((done) =>
        setTimeout(done, (0.5 + Math.random()) * Math.min(LONGEST_WAIT_MS, 500 * 2 ** tries)),
      ),
    shouldRetry: () => true,
    on: { closed: () => !ended && connected(false) },
  });
  return {
    follow(board, first, reader, { around, dated } = {}) {
      client.subscribe<{ boardChanged: BoardState }>(
        {
          query: dated ? WATCH_DATED : WATCH,
          variables: { board, first, around: around && { identityId: around } },
        },
        {
          next: ({ data }) => {
            if (ended) return;
            if (!data) return reader.gone();
            connected(true);
            reader.state(data.boardChanged);
          },
          error: () => !ended && reader.gone(),
          complete: () => undefined,
        },
      );
    },
    end() {
      ended = true;
      void client.dispose();
    },
  };
}
