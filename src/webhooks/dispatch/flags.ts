import type { Knex } from 'knex';
import { idOf, NIL_UUID, uuidFrom } from '../../base/ids.js';
import { servedHere } from '../../db/moved.js';
import { runStatement } from '../../db/pool.js';
import { type FoundEvent, storeEvents } from './new-events.js';
import { boardOf, playerOf, readBoards } from './standings.js';

const FLAGS_AT_ONCE = 500;
const DAY_MS = 24 * 3_600_000;

interface NewFlag {
  written_in: string;
  id: string;
  account_id: string;
  game_id: string;
  board_id: string;
  event_id: string;
  identity_id: string;
  device_id: string | null;
  is_test: boolean;
  flag_type: string;
  confidence: string;
  status: string;
  created_at: Date;
  value: number;
  player_name: string;
  held_rank: number | null;
  held_until: Date | null;
}

// As the feed of flags: up to the oldest open transaction, in the order in which they were written. What is older than the log
// was reported before, perhaps in another database. A position ahead of all transactions is of a former database, whose data was
// loaded into this one: all flags are looked at again, and those that were reported are known by the ids of their events.
const newFlags = (served: string) => `
  select f.added_in::text as written_in, f.id, f.account_id, f.game_id, f.board_id, f.event_id, f.identity_id, f.device_id, f.is_test,
    f.flag_type, f.confidence, f.status, f.created_at, v.amount as value, i.display_name as player_name, h.rank as held_rank,
      h.ends_at as held_until
  from (select case when s.flags_in > pg_snapshot_xmin(pg_current_snapshot()) then '0'::xid8 else s.flags_in end as flags_in, s.flags_id
    from webhook_state s) s
  join score_flags f on (f.added_in, f.id) > (s.flags_in, s.flags_id) and f.added_in < pg_snapshot_xmin(pg_current_snapshot())
  join score_events v on v.board_id = f.board_id and v.seq = f.event_seq
  join identities i on i.id = f.identity_id
  left join held_runs h on h.board_id = f.board_id and h.event_seq = f.event_seq
  where f.created_at > :oldest and f.flag_type <> 'recording' and (f.people_from is null or f.flag_type <> 'verdict')
    and exists (select from webhook_endpoints e where e.account_id = f.account_id and e.deleted_at is null
    and e.events && '{score.flagged,score.held}'::text[] and e.watching_since <= f.created_at) ${served}
  order by f.added_in, f.id limit ${FLAGS_AT_ONCE}`;

const REACHED = 'update webhook_state set flags_in = ?::xid8, flags_id = ?';
const UPTO = 'select pg_snapshot_xmin(pg_current_snapshot())::text as upto';

/**
 * Stores events for flags that were raised, and for runs that wait because of them.
 * @param logDays how long events are known by their ids
 * @returns true if there may be more
 */
export async function reportFlags(trx: Knex, now: Date, logDays: number): Promise<boolean> {
  // Read before: a flag that becomes visible between the two is above it.
  const { rows: ends } = await runStatement<{ upto: string }>(trx, UPTO);
  const statement = newFlags(servedHere(trx, 'account', 'f.account_id'));
  const { rows } = await runStatement<NewFlag>(trx, statement, {
    oldest: new Date(now.getTime() - (logDays - 1) * DAY_MS),
  });
  const full = rows.length === FLAGS_AT_ONCE;
  const boards = await readBoards(
    trx,
    rows.map(({ board_id }) => board_id),
  );
  const events = rows.flatMap((flag) => {
    const board = boards.get(flag.board_id);
    return board ? eventsOfFlag(flag, boardOf(board)) : [];
  });
  await storeEvents(trx, events);
  const last = rows.at(-1);
  await runStatement(trx, REACHED, full ? [last!.written_in, last!.id] : [ends[0]!.upto, NIL_UUID]);
  return full;
}

function eventsOfFlag(flag: NewFlag, board: object): FoundEvent[] {
  const { id, account_id, game_id, board_id, is_test, identity_id, created_at } = flag;
  const data = {
    board,
    flag_id: idOf('scoreFlag', id),
    score_event_id: idOf('scoreEvent', flag.event_id),
    player: playerOf(identity_id, flag.player_name),
    device_id: flag.device_id && idOf('device', flag.device_id),
    flag_type: flag.flag_type,
    confidence: flag.confidence,
    value: flag.value,
  };
  const about = { account: account_id, game: game_id, board: board_id, isTest: is_test, endpoint: null };
  const common = { ...about, at: created_at, players: [identity_id] };
  const flagged = { ...common, id: uuidFrom('score.flagged', id), type: 'score.flagged', data };
  if (flag.held_rank === null) return [flagged];
  const held = { ...data, rank: flag.held_rank, held_until: flag.held_until?.toISOString() ?? null };
  // Several flags of one run hold it once.
  const heldId = uuidFrom('score.held', flag.event_id);
  return [flagged, { ...common, id: heldId, type: 'score.held', data: held }];
}
