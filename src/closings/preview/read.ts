import { isDeepStrictEqual } from 'node:util';
import { uuidOf } from '../../base/ids.js';
import type { Board } from '../../boards/board/board.js';
import { loadBoard } from '../../boards/board/read.js';
import { checkedPrizes } from '../../boards/prizes/prize-input.js';
import type { PrizeTable } from '../../boards/prizes/prize-table.js';
import type { PeriodReads } from '../../boards/views/period-reads.js';
import { invalidView } from '../../boards/views/rules.js';
import { runStatement } from '../../db/pool.js';
import { requireAccount } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { chosenRanking, servedView } from '../../scores/standings/view-request.js';
import { withText } from '../../scores/value-text.js';
import { UNDECIDED_COLUMNS, type UndecidedRow, undecidedRun } from '../read.js';
import {
  type ClosingPreview,
  type PreviewClosingInput,
  type PreviewedWinner,
  PrizeLimit,
  PrizesApply,
} from './preview.js';

/** Winners of each line that are shown. */
const SHOWN_WINNERS = 100;

const CLOSING = 'closing_now(?, ?, ?, ?, ?, ?) c';
const FACTS = `select c.player_count, prizes_of(c) as prizes, new_prizes_apply(c.board_id, c.view_name) as apply,
  nullif(c.ended_at, ?) as ends_at from ${CLOSING}`;
const LINES = `select l.*, o.players as left_out, o.too_few_runs, o.too_new from ${CLOSING}
  cross join lateral preview_lines(c, ?::jsonb, ${SHOWN_WINNERS}, ?) with ordinality l(line, rewards, is_over, ties_over,
    winners, players, nth)
  join lateral left_out(c, ?::jsonb) o on o.nth = l.nth order by l.nth`;
const UNDECIDED = `select ${UNDECIDED_COLUMNS} from ${CLOSING} cross join lateral undecided_of(c) u
  join score_events e on e.board_id = u.board_id and e.seq = u.event_seq order by u.is_held, e.seq desc`;

interface Facts {
  player_count: string;
  prizes: PrizeTable | null;
  apply: PrizesApply;
  ends_at: Date | null;
}

interface Line {
  line: string;
  rewards: string;
  is_over: boolean;
  ties_over: boolean;
  winners: string;
  players: PreviewedWinner[];
  left_out: string;
  too_few_runs: string;
  too_new: string;
}

/**
 * Who would get what if a ranking closed now, by the functions that close it; writes nothing.
 * @throws DomainError NOT_FOUND, FORBIDDEN, INVALID_VIEW, VALIDATION_FAILED; UNAVAILABLE at the statement timeout
 */
export async function previewClosing(
  context: Context,
  periods: PeriodReads,
  mostGrants: number,
  { boardId, view, group: named, prizes: tried, ...input }: PreviewClosingInput,
): Promise<ClosingPreview> {
  const isTest = input.isTest ?? false;
  const board = await loadBoard(context, boardId);
  requireAccount(context, board);
  const where = await tagsOf(context, board, view, named);
  const ranking = await chosenRanking(context, periods, board, { view, where });
  if (view != null && !ranking.span)
    throw invalidView(`The view ${view} has no periods, so it never closes.`);
  const now = new Date(context.clock());
  const [period, group] = [ranking.key ?? '', ranking.group];
  const closing = [uuidOf(boardId), view ?? '', period, group, isTest, now];
  const facts = (await runStatement<Facts>(context.db, FACTS, [now, ...closing])).rows[0]!;
  const prizes = tried ? checkedPrizes(tried, ['input', 'prizes']) : facts.prizes;
  const isOther = !isDeepStrictEqual(prizes, facts.prizes);
  const lines = prizes ? await linesOf(context, closing, prizes, mostGrants) : [];
  const undecided = (await runStatement<UndecidedRow>(context.db, UNDECIDED, closing)).rows;
  const playerCount = Number(facts.player_count);
  return {
    ...{ board, boardId, view: view ?? null, period: period || null, group: group || null, isTest },
    ...{ endsAt: facts.ends_at, prizes, prizesApply: isOther ? facts.apply : PrizesApply.NOW, playerCount },
    winnerCount: Number(lines[0]?.winners ?? 0),
    rewardCount: lines.reduce((sum, { rewards }) => sum + Number(rewards), 0),
    limits: limitsOf(prizes, playerCount, lines),
    lines: lines.map(({ line, rewards, players, ...out }, nth) => ({
      ...{ line, title: prizes!.lines[nth]!.title, rewardCount: Number(rewards) },
      winners: players.map((winner) => withText(board, winner)),
      ...{ leftOut: Number(out.left_out), tooFewRuns: Number(out.too_few_runs), tooNew: Number(out.too_new) },
    })),
    undecided: undecided.map((row) => withText(board, undecidedRun(row))),
  };
}

/** The tags that a group names. @throws DomainError INVALID_VIEW */
async function tagsOf(context: Context, board: Board, view?: string | null, group?: string | null) {
  if (view == null) {
    if (group != null) throw invalidView('A group requires a view.');
    return;
  }
  const { by_tags: tags } = await servedView(context, board, view);
  const values = group?.split(',') ?? [];
  if (values.length !== tags.length) {
    throw invalidView(
      tags.length === 0
        ? `The view ${view} has no groups. Leave the group out.`
        : `The view ${view} groups by ${tags.join(' and ')}: \`group\` must be their values, with commas between them.`,
    );
  }
  return Object.fromEntries(tags.map((tag, nth) => [tag, values[nth]!]));
}

async function linesOf(context: Context, closing: unknown[], prizes: PrizeTable, mostGrants: number) {
  const values = [...closing, JSON.stringify(prizes), mostGrants, JSON.stringify(prizes)];
  return (await runStatement<Line>(context.db, LINES, values)).rows;
}

function limitsOf(prizes: PrizeTable | null, players: number, lines: readonly Line[]): PrizeLimit[] {
  const limits: PrizeLimit[] = [];
  if (prizes && players < prizes.minimumEntries) limits.push(PrizeLimit.MINIMUM_ENTRIES);
  if (lines.some(({ ties_over }) => ties_over)) limits.push(PrizeLimit.TIE_LIMIT);
  if (lines[0]?.is_over) limits.push(PrizeLimit.GRANTS_PER_CLOSING);
  return limits;
}
