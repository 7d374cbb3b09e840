import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useClient } from 'urql';
import { connection } from '../../api/connection.js';
import { useAct, useList } from '../../api/hooks.js';
import { useStore } from '../../api/store.js';
import { Button } from '../../parts/controls.js';
import { Ago } from '../../parts/time.js';
import { t } from '../../texts.js';
import { AlertRaisedSubscription, AlertsQuery, DismissAlertMutation } from './operations.js';
import type { Filter } from './rows.js';

/** What is unusual about boards and games, above the flags; nothing where there is none. */
export function Alerts({ filter: { accountId, gameId, boardId } }: { filter: Filter }) {
  const client = useClient();
  const { epoch } = useStore(connection);
  const list = useList(AlertsQuery, { accountId, gameId, boardId }, ({ alerts }) => alerts);
  const dismiss = useAct(DismissAlertMutation);
  const { reload } = list;
  useEffect(() => {
    const { unsubscribe } = client
      .subscription(AlertRaisedSubscription, { accountId, gameId })
      .subscribe(({ data }) => data && reload());
    return unsubscribe;
  }, [client, accountId, gameId, epoch, reload]);
  const drop = async (id: string) => {
    if (!(await dismiss.run({ id }))) return;
    reload();
  };
  if (list.rows.length === 0) return null;
  return (
    <ul className="alerts">
      {list.rows.map(({ id, explanation, createdAt, game, board }) => (
        <li key={id} className="note warn">
          <div>
            <p className="small">
              {game && board ? (
                <Link
                  to="/games/$slug/boards/$code/$tab"
                  params={{ slug: game.slug, code: board.shortCode, tab: 'runs' }}
                >
                  {board.name}
                </Link>
              ) : (
                <span className="strong">{game?.name}</span>
              )}{' '}
              <Ago at={createdAt} />
            </p>
            <p className="small">{explanation}</p>
          </div>
          <Button look="quiet" needs="MODERATE" onClick={() => void drop(id)}>
            {t.queue.dismiss}
          </Button>
        </li>
      ))}
      {list.hasMore && (
        <li>
          <Button look="quiet" onClick={list.more}>
            {t.more}
          </Button>
        </li>
      )}
    </ul>
  );
}
