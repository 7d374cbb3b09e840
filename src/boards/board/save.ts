import { isDeepStrictEqual } from 'node:util';
import type { Knex } from 'knex';
import { accountForWrite } from '../../accounts/read.js';
import { DomainError, notFound } from '../../base/errors.js';
import { idOf, uuid7, uuidOf } from '../../base/ids.js';
import { checkedSlug, slugify } from '../../base/slug.js';
import { runStatement } from '../../db/pool.js';
import type { ChangesOf } from '../../db/row.js';
import { deletionOf, freeSlug, insertRecord, lockRecord, saveRecord, writeUnique } from '../../db/save.js';
import { Game } from '../../games/game.js';
import { requireAccount } from '../../graphql/access.js';
import { auditedWrite } from '../../graphql/author.js';
import type { Context } from '../../graphql/context.js';
import { changedColumns, type NewColumns, newColumns } from '../../graphql/records/record.js';
import type { FiringHooks } from '../../hooks/firing.js';
import { checkClosings, declareClosings, withdrawClosing } from '../closing-rules/closing-rule.js';
import { createRatioConfig, updateRatioConfig } from '../ratios/save.js';
import { checkRecordingsFit } from '../recordings/settings.js';
import { templateForBoard } from '../templates/read.js';
import { checkTicketsFit } from '../tickets/settings.js';
import { checkVerdictsFit } from '../verdicts/settings.js';
import { changeViews, declareTags, declareViews, followCalendar } from '../views/declare.js';
import { checkRatioViews, holdSources, settleDerivedViews } from '../views/ratio-views.js';
import { storedViews } from '../views/rows.js';
import {
  checkDefaultView,
  checkedViews,
  checkFit,
  type Declaration,
  type NamedView,
  namedViewsOf,
  type ViewLimits,
} from '../views/rules.js';
import {
  Board,
  boardFields,
  type CreateBoardInput,
  generateShortCode,
  isOpen,
  type UpdateBoardInput,
} from './board.js';
import { followBounds } from './expire.js';
import { checkHold, followHold, lockFlags } from './hold.js';
import { openSettings } from './open.js';
import { followRules, lockRanking, noteChange } from './ranking.js';
import { reachableBoards } from './read.js';
import { reportClosed } from './report.js';
import {
  type BoardRules,
  changedRules,
  checkBounds,
  checkBoundsOf,
  checkRatio,
  checkRehearsal,
  checkViewNames,
  newRules,
  sameRules,
} from './rules.js';
import { checkFormatFits } from './value-format.js';

const NEW_RANKING = `
  insert into board_rankings (board_id, generation, board_type, sort_direction, keep_strategy, tie_policy, seq, version)
  values (?, 1, ?, ?, ?, ?, 0, 0)`;

/**
 * What a new board has by its input alone.
 * @throws DomainError VALIDATION_FAILED, INVALID_SLUG, INVALID_VIEW, WRONG_BOARD_TYPE
 */
export function checkedBoard(input: CreateBoardInput, limits: ViewLimits) {
  checkBounds(input);
  checkRatio(input);
  checkFormatFits(input.boardType, input.format);
  const rules = newRules(input);
  checkHold(rules.boardType, input.holdTop);
  const columns = newColumns(boardFields, input);
  const views = checkedViews(input.views ?? [], rules.boardType, columns.dimensions, limits);
  checkViewNames(columns, rules.boardType, namedViewsOf(views));
  checkRecordingsFit(columns.recordings, rules.boardType);
  checkVerdictsFit(columns.verdicts, columns.recordings);
  const slug = input.slug == null ? undefined : checkedSlug(input.slug);
  return { columns, rules, views, slug };
}

/**
 * Creates a board and its ranking: empty, or computed from the sources of a ratio board.
 * @throws DomainError VALIDATION_FAILED, INVALID_SLUG, NOT_FOUND, FORBIDDEN, GAME_NOT_IN_ACCOUNT, CONFLICT; of the
 * sources BAD_REQUEST, BOARD_NOT_IN_GAME, WRONG_BOARD_TYPE; of views INVALID_VIEW; and the refusal of a hook
 */
