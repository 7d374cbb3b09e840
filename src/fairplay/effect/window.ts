import { uuidOf } from '../../base/ids.js';
import type { Measure } from '../../base/value-format.js';
import type { BoardType, SortDirection } from '../../boards/board/board.js';
import type { Queryable } from '../../db/pool.js';
import { LEAD_MILLIS, RECENT_LIMIT } from '../../submissions/facts/recent-submissions.js';
import type { Tier } from '../checks/thresholds.js';

/** Most submissions of a preview. */
export const MOST_SUBMISSIONS = 10_000;
/** Numbers of one read of a board's events; rulings and rejected submissions take numbers, too. */
const PAGE = 1_000;
/** Most reads of events, so that boards full of test runs cannot make a preview long. */
const MOST_PAGES = 200;
/** Boards that were played last; others hold none of the newest submissions, or few. */
const MOST_BOARDS = 1_000;

/** A board whose submissions are checked. Bare uuid. */
export interface PlayedBoard extends Measure {
  id: string;
  board_type: BoardType;
  sort_direction: SortDirection;
  seq: number;
  /** Epoch milliseconds. */
  last_at: number;
}

/** An accepted production submission. Bare uuids. */
export interface Played {
  seq: number;
  id: string;
  identity_id: string;
  /** Epoch milliseconds. */
  at: number;
  /** By which it is judged, epoch milliseconds. */
  judged_at: number;
  amount: number;
  /** True if the run is held: it counts for the player's pace alone. */
  held: boolean;
}

/** SQL: true if the run of an event is held. */
const held = (event: string) =>
  `(${event}.disposition = 'held' and event_effect(${event}.board_id, ${event}.id, ${event}.disposition) = 'hold')`;

const BOARDS = {
  name: 'effect_boards',
  text: `
    select r.board_id as id, r.board_type, r.sort_direction, b.format, b.unit, r.seq, (extract(epoch
      from r.last_event_at) * 1000)::float8 as last_at
    from boards b join board_rankings r on r.board_id = b.id
    where b.game_id = $1::uuid and b.deleted_at is null and r.board_type <> 'ratio' and r.last_event_at is not null
    order by r.last_event_at desc limit $2`,
};

const EVENTS = {
  name: 'effect_events',
  text: `
    select e.seq, e.id, e.identity_id, (extract(epoch from e.created_at) * 1000)::float8 as at,
      (extract(epoch from judged_at(e)) * 1000)::float8 as judged_at, e.amount, ${held('e')} as held
    from score_events e
    where e.board_id = $1::uuid and e.seq > $2 and e.seq <= $3 and not e.is_test and e.disposition <> 'rejected'
    order by e.seq desc`,
};

/** The newest accepted submissions of a game by board, oldest first. */
export async function readWindow(db: Queryable, gameId: string): Promise<Map<PlayedBoard, Played[]>> {
  const { rows: boards } = await db.query<PlayedBoard>({ ...BOARDS, values: [uuidOf(gameId), MOST_BOARDS] });
  let found: { board: PlayedBoard; event: Played }[] = [];
  let pages = 0;
  /** Epoch milliseconds before which no submission is among the newest ones. */
  const since = () => (found.length < MOST_SUBMISSIONS ? -Infinity : found.at(-1)!.event.at - LEAD_MILLIS);
  for (const board of boards) {
    if (board.last_at < since()) break;
    for (let upTo = board.seq; upTo > 0 && pages < MOST_PAGES; upTo -= PAGE) {
      pages += 1;
      const { rows } = await db.query<Played>({ ...EVENTS, values: [board.id, upTo - PAGE, upTo] });
      const oldest = rows.at(-1);
      found.push(...rows.map((event) => ({ board, event })));
      found = found.sort((a, b) => b.event.at - a.event.at).slice(0, MOST_SUBMISSIONS);
      if (oldest && oldest.at < since()) break;
    }
  }
  const byBoard = new Map<PlayedBoard, Played[]>();
  for (const { board, event } of found) {
    const events = byBoard.get(board);
    if (events) events.push(event);
    else byBoard.set(board, [event]);
  }
  for (const events of byBoard.values()) events.sort((a, b) => a.seq - b.seq);
  return byBoard;
}

/** A player on a board, as it was before its first submission of the window. */
export interface PlayerBefore {
  identity_id: string;
  trust_tier: Tier | null;
  /** As they are now, the window included. */
  accepted_count: number;
  best_value: number | null;
  value: number | null;
  /** The newest accepted submissions before the window, newest first: epoch milliseconds and amount in turn. */
  earlier: number[];
}

const PLAYERS = {
  name: 'effect_players',
  text: `
    select p.identity_id, i.trust_tier, coalesce(s.accepted_count, 0) as accepted_count, s.best_value, s.value,
      coalesce(e.earlier, '{}') as earlier
    from unnest($2::uuid[], $3::bigint[]) p(identity_id, first_seq)
    join identities i on i.id = p.identity_id
    left join states s on s.board_id = $1::uuid and not s.is_test and s.identity_id = p.identity_id
    left join lateral (
      select array_agg(pair.number order by x.seq desc, pair.n)::float8[] as earlier
      from (
        select v.seq, judged_at(v) as at, v.amount from score_events v
        where v.board_id = $1::uuid and v.is_test = false and v.identity_id = p.identity_id and v.seq < p.first_seq
          and v.disposition <> 'rejected' and not ${held('v')}
        order by v.seq desc limit $4) x
      cross join lateral (values (1, (extract(epoch from x.at) * 1000)::float8), (2, x.amount)) pair(n, number)) e on true`,
};

/** The players of a board's submissions. */
export async function readPlayers(
  db: Queryable,
  boardId: string,
  events: readonly Played[],
): Promise<PlayerBefore[]> {
  const firsts = new Map<string, number>();
  for (const { identity_id, seq } of events) if (!firsts.has(identity_id)) firsts.set(identity_id, seq);
  const values = [boardId, [...firsts.keys()], [...firsts.values()], RECENT_LIMIT];
  return (await db.query<PlayerBefore>({ ...PLAYERS, values })).rows;
}

const VERDICTS = {
  name: 'effect_verdicts',
  text: `
    select f.event_seq as seq, bool_or(f.status = 'confirmed_cheat') as cheat
    from score_flags f
    where f.board_id = $1::uuid and f.event_seq = any($2::bigint[]) and f.deleted_at is null
      and f.status in ('confirmed_cheat', 'false_positive')
    group by f.event_seq`,
};

/** The decisions about a board's submissions by number: true for cheating, false for a fair run. */
export async function readVerdicts(
  db: Queryable,
  boardId: string,
  events: readonly Played[],
): Promise<Map<number, boolean>> {
  const values = [boardId, events.map(({ seq }) => seq)];
  const { rows } = await db.query<{ seq: number; cheat: boolean }>({ ...VERDICTS, values });
  return new Map(rows.map(({ seq, cheat }) => [seq, cheat]));
}
