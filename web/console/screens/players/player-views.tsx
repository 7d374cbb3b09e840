import { useMemo } from 'react';
import { useRead } from '../../api/hooks.js';
import type { PlayerViewsQuery as Answer } from '../../generated/graphql.js';
import { Amount } from '../../parts/amount.js';
import { Card } from '../../parts/card.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { count, type Measured } from '../../parts/format.js';
import { Loaded } from '../../parts/states.js';
import { t } from '../../texts.js';
import { PlayerViewsQuery } from './operations.js';

type Entry = NonNullable<Answer['board']['entriesOf']>[number];
const text = t.player.views;

interface PlayerViewsProps {
  board: { id: string; name: string; views: readonly { name: string }[] } & Measured;
  identityId: string;
}

/** The player's places in the present rankings of a board's views. Nothing on a board without views. */
export function PlayerViews({ board, identityId }: PlayerViewsProps) {
  const { data, fault, again } = useRead(PlayerViewsQuery, { boardId: board.id, identityId });
  const columns = useMemo(
    (): Column<Entry>[] => [
      {
        id: 'ranking',
        title: text.ranking,
        cell: ({ ranking: { view, periodKey, tags } }) => (
          <>
            <span className="strong">{view}</span>{' '}
            <span className="soft period">
              {[periodKey === 'all' ? [] : periodKey, tags.map(({ value }) => value)].flat().join(', ')}
            </span>
          </>
        ),
      },
      {
        id: 'place',
        title: t.live.place,
        number: true,
        cell: ({ displayRank, ranking }) => text.place(count(displayRank), count(ranking.totalCount)),
      },
      {
        id: 'value',
        title: t.queue.value,
        number: true,
        cell: ({ value, valueDisplay }) => <Amount of={board} value={value} display={valueDisplay} />,
      },
    ],
    [board],
  );
  if (board.views.length === 0) return null;
  return (
    <Card title={text.title(board.name)}>
      <Loaded data={data} fault={fault} again={again} rows={board.views.length}>
        {({ board: { entriesOf } }) =>
          !entriesOf?.length ? (
            <p className="empty">{text.none}</p>
          ) : (
            <DataTable
              label={text.title(board.name)}
              rows={entriesOf}
              columns={columns}
              keyOf={({ ranking }) => ranking.view ?? ''}
            />
          )
        }
      </Loaded>
    </Card>
  );
}
