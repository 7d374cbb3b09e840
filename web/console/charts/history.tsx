import { type ReactNode, useMemo, useState } from 'react';
import { useRead } from '../api/hooks.js';
import { graphql } from '../generated/gql.js';
import type { HistoryOfQuery, HistorySpan } from '../generated/graphql.js';
import { Card } from '../parts/card.js';
import { SelectField } from '../parts/controls.js';
import { type Column, DataTable } from '../parts/data-table.js';
import { Fold } from '../parts/fold.js';
import { count, spanStart } from '../parts/format.js';
import { Loaded } from '../parts/states.js';
import { t } from '../texts.js';
import { Columns } from './columns.js';

const HistoryQuery = graphql(`
  query HistoryOf($id: ID!, $by: HistorySpan!, $last: Int!) {
    node(id: $id) {
      id
      ... on Account { history(by: $by, last: $last) { isComplete points { at submissions flags newPlayers activePlayers } } }
      ... on Game { history(by: $by, last: $last) { isComplete points { at submissions flags newPlayers activePlayers } } }
      ... on Board { history(by: $by, last: $last) { isComplete points { at submissions flags newPlayers activePlayers } } }
    }
  }
`);

type Node = HistoryOfQuery['node'];
type Point = NonNullable<Extract<Node, { history?: unknown }>['history']>['points'][number];

/** Spans shown at a time. */
const SHOWN: Record<HistorySpan, number> = { HOUR: 48, DAY: 30, MONTH: 12 };
const KINDS = ['submissions', 'activePlayers', 'newPlayers', 'flags'] as const;
const EVERY_MS = 60_000;
const text = t.history;

interface HistoryCardProps {
  /** Of an account, a game or a board. */
  id: string;
  /** Further choices, beside the span. */
  choices?: ReactNode;
  className?: string;
}

/** Submissions, players and flags by hour, day or month. */
export function HistoryCard({ id, choices, className }: HistoryCardProps) {
  const [by, setBy] = useState<HistorySpan>('DAY');
  const { data, fault, again } = useRead(HistoryQuery, { id, by, last: SHOWN[by] }, { every: EVERY_MS });
  const history = data?.node && 'history' in data.node ? data.node.history : undefined;
  return (
    <Card
      className={className}
      title={text.title}
      side={
        <>
          {choices}
          <SelectField<HistorySpan> bare label={text.by} value={by} options={text.spans} onPick={setBy} />
        </>
      }
      padded
    >
      <Loaded data={history ?? undefined} fault={fault} again={again} rows={4}>
        {({ points, isComplete }) => (
          <>
            <div className="multiples">
              {KINDS.map((kind) => (
                <Multiple key={kind} kind={kind} by={by} points={points} />
              ))}
            </div>
            <p className="small faint-text">{isComplete ? text.hint[by] : text.filling}</p>
            <Fold title={text.table} faulty={false}>
              <PointTable points={points} by={by} />
            </Fold>
          </>
        )}
      </Loaded>
    </Card>
  );
}

type Kind = (typeof KINDS)[number];

function Multiple({ kind, by, points }: { kind: Kind; by: HistorySpan; points: Point[] }) {
  const values = points.map((point) => ({ at: point.at, value: point[kind] }));
  const now = values.at(-1)?.value ?? 0;
  const sum = values.reduce((total, { value }) => total + value, 0);
  const most = Math.max(...values.map(({ value }) => value));
  // Players of several spans can be the same.
  const isSum = kind !== 'activePlayers';
  return (
    <figure>
      <figcaption>
        <span>{text.kinds[kind]}</span>
        <strong>{count(isSum ? sum : now)}</strong>
        <small>{isSum ? text.inSpans[by](SHOWN[by]) : text.present[by]}</small>
      </figcaption>
      <Columns
        values={values}
        spanText={(at) => spanStart(at, by)}
        shortText={(at) => spanStart(at, by, true)}
        label={text.label(text.kinds[kind], count(most), count(now))}
      />
    </figure>
  );
}

function PointTable({ points, by }: { points: Point[]; by: HistorySpan }) {
  const columns = useMemo(
    (): Column<Point>[] => [
      { id: 'at', title: text.from, cell: ({ at }) => spanStart(at, by), by: ({ at }) => at },
      ...KINDS.map((kind) => ({
        id: kind,
        title: text.kinds[kind],
        number: true,
        cell: (point: Point) => count(point[kind]),
        by: (point: Point) => point[kind],
      })),
    ],
    [by],
  );
  const rows = useMemo(() => points.toReversed(), [points]);
  return <DataTable label={text.title} rows={rows} columns={columns} keyOf={({ at }) => at} />;
}
