import type { Changes } from '../db/changes.js';

/** The least time between two messages of one subscriber: a busy board is told in ticks, a quiet one at once. */
export const TICK_MILLIS = 100;

interface Versioned {
  version: number;
}

/**
 * The states of a board for one subscriber: the present one at once, then the newest one after changes. A state whose
 * version was sent before is not sent again. A slow reader gets fewer, newer states.
 * @param read reads the present state; what it throws ends the feed with that error
 */
export function boardFeed<T extends Versioned>(
  changes: Changes,
  boardId: string,
  read: () => Promise<T>,
): AsyncIterableIterator<T> {
  const marks = changes.watch(boardId);
  let first = true;
  let sent: number | undefined;
  let sentAt = 0;
  let ended = false;
  let wakeUp: (() => void) | undefined;

  const pause = (millis: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, millis);
      wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const end = async (): Promise<IteratorResult<T>> => {
    ended = true;
    wakeUp?.();
    await marks.return?.();
    return { value: undefined, done: true };
  };
  const next = async (): Promise<IteratorResult<T>> => {
    for (;;) {
      if (!first && (await marks.next()).done) break;
      const early = first ? 0 : sentAt + TICK_MILLIS - Date.now();
      if (early > 0) await pause(early);
      if (ended) break;
      first = false;
      const state = await read();
      if (ended) break;
      if (state.version === sent) continue;
      sent = state.version;
      sentAt = Date.now();
      return { value: state, done: false };
    }
    return { value: undefined, done: true };
  };
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: async () => {
      try {
        return await next();
      } catch (error) {
        await end();
        throw error;
      }
    },
    return: end,
    throw: async (error) => {
      await end();
      throw error;
    },
  };
}
