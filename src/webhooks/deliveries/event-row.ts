import { BareRow } from '../../db/row.js';

/** An event as it is stored (migrations/074). Its own id is a bare uuid. */
export class WebhookEvent extends BareRow {
  static override tableName = 'webhook_events';
  static override ids = {
    accountId: 'account',
    gameId: 'game',
    boardId: 'board',
    endpointId: 'webhookEndpoint',
  } as const;

  accountId!: string;
  type!: string;
  gameId!: string | null;
  boardId!: string | null;
  isTest!: boolean | null;
  /** Only for this endpoint; null: for all that ask for it. */
  endpointId!: string | null;
  subject!: Record<string, unknown>;
  occurredAt!: Date;
  dueAt!: Date;
  dispatchedAt!: Date | null;
  /** Null until it is dispatched. */
  data!: Record<string, unknown> | null;
  /** Bare uuids of the players in it. */
  players!: string[];
  createdAt!: Date;
}
