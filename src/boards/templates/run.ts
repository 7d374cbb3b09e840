import type { Knex } from 'knex';
import { DomainError, present } from '../../base/errors.js';
import { idOf, uuidOf } from '../../base/ids.js';
import { namedTransaction, savepoint } from '../../db/names.js';
import type { ChangesOf } from '../../db/row.js';
import { saveRecord } from '../../db/save.js';
import { inLiveGame } from '../../games/read.js';
import type { Job, JobCall } from '../../jobs/job.js';
import { Board } from '../board/board.js';
import { expireBoards, expiryJob } from '../board/expire.js';
import { closeBoards, lockRankings } from '../board/ranking.js';
import { addBoard } from '../board/save.js';
import { declareViews } from '../views/declare.js';
import { declarationsOf } from '../views/template-views.js';
import { boardName } from './rules.js';
import { BoardTemplate, intervalMillis, type TemplateWindow, windowAt } from './template.js';

export const RUN_TEMPLATES = 'run-board-templates';

const FIRST_RETRY_MILLIS = 60_000;
const LONGEST_RUN_RETRY_MS = 3_600_000;

/** `greatest` ignores a null retry time: then the window's start decides. */
const DUE_AT = 'greatest(board_templates.next_run_at, board_templates.retry_at)';

/** Templates that make boards; those of a suspended account pause until it is active again. */
const running = (db: Knex) =>
  BoardTemplate.query(db)
    .where('board_templates.is_active', true)
    .whereNull('board_templates.deleted_at')
    .whereRaw(inLiveGame('board_templates'))
    .whereRaw(
      `exists (select from accounts a where a.id = board_templates.account_id and a.status = 'active')`,
    );

type Changed = (topic: string) => void;

/** Result of one template's run; `closed` are uuids of boards that the new one replaces. */
interface Turn {
  made: boolean;
  closed: string[];
}

/**
 * Makes the boards of all templates that are due. One transaction for each writes the board, ends the previous one
 * (fixed slug) and moves the template's next window. Boards that are over are closed first, so that their slugs are
 * free.
 */
async function runTemplates(call: JobCall, changed: Changed): Promise<number> {
  await expireBoards(call, changed);
  let done = 0;
  while (!call.signal.aborted) {
    const turn = await namedTransaction(call.db, (trx) => nextTurn(trx, call));
    if (!turn) break;
    for (const id of turn.closed) changed(idOf('board', id));
    if (turn.made) done += 1;
  }
  return done;
}

/** @returns undefined when nothing is due, or another process holds all that is */
async function nextTurn(trx: Knex.Transaction, { now, log }: JobCall): Promise<Turn | undefined> {
  const template = await running(trx)
    .whereRaw(`${DUE_AT} <= ?`, [now])
    .orderByRaw(`${DUE_AT}, board_templates.id`)
    .forUpdate()
    .skipLocked()
    .first();
  if (!template) return undefined;
  try {
    return await savepoint(trx, (inner) => makeBoard(inner, template, now));
  } catch (error) {
    // If the connection is lost, this fails as well, and with it the run; the template stays due.
    await saveRecord(trx, template, afterFailure(template, error, now), now);
    log.warn({ err: error, template: template.id }, 'a board template made no board');
    return { made: false, closed: [] };
  }
}

function afterFailure(template: BoardTemplate, error: unknown, now: Date): ChangesOf<BoardTemplate> {
  const { code, message } = present(error);
  const pause = Math.min(FIRST_RETRY_MILLIS * 2 ** Math.min(template.failures, 20), LONGEST_RUN_RETRY_MS);
  return {
    lastError: code === 'INTERNAL' ? 'An unexpected fault; see the log' : message,
    failures: template.failures + 1,
    retryAt: new Date(now.getTime() + pause),
  };
}

