import type { ReactNode } from 'react';
import type { List } from '../api/hooks.js';
import { t } from '../texts.js';
import { Card } from './card.js';
import { Button } from './controls.js';
import { type Column, DataTable } from './data-table.js';
import { Empty, Failed, Waiting } from './states.js';

interface ListCardProps<R> {
  title?: ReactNode;
  label: string;
  side?: ReactNode;
  list: List<R>;
  columns: Column<R>[];
  keyOf(row: R): string;
  empty: ReactNode;
  /** Shown in place of the list's rows, e.g. those that match a filter. */
  rows?: R[];
}

/** A list in pages as a table. */
export function ListCard<R extends object>(props: ListCardProps<R>) {
  const { title, label, side, list, columns, keyOf, empty, rows = list.rows } = props;
  return (
    <Card title={title} side={side}>
      {list.fault && <Failed fault={list.fault} again={list.reload} />}
      {list.loading && <Waiting />}
      {!list.loading && !list.fault && rows.length === 0 && <Empty>{empty}</Empty>}
      {rows.length > 0 && <DataTable label={label} rows={rows} columns={columns} keyOf={keyOf} />}
      {list.hasMore && (
        <div className="pager">
          <Button onClick={list.more}>{t.more}</Button>
        </div>
      )}
    </Card>
  );
}
