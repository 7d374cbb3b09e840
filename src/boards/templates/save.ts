import type { Knex } from 'knex';
import { accountForWrite } from '../../accounts/read.js';
import { idOf, uuid7 } from '../../base/ids.js';
import { deletionOf, insertRecord, lockRecord, saveRecord } from '../../db/save.js';
import { requireAccount } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { changedColumns, newColumns } from '../../graphql/records/record.js';
import type { FiringHooks } from '../../hooks/firing.js';
import { wakeWhenDue } from '../../jobs/job.js';
import { checkHold } from '../board/hold.js';
import { openSettings } from '../board/open.js';
import { checkBounds, checkBoundsOf, checkViewNames } from '../board/rules.js';
import { gameForWrite } from '../board/save.js';
import { checkVerdictsFit } from '../verdicts/settings.js';
import { checkedViews, checkWindow, namedViewsOf, type ViewLimits } from '../views/rules.js';
import { declarationsOf, storedView } from '../views/template-views.js';
import { intervalMillis } from './interval.js';
import { reachableTemplates } from './read.js';
import { changedTemplateRules, checkNaming, newTemplateRules } from './rules.js';
import { RUN_TEMPLATES } from './run.js';
import {
  BoardTemplate,
  type CreateBoardTemplateInput,
  templateFields,
  type UpdateBoardTemplateInput,
} from './template.js';
import { windowsFromOf } from './windows.js';

/**
 * What a new template has by its input alone.
 * @throws DomainError VALIDATION_FAILED, INVALID_SLUG, INVALID_VIEW, WRONG_BOARD_TYPE
 */
export function checkedTemplate(input: CreateBoardTemplateInput, limits: ViewLimits) {
  checkBounds(input);
  const columns = newColumns(templateFields, input);
  const rules = newTemplateRules(input);
  checkHold(rules.boardType, input.holdTop);
  checkNaming(columns);
  const views = checkedViews(input.views ?? [], rules.boardType, columns.dimensions, limits);
  checkWindow(views, intervalMillis(input.repeatInterval)!);
  checkViewNames(columns, rules.boardType, namedViewsOf(views));
  checkVerdictsFit(columns.verdicts, columns.recordings);
  return { columns: { ...columns, config: input.config ?? {} }, rules, views };
}

/**
 * @throws DomainError VALIDATION_FAILED, INVALID_SLUG, INVALID_VIEW, NOT_FOUND, FORBIDDEN, GAME_NOT_IN_ACCOUNT, and the refusal of a
 * hook
 */
export async function createTemplate(
  context: Context,
  hooks: FiringHooks,
  limits: ViewLimits,
  input: CreateBoardTemplateInput,
): Promise<BoardTemplate> {
  const { columns, rules } = checkedTemplate(input, limits);
  const now = new Date(context.clock());
  const write = async (trx: Knex.Transaction) => {
    await accountForWrite(trx, context, input);
    await gameForWrite(trx, input);
    await openSettings(trx, input.gameId, columns);
    const template = await insertRecord(trx, BoardTemplate, {
      id: idOf('boardTemplate', uuid7(now.getTime())),
      ...columns,
      windowsFrom: columns.nextRunAt,
      ...rules,
      views: (input.views ?? []).map((view) => storedView(view, limits)),
      boardsMade: 0,
      failures: 0,
      lastError: null,
      retryAt: null,
      createdAt: now,
      updatedAt: now,
    });
    await wake(trx, template, now);
    return template;
  };
  return hooks.guardTransaction('preCreateBoardTemplate', context, () => input, write);
}

/**
 * Changes, deletes or restores a template; boards that it made stay as they are. After a failed run it is retried at
 * once.
 * @throws DomainError NOT_FOUND, FORBIDDEN, VALIDATION_FAILED, INVALID_SLUG, INVALID_VIEW, BAD_REQUEST, INVALID_TRANSITION, and the
 * refusal of a hook
 */
export async function updateTemplate(
  context: Context,
  hooks: FiringHooks,
  limits: ViewLimits,
  id: string,
  input: UpdateBoardTemplateInput,
): Promise<BoardTemplate> {
  checkBounds(input);
  const columns = changedColumns(templateFields, input);
  const now = new Date(context.clock());
  const change = ({ accountId }: BoardTemplate) => ({ ...input, id, accountId });
  return hooks.guardTransaction('preUpdateBoardTemplate', context, change, async (trx) => {
    const template = await lockRecord(BoardTemplate, reachableTemplates(trx), id, 'Board template');
    const deletion = deletionOf(template, input, now, 'Board template');
    requireAccount(context, template);
    checkBoundsOf(template, input);
    const changes = {
      ...columns,
      views: input.views?.map((view) => storedView(view, limits)),
      ...changedTemplateRules(template, input),
      ...deletion,
      ...(template.retryAt && { failures: 0, retryAt: null }),
    };
    checkNaming({
      name: changes.name ?? template.name,
      nameTemplate: changes.nameTemplate === undefined ? template.nameTemplate : changes.nameTemplate,
      series: changes.series === undefined ? template.series : changes.series,
    });
    const { repeatInterval, nextRunAt, timeZone } = template;
    const windowsFrom = windowsFromOf(template, {
      repeatInterval: changes.repeatInterval ?? repeatInterval,
      nextRunAt: changes.nextRunAt ?? nextRunAt,
      timeZone: changes.timeZone ?? timeZone,
    });
    await saveRecord(trx, template, { ...changes, windowsFrom }, now);
    checkHold(template.boardType, template.holdTop);
    checkTemplateViews(template, limits);
    checkVerdictsFit(template.verdicts, template.recordings);
    await openSettings(trx, template.gameId, columns);
    await wake(trx, template, now);
    return template;
  });
}

/** The views of a template fit its boards. @throws DomainError VALIDATION_FAILED, INVALID_VIEW */
function checkTemplateViews(template: BoardTemplate, limits: ViewLimits): void {
  const views = declarationsOf(template, limits);
  checkWindow(views, intervalMillis(template.repeatInterval)!);
  checkViewNames(template, template.boardType, namedViewsOf(views));
}

function wake(trx: Knex.Transaction, { dueAt, isActive }: BoardTemplate, now: Date): Promise<void> {
  return wakeWhenDue(trx, RUN_TEMPLATES, isActive ? dueAt : null, now);
}
