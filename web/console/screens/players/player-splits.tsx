import { useMemo } from 'react';
import { useRead } from '../../api/hooks.js';
import type { PlayerSplitsQuery as Answer } from '../../generated/graphql.js';
import { Card } from '../../parts/card.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { count, split } from '../../parts/format.js';
import { Loaded } from '../../parts/states.js';
import { t } from '../../texts.js';
import { PlayerSplitsQuery } from './operations.js';

type Best = NonNullable<Answer['board']['bestSplits']>[number];
type Row = Best & { at: number | undefined };
const text = t.player.splits;

interface PlayerSplitsProps {
  board: { id: string; name: string };
  identityId: string;
}

/** Splits of the run that counts on a board with tickets, beside the player's best ones. */
export function PlayerSplits({ board, identityId }: PlayerSplitsProps) {
  const { data, fault, again } = useRead(PlayerSplitsQuery, { boardId: board.id, identityId });
  const columns = useMemo(
    (): Column<Row>[] => [
      { id: 'number', title: text.number, number: true, cell: ({ number }) => count(number) },
      {
        id: 'at',
        title: text.at,
        number: true,
        cell: ({ at }) => at !== undefined && <span className="strong">{split(at)}</span>,
      },
      { id: 'best', title: text.best, number: true, cell: ({ atMs }) => split(atMs) },
      { id: 'segment', title: text.segment, number: true, cell: ({ segmentMs }) => split(segmentMs) },
    ],
    [],
  );
  return (
    <Card title={text.title(board.name)}>
      <Loaded data={data} fault={fault} again={again}>
        {({ board: { bestSplits, ranking } }) => {
          const own = ranking?.entry?.splits;
          const rows = bestSplits?.map((best, n): Row => ({ ...best, at: own?.[n] })) ?? [];
          return rows.length === 0 ? (
            <p className="empty">{text.none}</p>
          ) : (
            <DataTable
              label={text.title(board.name)}
              rows={rows}
              columns={columns}
              keyOf={({ number }) => String(number)}
            />
          );
        }}
      </Loaded>
    </Card>
  );
}