export async function createBoard(
  context: Context,
  hooks: FiringHooks,
  limits: ViewLimits,
  input: CreateBoardInput,
): Promise<Board> {
  const { columns, rules, views, slug } = checkedBoard(input, limits);
  const now = new Date(context.clock());
  const write = async (trx: Knex.Transaction) => {
    await accountForWrite(trx, context, input);
    await gameForWrite(trx, input);
    if (input.createdFromTemplateId != null) {
      await templateForBoard(trx, context, input.createdFromTemplateId, input.gameId);
    }
    const board = await addBoard(trx, { ...columns, shortCode: input.shortCode }, rules, slug, now);
    if (input.ratioConfig != null) {
      await createRatioConfig(trx, board, input.ratioConfig, now);
      await followRules(trx, board.id, now);
    }
    // The sources of a ratio board have a history.
    if (rules.boardType === 'ratio') await divideViews(trx, board, views, now);
    else await declareViews(trx, board, views, now);
    if (board.closingRules.length > 0) await declareClosings(trx, board, now);
    await openSettings(trx, board.gameId, board);
    return board;
  };
  const board = await hooks.guardTransaction('preCreateBoard', context, () => input, write);
  await hooks.after('postCreateBoard', context, shownBoard(board));
  return board;
}

/** The board as hooks see it. */
export function shownBoard({ deletedAt, seriesNumber, periodStartsAt, rehearsalOfId, ...record }: Board) {
  return record;
}

async function divideViews(
  trx: Knex.Transaction,
  board: Board,
  views: Declaration[],
  now: Date,
): Promise<void> {
  if (views.length === 0) return;
  await holdSources(trx, board);
  await changeViews(trx, board, views, now);
  await checkRatioViews(trx, board);
  await followRules(trx, board.id, now);
}

/**
 * Writes a board and its empty ranking from checked input.
 * @param slug undefined: made from the name
 * @throws DomainError INVALID_SLUG; the database's error when a slug or short code is taken
 */
export async function addBoard(
  trx: Knex.Transaction,
  input: NewBoard,
  rules: BoardRules,
  slug: string | undefined,
  now: Date,
): Promise<Board> {
  const board = await insertBoard(trx, input, rules, slug, now);
  const { boardType, sortDirection, keepStrategy, tiePolicy } = rules;
  const values = [uuidOf(board.id), boardType, sortDirection, keepStrategy, tiePolicy];
  await runStatement(trx, NEW_RANKING, values);
  if (board.dimensions.length > 0) await declareTags(trx, board);
  await followBounds(trx, board, now);
  return board;
}

/** @throws DomainError NOT_FOUND, GAME_NOT_IN_ACCOUNT */
export async function gameForWrite(
  trx: Knex.Transaction,
  input: Pick<CreateBoardInput, 'accountId' | 'gameId'>,
): Promise<void> {
  const game = await Game.query(trx).findById(uuidOf(input.gameId)).whereNull('deleted_at').forShare();
  if (!game) throw notFound('Game');
  if (game.accountId !== input.accountId) {
    throw new DomainError('GAME_NOT_IN_ACCOUNT', 'This game belongs to another account.');
  }
}

/** On a collision a generated name is generated again; a requested name is a conflict. */
async function insertBoard(
  trx: Knex.Transaction,
  input: NewBoard,
  rules: BoardRules,
  slug: string | undefined,
  now: Date,
): Promise<Board> {
  const write = (db: Knex.Transaction, slug: string, shortCode: string) =>
    insertRecord(db, Board, {
      id: idOf('board', uuid7(now.getTime())),
      ...UNSET,
      ...input,
      ...rules,
      slug,
      shortCode,
      createdAt: now,
      updatedAt: now,
    });
  const withCode = (db: Knex.Transaction, slug: string) =>
    input.shortCode == null
      ? writeUnique(db, 'boards_short_code_key', generateShortCode, (savepoint, code) =>
          write(savepoint, slug, code),
        )
      : write(db, slug, input.shortCode.toUpperCase());
  if (slug) return withCode(trx, slug);
  const wanted = slugify(input.name, 'board');
  const taken = Board.query(trx)
    .where({ game_id: uuidOf(input.gameId), is_active: true })
    .whereNull('deleted_at');
  return writeUnique(trx, 'boards_slug_key', () => freeSlug(taken, wanted), withCode);
}

