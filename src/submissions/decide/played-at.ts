import type { RecentSubmissions } from '../facts/recent-submissions.js';
import type { Submission } from '../facts/submission.js';

/** Milliseconds. Tabs of one game read their clocks so closely that two runs swap their order by less than this. */
const SAME_MOMENT = 1_000;

/**
 * The time by which the checks judge a run, epoch milliseconds: when its client says it was played, if that run could have been
 * submitted then, which is after the start of its session and board and not before the player's newest run. So a queue
 * with invented times passes no check that the same runs, submitted at those times, would not have passed.
 * @param at when it is accepted, which it is judged by otherwise
 */
export function playedAt(
  board: { anti_cheat_enabled: boolean; starts_at: Date | null },
  { session_started, recent }: { session_started: number | null; recent: RecentSubmissions },
  { sessionMs }: Pick<Submission, 'sessionMs'>,
  at: number,
): number {
  // Without checks the newest run is not read.
  if (sessionMs === undefined || session_started === null || !board.anti_cheat_enabled) return at;
  const said = session_started + sessionMs;
  const known = recent.asOf(at);
  const newest = known.size > 0 ? known.timeAt(known.size - 1) : -Infinity;
  const isPossible =
    said <= at && said >= newest - SAME_MOMENT && said >= (board.starts_at?.getTime() ?? -Infinity);
  return isPossible ? Math.max(said, newest) : at;
}
