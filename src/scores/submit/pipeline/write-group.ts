import { type Lane, LEAST_AHEAD, takeBatch, type Waiting } from './board-queue.js';

/** Submissions of several boards in one transaction at most: none of them waits long for the others. */
const MOST_TOGETHER = 16;
/** Boards of the queue that are looked at for it. */
const LOOKED_AT = 64;

/** A board's next batch. */
export interface Taken {
  boardId: string;
  lane: Lane;
  entries: Waiting[];
}

/**
 * Takes the boards that are to be written next out of the queue: the first one, and where few of its submissions wait, others of which the same holds. No
 * player, nonce or idempotency key is in there twice.
 * @param ready boards that wait for a writer, of which at least one
 * @param most submissions of a board that is written by itself
 * @param isShy whether a board is to be written by itself
 */
export function takeTurn(
  ready: string[],
  lanes: ReadonlyMap<string, Lane>,
  most: number,
  isShy: (boardId: string) => boolean,
): Taken[] {
  const joins = (id: string, { waiting, alone }: Lane) =>
    !alone && waiting.length <= LEAST_AHEAD && !isShy(id);
  const boardId = ready.shift()!;
  const lane = lanes.get(boardId)!;
  const hasCompany = joins(boardId, lane);
  const turn = [take(boardId, lane, most, [])];
  if (!hasCompany) return turn;
  const taken = [...turn[0]!.entries];
  for (let i = 0; i < Math.min(ready.length, LOOKED_AT) && taken.length < MOST_TOGETHER; ) {
    const other = ready[i]!;
    const next = lanes.get(other)!;
    const one = joins(other, next) && take(other, next, MOST_TOGETHER - taken.length, taken);
    if (one && one.entries.length > 0) {
      turn.push(one);
      taken.push(...one.entries);
      ready.splice(i, 1);
    } else {
      i += 1;
    }
  }
  return turn;
}

/** @param before of the same turn */
function take(boardId: string, lane: Lane, most: number, before: readonly Waiting[]): Taken {
  const [entries, later] = takeBatch(lane.waiting, most, before);
  if (entries.length > 0) {
    lane.waiting = later;
    lane.queued = false;
    lane.alone = false;
  }
  return { boardId, lane, entries };
}