/**
 * Changes, closes, deletes or restores a board, under the lock of its submissions, and notifies its readers: after the
 * answer no submission is accepted that the new state refuses. When the rules change, all players are ranked again:
 * readers of a large board see the old order until that is done.
 * @throws DomainError NOT_FOUND, FORBIDDEN, VALIDATION_FAILED, BAD_REQUEST, INVALID_TRANSITION, CONFLICT; of a ratio's
 * sources BOARD_NOT_IN_GAME, WRONG_BOARD_TYPE; of views INVALID_VIEW
 */
export async function updateBoard(
  context: Context,
  limits: ViewLimits,
  id: string,
  input: UpdateBoardInput,
): Promise<Board> {
  checkBounds(input);
  const now = new Date(context.clock());
  const { board, derived } = await auditedWrite(context, async (trx) => {
    const setsHolds = [input.holdTop, input.holdHours, input.verdicts, input.recordings].some(
      (given) => given !== undefined,
    );
    if (setsHolds) await lockFlags(trx, id);
    await lockRanking(trx, id);
    const board = await lockRecord(Board, reachableBoards(trx), id, 'Board');
    const deletion = deletionOf(board, input, now, 'Board');
    requireAccount(context, board);
    const before = stateOf(board);
    const rules = checkedChange(board, input);
    const link = await templateLink(trx, context, board, input);
    const columns = changedColumns(boardFields, input);
    const isChanged = await saveRecord(trx, board, { ...columns, ...link, ...rules, ...deletion }, now);
    const rankings = await changeRankings(trx, board, before, limits, input, now);
    if (setsHolds) await followHold(trx, board, now);
    if (rankings.areRankingsChanged) await followRules(trx, id, now);
    if (isChanged || rankings.areRankingsChanged) await noteChange(trx, id);
    await followSettings(trx, board, input, rankings.areViewsChanged, now);
    await openSettings(trx, board.gameId, columns);
    if (isChanged) await followLife(trx, board, before.isActive, now);
    return { board, derived: rankings.derived };
  });
  for (const changed of [board.id, ...derived]) context.changed(changed);
  return board;
}

/** What a board was before a change, as far as it is compared afterwards. */
interface Before {
  rules: BoardRules;
  grouping: ReturnType<typeof groupingOf>;
  isActive: boolean;
}

function stateOf(board: Board): Before {
  const { boardType, keepStrategy, sortDirection, tiePolicy } = board;
  return {
    rules: { boardType, keepStrategy, sortDirection, tiePolicy },
    grouping: groupingOf(board),
    isActive: board.isActive && !board.deletedAt,
  };
}

/** What periods and groups of views are made of. */
function groupingOf({ timeZone, weekStart, dayStart, dimensions }: Board) {
  return { timeZone, weekStart, dayStart, dimensions };
}

/**
 * The rules of a board after a change whose input fits the board.
 * @throws DomainError VALIDATION_FAILED, BAD_REQUEST, INVALID_TRANSITION
 */
function checkedChange(board: Board, input: UpdateBoardInput): BoardRules {
  checkBoundsOf(board, input);
  checkRehearsal(board, input);
  checkFormatFits(board.boardType, input.format);
  const rules = changedRules(board, input);
  checkHold(rules.boardType, input.holdTop);
  if (input.recordings) checkRecordingsFit(input.recordings, rules.boardType);
  return rules;
}

/**
 * Changes sources, calendar, tags and views to what the input says, after the board's record was saved.
 * @returns `derived`: ids of ratio boards whose views were dropped with their source's
 * @throws DomainError VALIDATION_FAILED, INVALID_VIEW, BOARD_NOT_IN_GAME, WRONG_BOARD_TYPE
 */
async function changeRankings(
  trx: Knex.Transaction,
  board: Board,
  before: Before,
  limits: ViewLimits,
  input: UpdateBoardInput,
  now: Date,
) {
  const areSourcesChanged = await updateRatioConfig(trx, board, input.ratioConfig, now);
  const isRatio = board.boardType === 'ratio';
  if (isRatio) await holdSources(trx, board);
  const isGroupingChanged = !isDeepStrictEqual(before.grouping, groupingOf(board));
  if (isGroupingChanged) await followCalendar(trx, board, now);
  if (input.dimensions !== undefined) await declareTags(trx, board);
  const areViewsChanged = await updateViews(trx, board, limits, input, now);
  if (isRatio && (isGroupingChanged || areViewsChanged || areSourcesChanged))
    await checkRatioViews(trx, board);
  const concernsDerived = !isRatio && (isGroupingChanged || areViewsChanged);
  return {
    areViewsChanged,
    areRankingsChanged: !sameRules(before.rules, board) || areSourcesChanged || areViewsChanged,
    derived: concernsDerived ? await settleDerivedViews(trx, board, now) : [],
  };
}

