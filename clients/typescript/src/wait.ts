import { LeaderboardError } from './errors.js';

/** Milliseconds by a clock that never goes back, where the platform has one. */
export const elapsed = typeof performance === 'undefined' ? Date.now : () => performance.now();

/** Milliseconds to wait after the nth failure in a row: what the service asks for, otherwise half to all of a growing span. */
export function pauseAfter(
  failures: number,
  error: unknown,
  retry: { firstMs: number; mostMs: number },
): number {
  const most = Math.min(retry.mostMs, retry.firstMs * 2 ** Math.min(failures - 1, 30));
  const jittered = most * (0.5 + Math.random() / 2);
  const asked = error instanceof LeaderboardError ? error.retryAfterSeconds : undefined;
  // Everybody was told to wait equally long, so they return one after the other.
  return asked === undefined ? jittered : asked * 1_000 + Math.random() * retry.firstMs;
}

/** A pause that `wake` ends early. */
export class Pause {
  #end: (() => void) | undefined;

  for(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.wake(), ms);
      (timer as { unref?: () => void }).unref?.();
      this.#end = () => {
        clearTimeout(timer);
        this.#end = undefined;
        resolve();
      };
    });
  }

  wake(): void {
    this.#end?.();
  }
}

/** Tries a read again after temporary failures, within `deadlineMs`. */
export async function withRetries<T>(
  read: () => Promise<T>,
  {
    deadlineMs,
    retry,
    signal,
  }: { deadlineMs: number; retry: { firstMs: number; mostMs: number }; signal?: AbortSignal | undefined },
): Promise<T> {
  const end = elapsed() + deadlineMs;
  for (let failures = 1; ; failures += 1) {
    try {
      return await read();
    } catch (error) {
      const pause = pauseAfter(failures, error, retry);
      const isFinal = !(error instanceof LeaderboardError) || !error.isTemporary;
      if (isFinal || elapsed() + pause > end) throw error;
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(resolve, pause);
        const cancel = () => {
          clearTimeout(timer);
          reject(new LeaderboardError('CANCELLED', 'The request was cancelled.'));
        };
        if (signal?.aborted) cancel();
        signal?.addEventListener('abort', cancel, { once: true });
      });
    }
  }
}
