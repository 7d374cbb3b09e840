import type { ExportFormat } from '../../base/transfer/exported.js';
import { MARKED, markedText } from '../../base/transfer/marked-text.js';
import type { ExportRow } from './source.js';

/** How an export is written. Every line ends with a line feed. */
interface LineWriter {
  type: string;
  head(columns: readonly string[]): string;
  line(columns: readonly string[], row: ExportRow): string;
  /** The last line of a board or of the whole export, which is incomplete without it. */
  trailer(values: Record<string, string | number>): string;
}

/** RFC 4180, with line feeds: quoted if a reader would split the value. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  let text: string;
  if (value instanceof Date) text = value.toISOString();
  else text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return /[",\r\n]|^\s|\s$|^#/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const CSV: LineWriter = {
  type: 'text/csv; charset=utf-8',
  head: (columns) => `${columns.join(',')}\n`,
  line: (_columns, row) => `${row.map(cell).join(',')}\n`,
  trailer: (values) =>
    `# trailer ${Object.entries(values)
      .map(([name, value]) => `${name}=${value}`)
      .join(' ')}\n`,
};

/** Anyone can choose names, texts and keys of players: a spreadsheet must not evaluate them. */
const SPREADSHEET: LineWriter = {
  type: CSV.type,
  head: (columns) => CSV.head([...columns, MARKED]),
  line: (columns, row) =>
    CSV.line(columns, [...row.map((value) => (typeof value === 'string' ? markedText(value) : value)), true]),
  trailer: (values) => CSV.trailer({ ...values, [MARKED]: 'true' }),
};

const NDJSON: LineWriter = {
  type: 'application/x-ndjson; charset=utf-8',
  head: () => '',
  line: (columns, row) => {
    const record: Record<string, unknown> = {};
    for (const [index, name] of columns.entries()) record[name] = row[index] ?? null;
    return `${JSON.stringify(record)}\n`;
  },
  trailer: (values) => `${JSON.stringify({ trailer: values })}\n`,
};

export const writers: Record<ExportFormat, LineWriter> = {
  csv: CSV,
  ndjson: NDJSON,
  spreadsheet: SPREADSHEET,
};
