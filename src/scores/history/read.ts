import { NIL_UUID, uuidOf } from '../../base/ids.js';
import type { Queryable } from '../../db/pool.js';
import type { History, HistoryPoint, HistorySpan } from './history.js';

/** Most spans of one history: the hours of a month. */
export const MOST_SPANS = 744;

const HOUR_MS = 3_600_000;

/** Starts of the newest spans, oldest first, the current one included. @param now epoch milliseconds */
export function spanStarts(span: HistorySpan, count: number, now: number): Date[] {
  const present = new Date(now);
  const [year, month, day] = [present.getUTCFullYear(), present.getUTCMonth(), present.getUTCDate()];
  const start = (back: number) => {
    if (span === 'hour') return Math.floor(now / HOUR_MS) * HOUR_MS - back * HOUR_MS;
    return span === 'day' ? Date.UTC(year, month, day - back) : Date.UTC(year, month - back, 1);
  };
  return Array.from({ length: count }, (_, index) => new Date(start(count - 1 - index)));
}

/** What a history is of. Prefixed ids. */
export type HistoryOf = { boardId: string; gameId: string } | { gameId: string } | { accountId: string };

const GAMES = 'select x.id from games x where x.account_id = $1::uuid';

const sums = (name: string, games: string) => ({
  name: `history_${name}`,
  text: `
    select s.at, coalesce(h.submissions, 0)::float8 as submissions, coalesce(h.flags, 0)::float8 as flags,
      coalesce(h.new_players, 0)::float8 as "newPlayers", coalesce(h.active_players, 0)::float8 as "activePlayers",
      not exists (select from counted_boards c where c.filling and c.game_id = any(array(${games}))
        and ($2::uuid = '${NIL_UUID}' or c.board_id = $2)) as "isComplete"
    from unnest($5::timestamptz[]) s(at)
    left join (
      select h.at, sum(h.submissions) as submissions, sum(h.flags) as flags, sum(h.new_players) as new_players,
        sum(h.active_players) as active_players
      from history h where h.game_id = any(array(${games})) and h.board_id = $2 and h.is_test = $3 and h.span = $4
        and h.at >= ($5::timestamptz[])[1]
      group by h.at) h on h.at = s.at
    order by s.at`,
});

const OF_GAME = sums('game', 'select $1::uuid');
// Players belong to one game: sums over games count nobody twice.
const OF_ACCOUNT = sums('account', GAMES);

/** @param starts of the spans, oldest first */
export async function readSpans(
  pool: Queryable,
  of: HistoryOf,
  { span, isTest, starts }: { span: HistorySpan; isTest: boolean; starts: Date[] },
): Promise<History> {
  const [statement, id] = 'accountId' in of ? [OF_ACCOUNT, of.accountId] : [OF_GAME, of.gameId];
  const board = 'boardId' in of ? uuidOf(of.boardId) : NIL_UUID;
  const { rows } = await pool.query<HistoryPoint & { isComplete: boolean }>({
    ...statement,
    values: [uuidOf(id), board, isTest, span, starts.map((at) => at.toISOString())],
  });
  return { points: rows, isComplete: rows.every(({ isComplete }) => isComplete) };
}
