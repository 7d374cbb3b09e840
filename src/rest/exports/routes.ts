import type { ExportRequest } from '../../base/transfer/exported.js';
import type { Right } from '../../graphql/rights.js';

/** A stream of an export, of a player's records as NDJSON alone. No GraphQL operation is behind it, as with uploads of pictures. */
export interface ExportRoute {
  kind: ExportRequest['kind'];
  path: string;
  /** The path's parameter; absent for the audit log. */
  parameter?: string;
  /** The section of the documentation. */
  group: string;
  operationId: string;
  summary: string;
  right: Right;
}

export const exportRoutes: ExportRoute[] = [
  {
    kind: 'board',
    path: '/v1/boards/{board_id}/export',
    parameter: 'board_id',
    group: 'Boards',
    operationId: 'exportBoard',
    summary: 'The standings, events, players or flags of a board, as a stream.',
    right: 'read',
  },
  {
    kind: 'game',
    path: '/v1/games/{game_id}/export',
    parameter: 'game_id',
    group: 'Games',
    operationId: 'exportGame',
    summary: 'The standings, events, players or flags of all boards of a game, as a stream.',
    right: 'read',
  },
  {
    kind: 'account',
    path: '/v1/accounts/{account_id}/export',
    parameter: 'account_id',
    group: 'Accounts',
    operationId: 'exportAccount',
    summary: 'The standings, events, players or flags of all boards of an account, as a stream.',
    right: 'read',
  },
  {
    kind: 'identity',
    path: '/v1/identities/{identity_id}/export',
    parameter: 'identity_id',
    group: 'Identities',
    operationId: 'exportIdentity',
    summary: 'Everything stored about a player, deleted or not, as a stream.',
    right: 'privacy',
  },
  {
    kind: 'audit',
    path: '/v1/audit-entries/export',
    group: 'Audit entries',
    operationId: 'exportAuditEntries',
    summary: 'The audit log of an account, newest first, as a stream.',
    right: 'people',
  },
];
