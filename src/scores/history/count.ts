import { servedHere } from '../../db/moved.js';
import { runStatement } from '../../db/pool.js';
import type { Job, JobCall } from '../../jobs/job.js';

/** Events of one transaction. */
const EVENTS_AT_ONCE = 5_000;
const BOARDS_AT_ONCE = 500;
const DAY_MS = 24 * 3_600_000;
const ROWS_AT_ONCE = 5_000;
/** Days that hours are kept; days and months are kept as long as their game. */
const DAYS_OF_HOURS = 400;

const behind = (served: string) => `
  select r.board_id from board_rankings r join boards b on b.id = r.board_id left join counted_boards c on c.board_id = r.board_id
  where r.seq > coalesce(c.seq, 0) and r.board_id > ? ${served} order by r.board_id limit ${BOARDS_AT_ONCE}`;

const COUNT = 'select count_history(?, ?) as taken';

/** One portion of each board that has uncounted events, so that a long past delays no other board. */
async function countRound({ db, signal }: JobCall): Promise<{ taken: number; boards: number }> {
  const statement = behind(servedHere(db, 'account', 'b.account_id'));
  const total = { taken: 0, boards: 0 };
  for (let after = '00000000-0000-0000-0000-000000000000'; !signal.aborted; ) {
    const { rows } = await runStatement<{ board_id: string }>(db, statement, [after]);
    for (const { board_id } of rows) {
      if (signal.aborted) break;
      const counted = await runStatement<{ taken: number | null }>(db, COUNT, [board_id, EVENTS_AT_ONCE]);
      // Null: another process counts this game.
      const taken = Number(counted.rows[0]!.taken ?? 0);
      if (taken === 0) continue;
      total.taken += taken;
      total.boards += 1;
    }
    if (rows.length < BOARDS_AT_ONCE) break;
    after = rows.at(-1)!.board_id;
  }
  return total;
}

/** Counts what was submitted since the last run; after an upgrade, everything from before, too. */
export const countHistoryJob: Job = {
  name: 'count-history',
  description: 'Counts submissions, flags and players by hour, day and month.',
  everyMinutes: 1,
  run: async (call) => {
    let done = 0;
    for (let more = true; more && !call.signal.aborted; ) {
      const { taken, boards } = await countRound(call);
      done += taken;
      more = boards > 0;
    }
    return { done };
  },
};

const forgottenGames = (served: string) => `
  select distinct a.game_id from active_players a join games g on g.id = a.game_id where a.month < ?::date ${served}`;
const FORGET = 'select forget_active(?, ?::date) as forgot';
const DELETE_HOURS = (
  served: string,
) => `delete from history where (game_id, board_id, is_test, span, at) in (
  select h.game_id, h.board_id, h.is_test, h.span, h.at from history h join games g on g.id = h.game_id
  where h.span = 'hour' and h.at < ? ${served} limit ${ROWS_AT_ONCE} for update of h skip locked)`;

/** What only the count of the present months needs, and hours of long ago. */
export const tidyHistoryJob: Job = {
  name: 'tidy-history',
  description: 'Deletes hourly figures after 400 days, and which players were active before last month.',
  everyMinutes: 60,
  run: async ({ db, now, signal }) => {
    const served = servedHere(db, 'account', 'g.account_id');
    // The year and month before, with the day 1.
    const before = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1)).toISOString();
    let done = 0;
    const { rows } = await runStatement<{ game_id: string }>(db, forgottenGames(served), [before]);
    for (const { game_id } of rows) {
      for (let more = true; more && !signal.aborted; ) {
        const forgot = await runStatement<{ forgot: boolean }>(db, FORGET, [game_id, before]);
        more = forgot.rows[0]!.forgot;
        if (more) done += 1;
      }
    }
    const old = new Date(now.getTime() - DAYS_OF_HOURS * DAY_MS);
    for (let full = true; full && !signal.aborted; ) {
      const { rowCount } = await runStatement(db, DELETE_HOURS(served), [old]);
      done += rowCount ?? 0;
      full = rowCount === ROWS_AT_ONCE;
    }
    return { done };
  },
};
