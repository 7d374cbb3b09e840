import {
  type ColumnDef,
  createSortedRowModel,
  rowSortingFeature,
  sortFn_basic,
  sortFn_text,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { type ReactNode, useMemo } from 'react';
import { t } from '../texts.js';

const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { basic: sortFn_basic, text: sortFn_text },
});

export interface Column<R> {
  id: string;
  title: string;
  cell(row: R): ReactNode;
  /** The value to sort by; without it the column does not sort. */
  by?: (row: R) => string | number;
  /** Numbers are aligned right. */
  number?: boolean;
  /** Left out at phone width. */
  wide?: boolean;
  className?: string;
}

interface TableProps<R> {
  label: string;
  rows: R[];
  columns: Column<R>[];
  keyOf(row: R): string;
}

/** A table whose columns sort what is loaded. */
export function DataTable<R extends object>({ label, rows, columns, keyOf }: TableProps<R>) {
  const definitions = useMemo(
    () =>
      columns.map(
        (column): ColumnDef<typeof features, R> => ({
          id: column.id,
          header: column.title,
          accessorFn: column.by ?? (() => ''),
          enableSorting: column.by !== undefined,
          sortFn: 'basic',
        }),
      ),
    [columns],
  );
  const table = useTable({ features, columns: definitions, data: rows, getRowId: keyOf });
  const shown = new Map(columns.map((column) => [column.id, column]));
  const classOf = ({ number, wide, className }: Column<R>) =>
    [number && 'number', wide && 'wide-only', className].filter(Boolean).join(' ') || undefined;
  return (
    <table aria-label={label}>
      <thead>
        <tr>
          {table.getFlatHeaders().map((header) => {
            const column = shown.get(header.id)!;
            const sorted = header.column.getIsSorted();
            return (
              <th
                key={header.id}
                scope="col"
                className={classOf(column)}
                aria-sort={sorted ? (sorted === 'asc' ? 'ascending' : 'descending') : undefined}
              >
                {column.by ? (
                  <button type="button" className="sort" onClick={header.column.getToggleSortingHandler()}>
                    {column.title}
                    <span aria-hidden="true">{sorted ? (sorted === 'asc' ? ' ↑' : ' ↓') : ''}</span>
                  </button>
                ) : (
                  column.title || <span className="hidden-text">{t.actions}</span>
                )}
              </th>
            );
          })}
        </tr>
      </thead>
      <tbody>
        {table.getRowModel().rows.map((row) => (
          <tr key={row.id}>
            {columns.map((column) => (
              <td key={column.id} className={classOf(column)}>
                {column.cell(row.original)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
