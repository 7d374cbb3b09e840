import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { parseExactly } from '../base/json/exact-json.js';
import { withoutMarks } from '../base/transfer/marked-text.js';
import { cellsFault, STRAY_QUOTE, StrayQuotes } from '../base/transfer/stray-quotes.js';
import { UsageError } from '../output/failure.js';
import { ExportCheck, exportOf, type Trailer, trailerOf } from './exports.js';
import { separatorOf } from './formats.js';
import type { OpenFile } from './open.js';
import { type FileRecord, type FileTable, isRecord } from './table/file-table.js';

/** Characters of a line, the only part of a file that is held in memory. */
const LONGEST_LINE = 1_000_000;
const TAIL = 4 * 1_024;

/** A table of cells. */
export async function csv(file: OpenFile, header: boolean): Promise<FileTable> {
  const { separator, isSaid } = separatorOf(file.head, file.isWhole);
  file.notes.push(
    ({ '\t': 'tabs', ',': 'commas', ';': 'semicolons' } as Record<string, string>)[separator] ?? separator,
  );
  let tail = '';
  const newline = file.head.includes('\n') ? '\n' : '\r';
  const quotes = new StrayQuotes(separator, newline, LONGEST_LINE, isSaid ? 1 : 0);
  async function* text() {
    for await (const part of file.text) {
      tail = (tail + part).slice(-TAIL);
      yield sound(quotes, part, false);
    }
    yield sound(quotes, '', true);
  }
  const parser = parse({
    info: true,
    delimiter: separator,
    record_delimiter: quotes.newline,
    from_line: isSaid ? 2 : 1,
    comment: '# trailer ',
    comment_no_infix: true,
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: LONGEST_LINE,
  });
  const source = Readable.from(text());
  source.on('error', (error) => parser.destroy(error));
  source.pipe(parser);
  const reader = (parser as AsyncIterable<{ record: string[]; info: { lines: number } }>)[
    Symbol.asyncIterator
  ]();
  const first = header ? await next(reader) : undefined;
  if (header && quotes.lines[0]! < (first?.info.lines ?? Number.POSITIVE_INFINITY))
    throw new UsageError(`line ${quotes.lines[0]}, which should name the columns, ${STRAY_QUOTE}`);
  const columns = header ? headerOf(first?.record ?? []) : ['player', 'score'];
  const check = exportOf(columns) ? new ExportCheck() : undefined;
  function* strayBefore(line: number): Generator<FileRecord> {
    for (let [stray] = quotes.lines; stray !== undefined && stray < line; [stray] = quotes.lines) {
      quotes.lines.shift();
      check?.count();
      yield { line: stray, values: {}, fault: STRAY_QUOTE };
    }
  }
  async function* records(): AsyncGenerator<FileRecord> {
    for (let read = await next(reader); read; read = await next(reader)) {
      const { record, info } = read;
      yield* strayBefore(info.lines);
      // Empty rows and columns are written by spreadsheets.
      if (record.every((cell) => cell === '')) continue;
      while (record.length > columns.length && record.at(-1) === '') record.pop();
      const values: Record<string, unknown> = {};
      for (const [index, name] of columns.entries()) values[name] ??= record[index];
      check?.take(values);
      const fault = cellsFault(record.length, columns.length);
      yield {
        line: info.lines,
        values: withoutMarks(values),
        ...(record.length !== columns.length && { fault }),
      };
    }
    yield* strayBefore(Number.POSITIVE_INFINITY);
    check?.end(
      trailerOf(
        tail
          .trimEnd()
          .split(/[\r\n]/)
          .at(-1) ?? '',
      ),
    );
  }
  return { columns, records: records(), missing: () => check?.missing };
}

/** @throws UsageError a line is too long to be held */
function sound(quotes: StrayQuotes, part: string, isEnd: boolean): string {
  try {
    return quotes.take(part, isEnd);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** @throws UsageError the file is no CSV */
async function next<T>(reader: AsyncIterator<T>): Promise<T | undefined> {
  try {
    const { value, done } = await reader.next();
    return done ? undefined : value;
  } catch (error) {
    if (error instanceof CsvError) throw new UsageError(`the file is not valid CSV: ${error.message}`);
    throw error;
  }
}

/** The names of the columns, without those at the end that have none. */
function headerOf(names: readonly string[]): string[] {
  const columns = names.map((name) => name.trim());
  while (columns.at(-1) === '') columns.pop();
  return columns;
}

/** Lines of text. @throws UsageError one is too long to be held */
export async function* numbered(text: AsyncIterable<string>): AsyncGenerator<{ line: number; text: string }> {
  let line = 0;
  let rest = '';
  for await (const part of text) {
    const lines = part.split('\n');
    lines[0] = rest + lines[0];
    rest = lines.pop()!;
    for (const row of lines) {
      line += 1;
      yield { line, text: row.endsWith('\r') ? row.slice(0, -1) : row };
    }
    if (rest.length > LONGEST_LINE)
      throw new UsageError(`line ${line + 1} of the file is longer than ${LONGEST_LINE} characters`);
  }
  if (rest !== '') yield { line: line + 1, text: rest };
}

/** A JSON object a line. @param whole it is an export, whatever its lines say */
export function ndjson(text: AsyncIterable<string>, whole: boolean): FileTable {
  let check = whole ? new ExportCheck() : undefined;
  async function* records(): AsyncGenerator<FileRecord> {
    for await (const { line, text: row } of numbered(text)) {
      if (row.trim() === '') continue;
      let values: unknown;
      try {
        values = parseExactly(row);
      } catch {
        yield { line, values: {}, fault: 'is not JSON' };
        continue;
      }
      if (!isRecord(values)) yield { line, values: {}, fault: 'is not a JSON object' };
      else if (isRecord(values.trailer)) {
        check ??= new ExportCheck();
        check.end(values.trailer as unknown as Trailer);
      } else {
        if (!check && exportOf(Object.keys(values))) check = new ExportCheck();
        check?.take(values);
        yield { line, values };
      }
    }
  }
  return { records: records(), missing: () => check?.missing, isExport: () => check !== undefined };
}
