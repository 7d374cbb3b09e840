import { parse } from 'csv-parse/sync';
import { withoutMarks } from '../../base/exported.js';

export const ImportFormat = { CSV: 'csv', NDJSON: 'ndjson' } as const;
export type ImportFormat = (typeof ImportFormat)[keyof typeof ImportFormat];

/** A line of a chunk: its columns by name, and its number for reports. */
export interface ImportLine {
  line: number;
  values: Record<string, unknown>;
  /** The line cannot be read. */
  fault?: string;
}

/**
 * Splits a chunk into lines. CSV begins with the names of its columns; comments (`#`), empty lines and the trailer of an export are
 * no lines. A line that cannot be read comes with its fault.
 * @throws Error of a CSV that cannot be split into lines
 */
export function linesOf(format: ImportFormat, content: string): ImportLine[] {
  return format === 'csv' ? csvLines(content) : ndjsonLines(content);
}

/** @throws Error a column comes twice or has no name */
function columnsOf(names: readonly string[]): string[] {
  const columns = names.map((name) => name.trim());
  const twice = columns.find((name, index) => columns.indexOf(name) < index);
  if (twice !== undefined) throw new Error(`the column "${twice}" comes twice`);
  if (!columns.includes('external_key')) throw new Error('there is no column "external_key"');
  return columns;
}

function csvLines(content: string): ImportLine[] {
  const records = parse(content, {
    bom: true,
    info: true,
    comment: '#',
    comment_no_infix: true,
    skip_empty_lines: true,
    relax_column_count: true,
  }) as unknown as { record: string[]; info: { lines: number } }[];
  if (records.length === 0) return [];
  const columns = columnsOf(records[0]!.record);
  const numbered = columns.indexOf('line');
  return records.slice(1).map(({ record, info }): ImportLine => {
    const values: Record<string, unknown> = {};
    for (const [index, name] of columns.entries()) values[name] = record[index];
    const line = (numbered >= 0 && Number(record[numbered])) || info.lines;
    if (record.length === columns.length) return { line, values: withoutMarks(values) };
    return { line, values, fault: `has ${record.length} cells for ${columns.length} columns` };
  });
}

function ndjsonLines(content: string): ImportLine[] {
  return content
    .replace(/^\uFEFF/, '')
    .split('\n')
    .flatMap((text, index): ImportLine[] => {
      if (text.trim() === '') return [];
      let values: unknown;
      try {
        values = JSON.parse(text);
      } catch {
        return [{ line: index + 1, values: {}, fault: 'is not JSON' }];
      }
      if (typeof values !== 'object' || values === null || Array.isArray(values)) {
        return [{ line: index + 1, values: {}, fault: 'is not a JSON object' }];
      }
      const record = values as Record<string, unknown>;
      if (record.trailer) return [];
      return [{ line: Number(record.line) || index + 1, values: record }];
    });
}
