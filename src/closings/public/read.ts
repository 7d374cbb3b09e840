import { idOf, uuidOf } from '../../base/ids.js';
import type { Board } from '../../boards/board/board.js';
import type { PrizeTable } from '../../boards/prizes/prize-table.js';
import { runStatement } from '../../db/pool.js';
import type { Context } from '../../graphql/context.js';
import { valueTextOf } from '../../scores/value-text.js';
import type { PrizeOfRank, PublicClosing, PublicPrizes, PublicWinner } from './public.js';

const PODIUM_RANKS = 3;

const PRIZES = `select t.prizes from prize_tables t where t.board_id = :board and t.view_name = :view
  and t.number = prize_number(:board, :view, coalesce((select p.ends_at from board_views v
    join view_periods p on p.board_id = v.board_id and p.view_no = v.view_no and p.starts_at <= :now and p.ends_at > :now
    where v.board_id = :board and v.name = :view and v.status <> 'dropping'), :now))`;

const WINNERS = `
  select c.id, c.period_key, c.ended_at, p.display_rank, p.identity_id, p.player_name, p.value, p.value_display
  from (select x.* from closings x where x.board_id = :board and x.view_name = :view and x.group_key = :group and not x.is_test
    and x.status = 'frozen' order by x.ended_at desc limit :most) c
  left join (select w.* from closing_places w join identities i on i.id = w.identity_id and i.deleted_at is null
    where w.rank <= ${PODIUM_RANKS}) p
    on p.board_id = c.board_id and p.closing_id = c.id
  order by c.ended_at desc, p.rank`;

interface WinnerRow {
  id: string;
  period_key: string;
  ended_at: Date;
  display_rank: number;
  identity_id: string | null;
  player_name: string;
  value: number;
  value_display: string | null;
}

/** The prizes of a ranking that runs, without what they give. @param view empty: the board's own ranking */
export async function publicPrizes(
  { db, clock }: Context,
  { id, closingRules }: Board,
  view: string,
): Promise<PublicPrizes | null> {
  if (closingRules.length === 0) return null;
  const values = { board: uuidOf(id), view, now: new Date(clock()) };
  const [row] = (await runStatement<{ prizes: PrizeTable | null }>(db, PRIZES, values)).rows;
  if (!row?.prizes) return null;
  return row.prizes;
}

const BESIDE = 'select * from prizes_beside(:board, :view, :group, :now, :from, :most)';

/** The first prize of each of some ranks if the ranking closed now; ranks without one are left out. */
export async function prizesOfRanks(
  context: Context,
  board: Board,
  of: { view: string; group: string; from: number; most: number },
): Promise<PrizeOfRank[] | null> {
  const prizes = await publicPrizes(context, board, of.view);
  if (!prizes) return null;
  const values = { board: uuidOf(board.id), now: new Date(context.clock()), ...of };
  const { rows } = await runStatement<{ rank: string; line: string }>(context.db, BESIDE, values);
  return rows.map(({ rank, line }) => ({ rank: Number(rank), prize: prizes.lines[Number(line) - 1]! }));
}

/** The newest closings of a ranking with their podiums, of production. */
export async function pastWinners(
  { db }: Context,
  board: Board,
  of: { view: string; group: string },
  most: number,
): Promise<PublicClosing[] | null> {
  if (board.closingRules.length === 0) return null;
  const values = { board: uuidOf(board.id), ...of, most };
  const closings = new Map<string, PublicClosing>();
  for (const row of (await runStatement<WinnerRow>(db, WINNERS, values)).rows) {
    const closing = closings.get(row.id) ?? {
      period: row.period_key || null,
      endedAt: row.ended_at,
      podium: [],
    };
    closings.set(row.id, closing);
    if (row.identity_id) closing.podium.push(winnerOf(board, row, row.identity_id));
  }
  return [...closings.values()];
}

function winnerOf(board: Board, row: WinnerRow, identity: string): PublicWinner {
  const { display_rank: displayRank, player_name: playerName, value, value_display: text } = row;
  const valueDisplay = valueTextOf(board, { value, valueDisplay: text });
  return { displayRank, identityId: idOf('identity', identity), playerName, value, valueDisplay };
}
