import { createClient } from 'graphql-ws';
import type { ShownScore } from '../../src/server/pages/ranking.js';

/** The newest state of a board. */
export interface BoardState {
  version: number;
  entryCount: number;
  scores: { nodes: ShownScore[] };
}

export interface FeedReader {
  state(state: BoardState): void;
  /** True while states arrive. */
  connected(connected: boolean): void;
  /** The board is no longer to be seen. */
  gone(): void;
}

const WATCH = `subscription Watch($board: ID!, $first: Int!) {
  boardChanged(boardId: $board, first: $first) {
    version entryCount scores { nodes { id rank playerName value valueDisplay } }
  }
}`;

const LONGEST_WAIT_MS = 30_000;

/** As long as it is wanted, the states of a board as they come. @returns what ends it */
export function followBoard(up: string, board: string, first: number, reader: FeedReader): () => void {
  const url = new URL(`${up}graphql`, location.href);
  url.protocol = url.protocol.replace('http', 'ws');
  let ended = false;
  const client = createClient({
    url: url.href,
    retryAttempts: Number.POSITIVE_INFINITY,
    // Spread, so that a service that was restarted is not met by everybody at once.
    retryWait: (tries) =>
      new Promise((done) =>
        setTimeout(done, (0.5 + Math.random()) * Math.min(LONGEST_WAIT_MS, 500 * 2 ** tries)),
      ),
    shouldRetry: () => true,
    on: { closed: () => !ended && reader.connected(false) },
  });
  const stop = client.subscribe<{ boardChanged: BoardState }>(
    { query: WATCH, variables: { board, first } },
    {
      next: ({ data }) => {
        if (ended) return;
        if (!data) return reader.gone();
        reader.connected(true);
        reader.state(data.boardChanged);
      },
      error: () => !ended && reader.gone(),
      complete: () => undefined,
    },
  );
  return () => {
    ended = true;
    stop();
    void client.dispose();
  };
}
