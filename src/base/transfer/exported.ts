/** Records that an export can contain, by the parameter `what`. */
export const EXPORTED = ['standings', 'events', 'players', 'flags', 'closings'] as const;
export type Exported = (typeof EXPORTED)[number];

/** Formats of exports, by the parameter `format`. `spreadsheet` is CSV that no program takes for formulas. */
export const EXPORT_FORMATS = ['csv', 'ndjson', 'spreadsheet'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** The record whose boards are exported. Ids prefixed. */
export interface ExportScope {
  kind: 'board' | 'game' | 'account';
  id: string;
}

/** Filters of an export of the audit log, as the query has them. */
export const AUDIT_FILTERS = [
  'account_id',
  'game_id',
  'user_id',
  'subject_id',
  'action',
  'created_after',
  'created_before',
] as const;
export type AuditExportFilters = Partial<Record<(typeof AUDIT_FILTERS)[number], string>>;

/** What is exported: boards of a record, a player, or the audit log. */
export type ExportRequest =
  | (ExportScope & { what: Exported; format: ExportFormat; view?: ExportedView | undefined })
  | { kind: 'identity'; id: string }
  | { kind: 'audit'; filters: AuditExportFilters; format: ExportFormat };

/** An export that may begin; its place among the running ones is free again when `lines` ends or is left. */
export interface OpenExport {
  /** Media type. */
  type: string;
  /** Text in pieces of about a thousand lines. Rejects when the export cannot be completed. */
  lines: AsyncGenerator<string>;
}

/** A ranking of a view, as a request names it. */
export interface ExportedView {
  view?: string | undefined;
  of?: string | undefined;
  where?: string | undefined;
}

/** How GraphQL's schema refers to the streams of REST that have no operation. */
function exportText(path: string, parameters = ''): string {
  return `REST exports it as a stream: \`GET /v1/${path}/export${parameters}\`, with an API key.`;
}

const OF_BOARDS = '?what=standings|events|players|flags|closings&format=csv|ndjson|spreadsheet';

export const ACCOUNT_EXPORT = exportText('accounts/{account_id}', OF_BOARDS);
export const GAME_EXPORT = exportText('games/{game_id}', OF_BOARDS);
export const BOARD_EXPORT = exportText('boards/{board_id}', `${OF_BOARDS}&view=&of=&where=`);
export const IDENTITY_EXPORT = exportText('identities/{identity_id}');
export const AUDIT_EXPORT = exportText(
  'audit-entries',
  `?format=csv|ndjson|spreadsheet&${AUDIT_FILTERS.join('=&')}=`,
);
