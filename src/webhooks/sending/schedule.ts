const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** After the n-th attempt; together three days. */
const PAUSES_MS = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  ...[1, 2, 4, 8, 12, 20].map((hours) => hours * HOUR_MS),
];
const LAST_PAUSE_MS = DAY_MS;
/** Time from the first attempt after which a delivery fails for good. */
const GIVE_UP_MS = 3 * DAY_MS;
/** As much longer or shorter, so that deliveries that failed together are not tried together again. */
const JITTER = 0.2;
/** Asked for with a date; a number of seconds gets an hour at most. */
const LONGEST_RETRY_AFTER_MS = DAY_MS;
/** An endpoint without a success for so long is disabled. */
export const DISABLE_MS = 5 * DAY_MS;

/** An answer that takes longer, or doesn't come, is slow. */
export const SLOW_MS = 3 * SECOND_MS;

/** Attempts in a row that fail until the endpoint gets single attempts with pauses. */
export const BREAKS_AT = 5;
const FIRST_BREAK_MS = 10 * SECOND_MS;
const LONGEST_BREAK_MS = 15 * MINUTE_MS;

interface Tried {
  /** Including the one that failed now. */
  attempts: number;
  firstAttemptAt: number;
  /** What the endpoint asked for. */
  retryAfterMs: number | null;
}

/** When a delivery is tried again; undefined: never. @param random from 0 to 1 */
export function nextAttempt(
  now: number,
  { attempts, firstAttemptAt, retryAfterMs }: Tried,
  random: number,
): number | undefined {
  const pause = PAUSES_MS[attempts - 1] ?? LAST_PAUSE_MS;
  const mixed = pause * (1 - JITTER + 2 * JITTER * random);
  const next = now + Math.max(mixed, Math.min(retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS));
  // The last attempt may be early, never late: what was due before the end is still made.
  return now - firstAttemptAt >= GIVE_UP_MS ? undefined : Math.round(next);
}

/** Until when an endpoint gets no attempt after this many failures in a row; undefined: no pause. */
export function breakAfter(now: number, failures: number, retryAfterMs: number | null): number | undefined {
  const asked = retryAfterMs === null ? undefined : now + Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS);
  if (failures < BREAKS_AT) return asked;
  const pause = Math.min(FIRST_BREAK_MS * 2 ** Math.min(failures - BREAKS_AT, 20), LONGEST_BREAK_MS);
  return Math.max(now + pause, asked ?? 0);
}
