import type { SimulatedBoard, SimulatedGame } from './device.js';

/** A board that is over is looked for again at most so often. */
const LOOK_MS = 1_000;

const SUCCESSOR = `query Successor($gameSlug: String!, $slug: String!) {
  publicBoard(by: { slug: { game: $gameSlug, board: $slug } }) { boardId }
}`;

/** Looks for the successors of boards that are over, as a visitor. */
export class SuccessorSearch {
  readonly #looked = new Map<SimulatedBoard, number>();

  constructor(private readonly url: string) {}

  /** If the service cannot be reached, the next submission tries again. */
  readonly renew = async ({ slug: gameSlug }: SimulatedGame, board: SimulatedBoard): Promise<void> => {
    const now = performance.now();
    if (now - (this.#looked.get(board) ?? -Infinity) < LOOK_MS) return;
    this.#looked.set(board, now);
    const variables = { gameSlug, slug: board.slug };
    const response = await fetch(`${this.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: SUCCESSOR, variables }),
    }).catch(() => undefined);
    const answer = (await response?.json().catch(() => undefined)) as SuccessorAnswer | undefined;
    board.id = answer?.data?.publicBoard?.boardId ?? board.id;
  };
}

interface SuccessorAnswer {
  data?: { publicBoard?: { boardId: string } | null } | null;
}
