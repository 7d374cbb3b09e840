import type { Knex } from 'knex';
import { NIL_UUID } from '../../base/ids.js';
import type { BoardType, SortDirection } from '../../boards/board/board.js';
import { servedHere } from '../../db/moved.js';
import { type Queryable, runStatement } from '../../db/pool.js';
import { drainJobs, forgottenBefore, type Job, type JobCall } from '../../jobs/job.js';
import { readStatistics } from '../checks/board-spreads.js';
import { robustZ } from '../checks/statistics.js';
import { type Noticed, raiseAlert } from './save.js';

/** So many robust deviations of an hour ago a median moves before it is an alert, and so many entries there are then. */
const JUMP = 2;
const LEAST_ENTRIES = 30;
const HOUR_MS = 3_600_000;

/** Boards and games that one statement looks at. */
const AT_ONCE = 500;

interface ActiveBoard {
  id: string;
  account_id: string;
  game_id: string;
  board_type: BoardType;
  sort_direction: SortDirection;
  generation: number;
  /** The median of an hour ago at most; null: it is not known. */
  read_at: Date | null;
  entries: number;
  median: number;
  scale: number;
  logarithmic: boolean;
}

/**
 * Boards with checks and events of the last hour, with their former median where it is of the same rules and nothing
 * was imported since.
 */
const ACTIVE = (served: string) => `
  select d.id, d.account_id, d.game_id, r.board_type, r.sort_direction, r.generation,
    m.read_at, m.entries::int as entries, m.median, m.scale, m.logarithmic
  from board_rankings r
  join boards d on d.id = r.board_id and d.deleted_at is null and d.rehearsal_of_id is null
  join games g on g.id = d.game_id and g.deleted_at is null and g.anti_cheat_enabled
  left join board_medians m on m.board_id = r.board_id and m.generation = r.generation
    and m.read_at > cast(:now as timestamptz) - interval '2 hours'
    and not exists (select from score_imports i where i.board_id = m.board_id and i.updated_at >= m.read_at)
  where r.board_id > cast(:after as uuid) and r.last_event_at > cast(:now as timestamptz) - interval '1 hour' ${served}
  order by r.board_id limit ${AT_ONCE}`;

const KEEP_MEDIAN = `
  insert into board_medians (board_id, generation, read_at, entries, median, scale, logarithmic)
  values (:id, :generation, :now, :entries, :median, :scale, :logarithmic)
  on conflict (board_id) do update set generation = excluded.generation, read_at = excluded.read_at, entries = excluded.entries,
    median = excluded.median, scale = excluded.scale, logarithmic = excluded.logarithmic`;

async function noticeJump(db: Knex, pool: Queryable, board: ActiveBoard, now: Date): Promise<boolean> {
  const spread = (await readStatistics(pool, board.id, false, 0))?.spread;
  if (!spread || spread.entries < LEAST_ENTRIES) return false;
  const { id, generation, read_at: readAt, account_id: account, game_id: game } = board;
  const isKnown = readAt !== null && board.scale > 0;
  const deviations = isKnown ? robustZ(spread.median, board, board.sort_direction) : 0;
  // Sums grow by themselves; what makes their median worse is new players with little.
  const isJump = deviations < -JUMP || (deviations > JUMP && board.board_type !== 'counter');
  const { entries, median, scale, logarithmic } = spread;
  const metadata = {
    median,
    previous_median: board.median,
    deviations,
    entries,
    previous_entries: board.entries,
  };
  const jump = { account, game, board: id, kind: 'median_jump' as const, metadata };
  // Before the former median is forgotten: a run that ends in between finds the jump again, and the alert that is there.
  const isRaised = isJump && (await raiseAlert(db, jump, now));
  if (isJump || readAt === null || readAt.getTime() <= now.getTime() - HOUR_MS) {
    await runStatement(db, KEEP_MEDIAN, { id, generation, now, entries, median, scale, logarithmic });
  }
  return isRaised;
}

/** What fails about one board or game is left for the next run and does not delay the others. */
async function apart({ log }: JobCall, of: string, notice: () => Promise<boolean>): Promise<boolean> {
  try {
    return await notice();
  } catch (error) {
    log.warn({ err: error, of }, 'failed to look for what is unusual; it will be retried');
    return false;
  }
}