async function makeBoard(trx: Knex.Transaction, template: BoardTemplate, now: Date): Promise<Turn> {
  const millis = intervalMillis(template.repeatInterval);
  if (millis === undefined) throw new Error(`no interval: ${template.repeatInterval}`);
  const window = windowAt(template.nextRunAt, millis, now);
  const well = { nextRunAt: window.end, lastError: null, failures: 0, retryAt: null };
  if (await isMade(trx, template, window)) {
    await saveRecord(trx, template, well, now);
    return { made: false, closed: [] };
  }
  const bounds = boundsOf(template, window, now);
  const closed = template.slug === null ? [] : await closePrevious(trx, template, now);
  const number = template.boardsMade + 1;
  const {
    accountId,
    gameId,
    isPublished,
    publicFields,
    friendsFrom,
    icon,
    unit,
    tags,
    boardType,
    keepStrategy,
    sortDirection,
    tiePolicy,
    timeZone,
    weekStart,
    dayStart,
    dimensions,
  } = template;
  const input = {
    accountId,
    gameId,
    name: boardName(template.namePattern, window.start, number),
    ...bounds,
    isPublished,
    publicFields,
    friendsFrom,
    icon,
    unit,
    tags,
    timeZone,
    weekStart,
    dayStart,
    dimensions,
    templateName: template.name,
    createdFromTemplateId: template.id,
    seriesNumber: number,
    periodStartsAt: window.start,
  };
  const rules = { boardType, keepStrategy, sortDirection, tiePolicy };
  const board = await addBoard(trx, input, rules, template.slug ?? undefined, now);
  await declareViews(trx, board, declarationsOf(template), now);
  await saveRecord(trx, template, { ...well, boardsMade: number }, now);
  return { made: true, closed };
}

/** An administrator can set the next window back to one that has a board: a window has one board. */
async function isMade(
  trx: Knex.Transaction,
  { id }: BoardTemplate,
  { start }: TemplateWindow,
): Promise<boolean> {
  const made = Board.query(trx)
    .where({ created_from_template_id: uuidOf(id), period_starts_at: start })
    .whereNull('deleted_at');
  return (await made.first()) !== undefined;
}

/** The template's own start and end each replace those of the window. @throws DomainError BAD_REQUEST */
export function boundsOf(
  template: Pick<BoardTemplate, 'startsAt' | 'endsAt'>,
  { start, end }: TemplateWindow,
  now: Date,
) {
  const startsAt = template.startsAt ?? start;
  const endsAt = template.endsAt ?? end;
  if (endsAt <= now) {
    throw new DomainError(
      'BAD_REQUEST',
      "The template's own ends_at has passed: its boards would be over at once",
    );
  }
  if (endsAt <= startsAt) {
    throw new DomainError(
      'BAD_REQUEST',
      "With the template's own bounds its board would end before it starts",
    );
  }
  return { startsAt, endsAt };
}

/** Frees the fixed slug. @returns uuids of the boards that had it */
async function closePrevious(
  trx: Knex.Transaction,
  { id, slug }: BoardTemplate,
  now: Date,
): Promise<string[]> {
  const boards = await Board.query(trx)
    .where({ created_from_template_id: uuidOf(id), slug, is_active: true })
    .whereNull('deleted_at');
  const ids = boards.map((board) => uuidOf(board.id));
  await lockRankings(trx, ids);
  return closeBoards(trx, ids, null, now);
}

/** The job that runs it; it schedules itself for the next template that is due. */
function templatesJob(changed: Changed): Job {
  return {
    name: RUN_TEMPLATES,
    description: 'Makes the boards of templates whose next window has begun.',
    everyMinutes: 1,
    run: async (call) => {
      const done = await runTemplates(call, changed);
      const next = await running(call.db).orderByRaw(DUE_AT).first();
      return { done, again: next?.dueAt };
    },
  };
}

/** @param changed called for every board that was closed, after the commit (db/changes.ts) */
export function boardJobs(changed: (topic: string) => void): Job[] {
  return [expiryJob(changed), templatesJob(changed)];
}
