import type { Knex } from 'knex';
import { present } from '../../base/errors.js';
import { idOf, uuidOf } from '../../base/ids.js';
import { rolledBack, savepoint } from '../../db/names.js';
import type { ChangesOf } from '../../db/row.js';
import { saveRecord, UNNOTED } from '../../db/save.js';
import { inLiveGame } from '../../games/read.js';
import { auditedWrite, workOf } from '../../graphql/author.js';
import type { FiringHooks } from '../../hooks/firing.js';
import type { CallerFacts } from '../../hooks/tools.js';
import type { Job, JobCall } from '../../jobs/job.js';
import { reportEvent } from '../../outbox/report.js';
import { expireBoards, expiryJob } from '../board/expire.js';
import { shownBoard } from '../board/save.js';
import { makeBoard, type Turn } from './make-board.js';
import { BoardTemplate } from './template.js';

export const RUN_TEMPLATES = 'run-board-templates';

const FIRST_RETRY_MS = 60_000;
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

/** The work of one run. */
interface Run extends JobCall {
  hooks: FiringHooks;
  /** Bare uuids of accounts that had a turn since all had one: they come after the others. */
  served: string[];
}

/**
 * Makes the boards of all templates that are due. One transaction for each writes the board, ends the previous one
 * (fixed slug) and moves the template's next window. Boards that are over are closed first, so that their slugs are
 * free.
 */
async function runTemplates(run: Run, changed: Changed): Promise<number> {
  await expireBoards(run, changed);
  let done = 0;
  while (!run.signal.aborted) {
    const turn = await askedTurn(run);
    if (!turn) break;
    for (const id of turn.closed) changed(idOf('board', id));
    if (!turn.made) continue;
    done += 1;
    await run.hooks.after('postCreateBoard', serviceWork(turn), shownBoard(turn.made.board));
  }
  return done;
}

/** The facts that hooks get for the service's own work: no request. */
function serviceWork({ templateId }: Turn): CallerFacts {
  return {
    caller: { kind: 'service' },
    requestId: templateId,
    ip: undefined,
    userAgent: undefined,
    sent: () => undefined,
  };
}

/**
 * Takes the next turn. Where a pre-hook has a say the turn is tried first, as an administrator's creation is, so that
 * nothing is locked while the hook runs. Its refusal is a failure of the template.
 */
async function askedTurn(run: Run): Promise<Turn | undefined> {
  const { db, hooks } = run;
  const work = { db, ...workOf('job', RUN_TEMPLATES, run.now) };
  const take = (templateId?: string) => auditedWrite(work, (trx) => nextTurn(trx, run, templateId));
  if (!hooks.has('preCreateBoard')) return take();
  const tried = await rolledBack(db, (trx) => nextTurn(trx, run));
  if (!tried) return undefined;
  const { templateId, made } = tried;
  // Another process may have it by now; this one then continues with the others.
  const write = async () => (await take(templateId)) ?? { templateId, closed: [] };
  if (!made) return write();
  try {
    return await hooks.guard('preCreateBoard', serviceWork(tried), made.asked, write, (turn) =>
      Boolean(turn.made),
    );
  } catch (error) {
    await auditedWrite(work, async (trx) => {
      const template = await nextTemplate(trx, run, templateId);
      if (template) await noteFailure(trx, template, error, run);
    });
    return { templateId, closed: [] };
  }
}

/** Accounts take turns, however many templates each has. */
function nextTemplate(
  trx: Knex.Transaction,
  { now, served }: Run,
  templateId: string | undefined,
): PromiseLike<BoardTemplate | undefined> {
  const due = running(trx)
    .whereRaw(`${DUE_AT} <= ?`, [now])
    .orderByRaw(`board_templates.account_id = any(?::uuid[]), ${DUE_AT}, board_templates.id`, [served]);
  if (templateId) due.where('board_templates.id', uuidOf(templateId));
  return due.forUpdate().skipLocked().first();
}

/**
 * @param templateId only this one
 * @returns undefined when nothing is due, or another process holds all that is
 */
async function nextTurn(trx: Knex.Transaction, run: Run, templateId?: string): Promise<Turn | undefined> {
  const template = await nextTemplate(trx, run, templateId);
  if (!template) return undefined;
  if (!templateId) noteTurn(run, uuidOf(template.accountId));
  try {
    return await savepoint(trx, (inner) => makeBoard(inner, template, run.now));
  } catch (error) {
    // If the connection is lost, this fails as well, and with it the run; the template stays due.
    await noteFailure(trx, template, error, run);
    return { templateId: template.id, closed: [] };
  }
}

/** Where all that have work had a turn, the next round begins. */
function noteTurn({ served }: Run, account: string): void {
  if (served.includes(account)) served.length = 0;
  served.push(account);
}

async function noteFailure(
  trx: Knex.Transaction,
  template: BoardTemplate,
  error: unknown,
  { now, log }: JobCall,
): Promise<void> {
  await saveRecord(trx, template, afterFailure(template, error, now), now, UNNOTED);
  const { id, accountId, gameId, name, lastError, failures, retryAt } = template;
  const subject = { template_id: id, name, error: lastError, failures, retry_at: retryAt };
  await reportEvent(trx, { accountId, type: 'template.failed', gameId, subject, at: now });
  log.warn({ err: error, template: template.id }, 'a board template failed to create its board');
}

function afterFailure(template: BoardTemplate, error: unknown, now: Date): ChangesOf<BoardTemplate> {
  const { code, message } = present(error);
  const pause = Math.min(FIRST_RETRY_MS * 2 ** Math.min(template.failures, 20), LONGEST_RUN_RETRY_MS);
  return {
    lastError: code === 'INTERNAL' ? 'An unexpected error occurred; see the log' : message,
    failures: template.failures + 1,
    retryAt: new Date(now.getTime() + pause),
  };
}

/** The job that runs it; it schedules itself for the next template that is due. */
function templatesJob(changed: Changed, hooks: FiringHooks): Job {
  return {
    name: RUN_TEMPLATES,
    description: 'Creates the boards of templates whose next window has started.',
    everyMinutes: 1,
    run: async (call) => {
      const done = await runTemplates({ ...call, hooks, served: [] }, changed);
      const next = await running(call.db).orderByRaw(DUE_AT).first();
      return { done, again: next?.dueAt };
    },
  };
}

/** @param changed called for every board that was closed, after the commit (db/changes.ts) */
export function boardJobs(changed: Changed, hooks: FiringHooks): Job[] {
  return [expiryJob(changed), templatesJob(changed, hooks)];
}
