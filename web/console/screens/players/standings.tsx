import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useRead } from '../../api/hooks.js';
import { Runs } from '../../charts/runs.js';
import { Amount } from '../../parts/amount.js';
import { Card } from '../../parts/card.js';
import { SelectField } from '../../parts/controls.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { count } from '../../parts/format.js';
import { Loaded } from '../../parts/states.js';
import { When } from '../../parts/time.js';
import { t } from '../../texts.js';
import { type PlayerDetails, PlayerRunsQuery } from './operations.js';
import { PlayerSplits } from './player-splits.js';
import { PlayerViews } from './player-views.js';

type Standing = PlayerDetails['scores']['nodes'][number];
const text = t.player;

/** The player's places, and the runs on one of the boards. */
export function Standings({ player, slug }: { player: PlayerDetails; slug: string }) {
  const scores = player.scores.nodes;
  // Where a look at the runs is most often wanted.
  const best = scores.toSorted((a, b) => a.rank - b.rank)[0];
  const [boardId, setBoardId] = useState(best?.board.id);
  const board = scores.find((score) => score.board.id === boardId)?.board;
  const columns = useMemo(
    (): Column<Standing>[] => [
      {
        id: 'board',
        title: t.boards.board,
        by: (row) => row.board.name,
        cell: (row) => (
          <Link
            className="name"
            to="/games/$slug/boards/$code/$tab"
            params={{ slug, code: row.board.shortCode, tab: 'live' }}
          >
            {row.board.name}
          </Link>
        ),
      },
      {
        id: 'place',
        title: t.live.place,
        number: true,
        by: (row) => row.rank,
        cell: (row) => count(row.rank),
      },
      {
        id: 'value',
        title: t.queue.value,
        number: true,
        by: (row) => row.value,
        cell: (row) => (
          <span className="strong">
            <Amount of={row.board} value={row.value} display={row.valueDisplay} />
          </span>
        ),
      },
      {
        id: 'since',
        title: text.since,
        wide: true,
        by: (row) => row.updatedAt,
        cell: (row) => <When at={row.updatedAt} className="soft" />,
      },
    ],
    [slug],
  );
  return (
    <>
      {board && (
        <Card
          padded
          title={text.runsOn(board.name)}
          side={
            <SelectField
              bare
              label={t.boards.board}
              value={board.id}
              options={[...new Map(scores.map((score) => [score.board.id, score.board.name]))]}
              onPick={setBoardId}
            />
          }
        >
          <PlayerRuns board={board} identityId={player.id} />
        </Card>
      )}
      {board?.tickets && <PlayerSplits key={`splits ${board.id}`} board={board} identityId={player.id} />}
      {board && <PlayerViews key={board.id} board={board} identityId={player.id} />}
      <Card title={text.standings}>
        {scores.length === 0 ? (
          <p className="empty">{text.noStandings}</p>
        ) : (
          <DataTable label={text.standings} rows={scores} columns={columns} keyOf={(row) => row.id} />
        )}
      </Card>
    </>
  );
}

function PlayerRuns({ board, identityId }: { board: Standing['board']; identityId: string }) {
  const { data, fault, again } = useRead(PlayerRunsQuery, { boardId: board.id, identityId });
  return (
    <Loaded data={data} fault={fault} again={again}>
      {({ scoreEvents }) => {
        const runs = scoreEvents.nodes.filter((event) => !event.isTest).reverse();
        if (runs.length === 1) return <p className="soft small">{t.queue.onlyRun}</p>;
        return (
          <Runs
            of={board}
            height={200}
            lowerIsBetter={board.sortDirection === 'ASC'}
            runs={runs.map(({ id, value, createdAt }) => ({ id, value, at: createdAt }))}
          />
        );
      }}
    </Loaded>
  );
}
