import { useMemo } from 'react';
import { useRead } from '../../api/hooks.js';
import type { PlayerViewsQuery as Answer } from '../../generated/graphql.js';
import { Card } from '../../parts/card.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { amount, count } from '../../parts/format.js';
import { t } from '../../texts.js';
import { PlayerViewsQuery } from './operations.js';

type Standing = Answer['board']['standings'][number];
const text = t.player.views;

interface PlayerViewsProps {
  board: { id: string; name: string; unit?: string | null };
  identityId: string;
}

/** The player's places in the present rankings of a board's views. Nothing on a board without views. */
export function PlayerViews({ board, identityId }: PlayerViewsProps) {
  const { data } = useRead(PlayerViewsQuery, { boardId: board.id, identityId });
  const columns = useMemo(
    (): Column<Standing>[] => [
      {
        id: 'ranking',
        title: text.ranking,
        cell: ({ view, key, where }) => (
          <>
            <span className="strong">{view}</span>{' '}
            <span className="soft">
              {[key === 'all' ? [] : key, Object.values((where as Record<string, string> | null) ?? {})]
                .flat()
                .join(', ')}
            </span>
          </>
        ),
      },
      {
        id: 'place',
        title: t.live.place,
        number: true,
        cell: ({ displayRank, total }) => text.place(count(displayRank), count(total)),
      },
      {
        id: 'value',
        title: t.queue.value,
        number: true,
        cell: ({ value, valueDisplay }) => amount(value, board.unit, valueDisplay),
      },
    ],
    [board.unit],
  );
  if (!data || data.board.views.length === 0) return null;
  const { standings } = data.board;
  return (
    <Card title={text.title(board.name)}>
      {standings.length === 0 ? (
        <p className="empty">{text.none}</p>
      ) : (
        <DataTable
          label={text.title(board.name)}
          rows={standings}
          columns={columns}
          keyOf={({ view }) => view ?? ''}
        />
      )}
    </Card>
  );
}
