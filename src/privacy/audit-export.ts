import {
  AuditAction,
  type AuditEntry,
  foundEntries,
  recordAudit,
  shownAddress,
} from '../accounts/audit/entry.js';
import { invalid, notFound } from '../base/errors.js';
import { idOf, isId, kindOf, uuidOf } from '../base/ids.js';
import type {
  AuditExportFilters,
  ExportFormat,
  ExportRequest,
  OpenExport,
} from '../base/transfer/exported.js';
import { runStatement } from '../db/pool.js';
import { adminOf } from '../graphql/access.js';
import type { Context } from '../graphql/context.js';
import { idMessage } from '../graphql/rules.js';
import { DateTime } from '../graphql/scalars.js';
import { writers } from '../scores/exports/format.js';
import { CHUNK_ROWS } from '../scores/exports/source.js';

const COLUMNS = [
  ...[
    'id',
    'created_at',
    'by',
    'user_id',
    'api_key_id',
    'agent',
    'ip_address',
    'action',
    'account_id',
    'game_id',
  ],
  ...['subject_id', 'before', 'after', 'reason'],
];

function rowOf(entry: AuditEntry, context: Context): unknown[] {
  const { id, createdAt, by, userId, apiKeyId, agent, action, accountId, gameId, subjectId } = entry;
  return [
    ...[id, createdAt, by, userId, apiKeyId, agent, shownAddress(entry, context), action, accountId, gameId],
    ...[subjectId, entry.before, entry.after, entry.reason],
  ];
}

const IDS = { account_id: 'account', game_id: 'game', user_id: 'user' } as const;

/** @throws DomainError VALIDATION_FAILED */
function checkedFilters(filters: AuditExportFilters) {
  const faults: Parameters<typeof invalid>[0] = [];
  const refuse = (name: string, msg: string, type: string) =>
    faults.push({ loc: ['query', name], msg, type });
  for (const [name, kind] of Object.entries(IDS) as [keyof typeof IDS, (typeof IDS)[keyof typeof IDS]][]) {
    if (filters[name] !== undefined && !isId(kind, filters[name])) refuse(name, idMessage(kind), 'id');
  }
  const { subject_id: subjectId, action } = filters;
  if (subjectId !== undefined && !kindOf(subjectId)) {
    refuse('subject_id', 'must be an id of this service, like brd_<uuid>', 'id');
  }
  const actions: readonly string[] = Object.values(AuditAction);
  if (action !== undefined && !actions.includes(action)) {
    refuse('action', `must be one of ${actions.join(', ')}`, 'enum');
  }
  const [createdAfter, createdBefore] = (['created_after', 'created_before'] as const).map((name) => {
    if (filters[name] === undefined) return undefined;
    try {
      return DateTime.parseValue(filters[name]);
    } catch (error) {
      refuse(name, (error as Error).message, 'datetime');
      return undefined;
    }
  });
  if (faults.length > 0) throw invalid(faults);
  const { account_id: accountId, game_id: gameId, user_id: userId } = filters;
  return { accountId, gameId, userId, subjectId, action: action as AuditAction, createdAfter, createdBefore };
}

/** A stream of the audit log, newest entry first. @throws DomainError VALIDATION_FAILED */
export function openAuditExport(
  context: Context,
  given: AuditExportFilters,
  format: ExportFormat,
): OpenExport {
  const filters = checkedFilters(given);
  const writer = writers[format];
  return { type: writer.type, lines: linesOf(context, filters, writer) };
}

/** Read in chunks, none of which holds a connection. */
async function* linesOf(
  context: Context,
  filters: ReturnType<typeof checkedFilters>,
  writer: (typeof writers)[ExportFormat],
): AsyncGenerator<string> {
  yield writer.head(COLUMNS);
  let count = 0;
  for (let after: AuditEntry | undefined, more = true; more; ) {
    const { rows } = foundEntries(context, filters);
    if (after) {
      const { createdAt, id } = after;
      rows.whereRaw(
        '(audit_entries.created_at < ? or audit_entries.created_at = ? and audit_entries.id > ?)',
        [createdAt, createdAt, uuidOf(id)],
      );
    }
    const chunk: AuditEntry[] = await rows
      .orderBy([{ column: 'audit_entries.created_at', order: 'desc' }, 'audit_entries.id'])
      .limit(CHUNK_ROWS);
    if (chunk.length > 0) yield chunk.map((entry) => writer.line(COLUMNS, rowOf(entry, context))).join('');
    count += chunk.length;
    after = chunk.at(-1);
    more = chunk.length === CHUNK_ROWS;
  }
  yield writer.trailer({ what: 'audit', count });
}

const PLACES = {
  board: 'select account_id, game_id from boards where id = ?',
  game: 'select account_id, id as game_id from games where id = ?',
  account: 'select id as account_id, null as game_id from accounts where id = ?',
  identity: 'select account_id, game_id from identities where id = ?',
};

/** Records that an export begins. */
export async function recordExport(context: Context, request: ExportRequest): Promise<void> {
  if (context.sent()?.method === 'HEAD') return;
  const action = AuditAction.DATA_EXPORTED;
  if (request.kind === 'audit') {
    const { filters, format } = request;
    const { account_id: accountId = adminOf(context).accountId, ...given } = filters;
    const after = { what: 'audit', format, ...given };
    await recordAudit(context.db, context, {
      accountId,
      gameId: null,
      subjectId: accountId,
      action,
      before: null,
      after,
    });
    return;
  }
  const { kind, id } = request;
  const { rows } = await runStatement<{ account_id: string; game_id: string | null }>(
    context.db,
    PLACES[kind],
    [uuidOf(id)],
  );
  if (!rows[0]) throw notFound('Record');
  const { account_id, game_id } = rows[0];
  const exported =
    kind === 'identity' ? { what: 'identity' } : { what: request.what, format: request.format };
  const view = kind !== 'identity' && request.view;
  await recordAudit(context.db, context, {
    accountId: idOf('account', account_id),
    gameId: game_id && idOf('game', game_id),
    subjectId: id,
    action,
    before: null,
    after: { ...exported, ...view },
  });
}
