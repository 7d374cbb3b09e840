import type { Knex } from 'knex';
import { idOf, uuid7 } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import { lockRecord, saveRecord } from '../../db/save.js';
import { requireAccount } from '../../graphql/access.js';
import { auditedWrite } from '../../graphql/author.js';
import type { Context } from '../../graphql/context.js';
import { reportEvent } from '../../outbox/report.js';
import { Alert, type AlertKind } from './alert.js';
import type { UpdateAlertInput } from './inputs.js';
import { liveAlerts } from './read.js';

/** Dismisses or reopens an alert. @throws DomainError NOT_FOUND, FORBIDDEN */
export function updateAlert(context: Context, id: string, { status }: UpdateAlertInput): Promise<Alert> {
  return auditedWrite(context, async (trx) => {
    const alert = await lockRecord(Alert, liveAlerts(trx), id, 'Alert');
    requireAccount(context, alert);
    await saveRecord(trx, alert, { status }, new Date(context.clock()));
    return alert;
  });
}

/** Of runs of the job at the same time, one raises it. */
const LOCK = 'select from games where id = ? for no key update';

/** One alert of a kind is open at a time, and the next one comes a day after it at the earliest. */
const RAISE = `
  insert into alerts (id, account_id, game_id, board_id, kind, status, metadata, created_at, updated_at)
  select :id, :account, :game, :board, :kind, 'open', :metadata, :at, :at
  where not exists (select from alerts a where a.game_id = :game and a.board_id is not distinct from :board and a.kind = :kind
    and (a.status = 'open' or a.created_at > cast(:at as timestamptz) - interval '1 day'))
  returning id`;

/** Bare uuids. */
export interface Noticed {
  account: string;
  game: string;
  board: string | null;
  kind: AlertKind;
  metadata: Record<string, number>;
}

/** @returns true unless there is such an alert already */
export async function raiseAlert(db: Knex, noticed: Noticed, at: Date): Promise<boolean> {
  const { account, game, board, kind, metadata } = noticed;
  const id = uuid7(at.getTime());
  return db.transaction(async (trx) => {
    const values = { id, account, game, board, kind, metadata: JSON.stringify(metadata), at };
    await runStatement(trx, LOCK, [game]);
    const { rows } = await runStatement(trx, RAISE, values);
    if (rows.length === 0) return false;
    await reportEvent(trx, {
      accountId: idOf('account', account),
      type: 'alert.raised',
      gameId: idOf('game', game),
      boardId: board && idOf('board', board),
      subject: { alert_id: idOf('alert', id), kind, metadata },
      at,
    });
    return true;
  });
}
