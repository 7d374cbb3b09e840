import { Link } from '@tanstack/react-router';
import { LiveBoardsQuery } from '../../api/first-operations.js';
import { useCurrentGame } from '../../api/games.js';
import { useRead } from '../../api/hooks.js';
import { useAccountId } from '../../api/me.js';
import { Bars } from '../../charts/bars.js';
import { Amount } from '../../parts/amount.js';
import { Card } from '../../parts/card.js';
import { count } from '../../parts/format.js';
import { Loaded } from '../../parts/states.js';
import { Until } from '../../parts/time.js';
import { t } from '../../texts.js';

const EVERY_MS = 10_000;
const MOST = 10;

export function LiveBoards() {
  const game = useCurrentGame();
  const { data, fault, again } = useRead(LiveBoardsQuery, { accountId: useAccountId() }, { every: EVERY_MS });
  const all = game && (
    <Link className="small" to="/games/$slug/boards" params={{ slug: game.slug }}>
      {t.overview.allBoards}
    </Link>
  );
  return (
    <Card title={t.overview.live} side={all} className="live-boards">
      <Loaded data={data} fault={fault} again={again} height={60}>
        {({ boards }) => {
          const live = boards.nodes.filter((board) => board.phase === 'LIVE' && board.game).slice(0, MOST);
          if (live.length === 0) return <p className="empty">{t.overview.noLive}</p>;
          return (
            <table>
              <thead>
                <tr>
                  <th scope="col">{t.overview.board}</th>
                  <th scope="col" className="wide-only">
                    {t.overview.first}
                  </th>
                  <th scope="col" className="number">
                    {t.overview.entries}
                  </th>
                  <th scope="col" className="wide-only">
                    {t.overview.halfHour}
                  </th>
                </tr>
              </thead>
              <tbody>
                {live.map(({ id, name, shortCode, endsAt, game, ranking, activity, ...board }) => (
                  <tr key={id}>
                    <td>
                      <Link
                        className="name"
                        to="/games/$slug/boards/$code/$tab"
                        params={{ slug: game!.slug, code: shortCode, tab: 'live' }}
                      >
                        {name}
                      </Link>
                      <div className="faint-text small">
                        {game!.name},{' '}
                        {endsAt ? (
                          <>
                            {t.overview.endsIn} <Until at={endsAt} />
                          </>
                        ) : (
                          t.overview.noEnd
                        )}
                      </div>
                    </td>
                    <td className="wide-only">
                      {ranking?.entries?.nodes.map((score) => (
                        <span key={score.scoreId}>
                          <span className="name">{score.playerName}</span>{' '}
                          <span className="faint-text">
                            <Amount of={board} value={score.value} display={score.valueDisplay} />
                          </span>
                        </span>
                      ))}
                    </td>
                    <td className="number">{count(ranking?.totalCount ?? 0)}</td>
                    <td className="wide-only">
                      {activity && (
                        <span className="spark">
                          <Bars values={activity.map((minute) => minute.count)} />
                        </span>
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          );
        }}
      </Loaded>
    </Card>
  );
}