/**
 * Checks the settings that name views or need recordings against what the board has now, and declares the closings.
 * @throws DomainError VALIDATION_FAILED, WRONG_BOARD_TYPE
 */
async function followSettings(
  trx: Knex.Transaction,
  board: Board,
  input: UpdateBoardInput,
  areViewsChanged: boolean,
  now: Date,
): Promise<void> {
  const movesClosings = board.closingRules.length > 0 && (areViewsChanged || input.endsAt !== undefined);
  const setsClosings = movesClosings || input.closingRules !== undefined;
  const setsTickets = areViewsChanged || input.tickets !== undefined;
  const setsDefaultView = areViewsChanged || input.defaultView !== undefined;
  if (setsClosings || setsTickets || setsDefaultView) {
    const views = await namedViews(trx, board);
    if (setsClosings) checkClosings(board.closingRules, board.boardType, views);
    if (setsTickets) checkTicketsFit(board.tickets, board.boardType, views);
    if (setsDefaultView) checkDefaultView(board, views);
  }
  if (setsClosings) await declareClosings(trx, board, now);
  if (input.verdicts || input.recordings === null) checkVerdictsFit(board.verdicts, board.recordings);
}

/** After a change that may have closed or reopened a board or moved its bounds. */
async function followLife(trx: Knex.Transaction, board: Board, wasActive: boolean, now: Date): Promise<void> {
  if (wasActive && !board.isActive) await reportClosed(trx, board, 'closed', now);
  await followBounds(trx, board, now);
  if (!board.deletedAt && isOpen(board, now.getTime())) await withdrawClosing(trx, board.id, now);
}

async function namedViews(trx: Knex.Transaction, { id }: Board): Promise<NamedView[]> {
  const rows = await storedViews(trx, uuidOf(id));
  return rows.map(({ name, period }) => ({ name, hasPeriods: period !== null }));
}

/** @returns true if a view was added, changed or dropped @throws DomainError VALIDATION_FAILED, INVALID_VIEW */
async function updateViews(
  trx: Knex.Transaction,
  board: Board,
  limits: ViewLimits,
  { views, dimensions, keepStrategy }: UpdateBoardInput,
  now: Date,
): Promise<boolean> {
  if (views !== undefined) {
    const declared = checkedViews(views, board.boardType, board.dimensions, limits);
    return changeViews(trx, board, declared, now);
  }
  if (dimensions !== undefined || keepStrategy !== undefined) {
    const stored = await storedViews(trx, uuidOf(board.id));
    const views = stored.map(({ name, by_tags }) => ({ name, by: by_tags }));
    checkFit(views, board.boardType, board.dimensions, limits);
  }
  return false;
}

/** A board that is linked to another template, or unlinked, leaves its series. */
async function templateLink(
  trx: Knex.Transaction,
  context: Context,
  board: Board,
  { createdFromTemplateId }: UpdateBoardInput,
): Promise<ChangesOf<Board>> {
  if (createdFromTemplateId === undefined || createdFromTemplateId === board.createdFromTemplateId) return {};
  if (createdFromTemplateId) await templateForBoard(trx, context, createdFromTemplateId, board.gameId);
  return { createdFromTemplateId, seriesNumber: null, periodStartsAt: null };
}

/** Columns of a board that no other board hands on to it. */
const UNSET = {
  description: null,
  templateName: null,
  createdFromTemplateId: null,
  seriesNumber: null,
  periodStartsAt: null,
  rehearsalOfId: null,
};

/** The columns of a new board, its rules apart. */
type NewBoard = Omit<NewColumns<typeof boardFields>, keyof typeof UNSET | keyof BoardRules> &
  Partial<Pick<Board, keyof typeof UNSET>> & { shortCode?: string | null };