async function noticeJumps(call: JobCall, pool: Queryable): Promise<number> {
  const { db, now, signal } = call;
  let [after, done] = [NIL_UUID, 0];
  while (!signal.aborted) {
    const active = ACTIVE(servedHere(db, 'account', 'd.account_id'));
    const { rows } = await runStatement<ActiveBoard>(db, active, { now, after });
    for (const board of rows) {
      if (signal.aborted) return done;
      if (await apart(call, board.id, () => noticeJump(db, pool, board, now))) done += 1;
    }
    if (rows.length < AT_ONCE) return done;
    after = rows.at(-1)!.id;
  }
  return done;
}

/** New devices of an hour from which they are a burst, if they are also so many times the usual number. */
const LEAST_PLAYERS = 50;
const TIMES_USUAL = 10;
/** More are counted as this many. */
const MOST_COUNTED = 2_000;
const WEEK_HOURS = 168;

interface GrownGame {
  id: string;
  account_id: string;
  created_at: Date;
  /** Players with a device, new within the hour. */
  fresh: number;
  /** Those of the week before; beyond the number from which the burst is usual, no more are counted. */
  former: number | null;
}

// A game that is younger than a day has no usual number yet.
const GROWN = (served: string) => `
  select g.id, g.account_id, g.created_at, n.fresh, f.former
  from (select x.id, x.account_id, x.created_at from games x where x.id > cast(:after as uuid) and x.deleted_at is null
    and x.created_at < cast(:now as timestamptz) - interval '1 day' ${served} order by x.id limit ${AT_ONCE}) g
  cross join lateral (select count(*)::int as fresh from (select from identities i
    where i.game_id = g.id and i.deleted_at is null and i.kind = 'device' and i.created_at > cast(:now as timestamptz) - interval '1 hour'
    limit ${MOST_COUNTED}) c) n
  left join lateral (select count(*)::int as former from (select from identities i
    where i.game_id = g.id and i.deleted_at is null and i.kind = 'device' and i.created_at <= cast(:now as timestamptz) - interval '1 hour'
      and i.created_at > cast(:now as timestamptz) - interval '${WEEK_HOURS + 1} hours'
    limit n.fresh * ${WEEK_HOURS} / ${TIMES_USUAL} + 1) c) f on n.fresh >= ${LEAST_PLAYERS}
  order by g.id`;

/** @returns undefined: the number of new players is usual */
function burstOf(
  { id, account_id: account, created_at: createdAt, fresh, former }: GrownGame,
  now: Date,
): Noticed | undefined {
  if (former === null) return undefined;
  const hours = Math.min(WEEK_HOURS, (now.getTime() - createdAt.getTime()) / HOUR_MS - 1);
  const usual = former / hours;
  if (fresh < TIMES_USUAL * usual) return undefined;
  return { account, game: id, board: null, kind: 'new_players', metadata: { players: fresh, usual } };
}

async function noticeBursts(call: JobCall): Promise<number> {
  const { db, now, signal } = call;
  let [after, done] = [NIL_UUID, 0];
  while (!signal.aborted) {
    const grown = GROWN(servedHere(db, 'account', 'x.account_id'));
    const { rows } = await runStatement<GrownGame>(db, grown, { now, after });
    for (const game of rows) {
      const burst = burstOf(game, now);
      if (burst && (await apart(call, game.id, () => raiseAlert(db, burst, now)))) done += 1;
    }
    if (rows.length < AT_ONCE) return done;
    after = rows.at(-1)!.id;
  }
  return done;
}

const KEPT_DAYS = 90;
const FORGET = `delete from alerts where id in (select id from alerts where created_at < ? order by created_at limit ${AT_ONCE})`;

/** Raises alerts about what no single flag shows. @param pool reads samples of boards */
export function noticeJob(pool: Queryable): Job {
  return {
    name: 'notice-unusual',
    description:
      'Alerts moderators when the median of a board jumps, or when a game gets far more new players than ' +
      'usual, and deletes alerts after 90 days.',
    everyMinutes: 10,
    run: async (call) => {
      const jumps = await noticeJumps(call, pool);
      const bursts = await noticeBursts(call);
      await drainJobs(call, FORGET, forgottenBefore(call, KEPT_DAYS), AT_ONCE);
      return { done: jumps + bursts };
    },
  };
}
