import { type Batch, type BoardQueue, LEAST_AHEAD, type Waiting } from './board-queue.js';

/** Maximum of submissions of several boards in one transaction: none of them waits long for the others. */
const MOST_IN_GROUP = 16;
/** Boards of the queue that are considered for a group. */
const CANDIDATES = 64;

/** The batch of one board in a group. */
export interface BoardBatch {
  queue: BoardQueue;
  batch: Batch;
}

/**
 * Takes the next write group from the boards that wait for a writer: the first board, and, if few of its submissions wait,
 * others with few. No player, nonce or idempotency key is in a group twice.
 * @param ready boards that wait for a writer, at least one
 * @param limit submissions of a board that is written alone
 */
export function takeWriteGroup(
  ready: BoardQueue[],
  limit: number,
  mustWriteAlone: (boardId: string) => boolean,
): BoardBatch[] {
  const joins = ({ boardId, waiting, alone }: BoardQueue) =>
    !alone && waiting.length <= LEAST_AHEAD && !mustWriteAlone(boardId);
  const first = ready.shift()!;
  const hasCompany = joins(first);
  const group: BoardBatch[] = [{ queue: first, batch: first.begin(limit, [])! }];
  if (!hasCompany) return group;
  const taken: Waiting[] = [...group[0]!.batch.entries];
  for (let i = 0; i < Math.min(ready.length, CANDIDATES) && taken.length < MOST_IN_GROUP; ) {
    const queue = ready[i]!;
    const batch = joins(queue) ? queue.begin(MOST_IN_GROUP - taken.length, taken) : undefined;
    if (batch) {
      group.push({ queue, batch });
      taken.push(...batch.entries);
      ready.splice(i, 1);
    } else {
      i += 1;
    }
  }
  return group;
}
