import { Readable, type TransformOptions } from 'node:stream';
import { type Options, type Parser, parse } from 'csv-parse';
import { parseExactly } from '../../base/json/exact-json.js';
import { inSlices } from '../../base/pacer.js';
import { IMPORTED, IMPORTED_OF_EXPORTS } from '../../base/transfer/imported.js';
import { MARKED, withoutMarks } from '../../base/transfer/marked-text.js';
import { cellsFault, STRAY_QUOTE, StrayQuotes } from '../../base/transfer/stray-quotes.js';
import type { ImportFormat } from './import.js';

/** Columns that are imported. */
const READ: ReadonlySet<string> = new Set(['line', 'fault', ...IMPORTED, ...IMPORTED_OF_EXPORTS, MARKED]);
/** Columns of exports that contain nothing to import: a value's text is made of it. */
const PASSED_OVER = new Set([
  'shown_value',
  'board_id',
  'identity_id',
  'trust_tier',
  'created_at',
  'updated_at',
]);

export const MOST_COLUMNS = 64;
/** Characters of one line of JSON, or bytes of the cells of a record of CSV. */
const LONGEST_LINE = 64 * 1_024;
/** Bytes of a record of CSV with its separators and quotes, which are doubled within a cell. */
const LONGEST_RECORD = 3 * LONGEST_LINE;
/**
 * Bytes parsed without a pause: csv-parse takes 80 µs for each line with a different number of cells than the
 * first. Its stream never buffers more than this either, because it parses everything buffered at once when it
 * ends.
 */
const SLICE = 128;
/** Characters whose quotes are checked without a pause. */
const PART = 4_096;

/** A line of a chunk: its columns by name, and its number for reports. */
export interface ImportLine {
  line: number;
  values: Record<string, unknown>;
  /** A column that is not read, if there is one. */
  unread?: string | undefined;
  /** The line cannot be read. */
  fault?: string;
}

/**
 * Splits a chunk into lines, taking turns with other work. CSV begins with column names; empty lines and the
 * trailer of an export don't count. A line that cannot be read is returned with its error.
 * @throws Error of a CSV that cannot be split into lines
 */
export function linesOf(format: ImportFormat, content: string): AsyncGenerator<ImportLine> {
  return format === 'csv' ? csvLines(content) : ndjsonLines(content);
}

const isUnread = (name: string) => !READ.has(name) && !PASSED_OVER.has(name);

/** The imported columns with their positions. @throws Error if a column is missing or appears twice */
function columnsOf(names: readonly string[]) {
  const columns = names.map((name) => name.trim());
  const twice = columns.find((name, index) => columns.indexOf(name) < index);
  if (twice !== undefined) throw new Error(`the column "${twice}" appears twice`);
  if (!columns.includes('external_key')) throw new Error('there is no column "external_key"');
  const read = [...columns.entries()].filter(([, name]) => READ.has(name));
  return { count: columns.length, read, unread: columns.find(isUnread) };
}

const CSV: Options & TransformOptions = {
  info: true,
  comment: '# trailer ',
  comment_no_infix: true,
  skip_empty_lines: true,
  relax_column_count: true,
  max_record_size: LONGEST_LINE,
  writableHighWaterMark: SLICE,
};

/**
 * csv-parse processes whatever it is given without a pause, and its own limit for a record doesn't count
 * separators, so endless records are cut off here. A callback per cell could do that too, but makes parsing thirty
 * times slower.
 */
function* slicesFor(parser: Parser, content: string, quotes: StrayQuotes): Generator<Buffer> {
  let [begun, ended, sent] = [0, 0, 0];
  for (let part = 0; part < content.length; part += PART) {
    const bytes = Buffer.from(quotes.take(content.slice(part, part + PART), part + PART >= content.length));
    for (let at = 0; at < bytes.length; at += SLICE) {
      const { records, empty_lines, comment_lines, lines } = parser.info;
      const done = records + empty_lines + comment_lines;
      if (done > ended) [begun, ended] = [sent, done];
      else if (sent - begun > LONGEST_RECORD)
        throw new Error(`line ${lines} is longer than ${LONGEST_RECORD} bytes`);
      yield bytes.subarray(at, at + SLICE);
      sent += SLICE;
    }
  }
}

function parsed(content: string, quotes: StrayQuotes): Parser {
  const parser = parse({ ...CSV, record_delimiter: quotes.newline });
  const source = Readable.from(inSlices(slicesFor(parser, content, quotes)));
  source.on('error', (error) => parser.destroy(error));
  return source.pipe(parser);
}

async function* csvLines(content: string): AsyncGenerator<ImportLine> {
  const text = content.replace(/^\ufeff/, '');
  const quotes = new StrayQuotes(',', text.includes('\n') ? '\n' : '\r', LONGEST_RECORD);
  const stray = (line: number): ImportLine => ({ line, values: {}, fault: STRAY_QUOTE });
  let columns: ReturnType<typeof columnsOf> | undefined;
  for await (const { record, info } of parsed(text, quotes) as AsyncIterable<{
    record: string[];
    info: { lines: number };
  }>) {
    if (record.length > MOST_COLUMNS)
      throw new Error(`line ${info.lines} has more than ${MOST_COLUMNS} columns`);
    if (!columns && quotes.lines[0]! < info.lines) break;
    if (!columns) {
      columns = columnsOf(record);
      continue;
    }
    while (quotes.lines[0]! < info.lines) yield stray(quotes.lines.shift()!);
    const values: Record<string, unknown> = {};
    for (const [index, name] of columns.read) values[name] = record[index];
    const line: ImportLine = {
      line: Number(values.line) || info.lines,
      values: withoutMarks(values),
      unread: 'value' in values ? undefined : columns.unread,
    };
    if (record.length !== columns.count) line.fault = cellsFault(record.length, columns.count);
    yield line;
  }
  if (!columns && quotes.lines[0] !== undefined) throw new Error(`line ${quotes.lines[0]} ${STRAY_QUOTE}`);
  yield* quotes.lines.map(stray);
}

function* textLines(content: string): Generator<{ line: number; text: string }> {
  let line = 0;
  for (let at = content.startsWith('\uFEFF') ? 1 : 0; at < content.length; ) {
    const end = content.indexOf('\n', at);
    line += 1;
    yield { line, text: content.slice(at, end < 0 ? undefined : end) };
    if (end < 0) return;
    at = end + 1;
  }
}

function ndjsonLine(line: number, text: string): ImportLine | undefined {
  if (text.length > LONGEST_LINE)
    return { line, values: {}, fault: `is longer than ${LONGEST_LINE} characters` };
  if (text.trim() === '') return undefined;
  let parsed: unknown;
  try {
    parsed = parseExactly(text);
  } catch {
    return { line, values: {}, fault: 'is not JSON' };
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    return { line, values: {}, fault: 'is not a JSON object' };
  }
  const record = parsed as Record<string, unknown>;
  if (record.trailer) return undefined;
  const values: Record<string, unknown> = {};
  for (const name of READ) if (Object.hasOwn(record, name)) values[name] = record[name];
  const unread = 'value' in values ? undefined : Object.keys(record).find(isUnread);
  return { line: (typeof record.line === 'object' ? 0 : Number(record.line)) || line, values, unread };
}

async function* ndjsonLines(content: string): AsyncGenerator<ImportLine> {
  for await (const { line, text } of inSlices(textLines(content))) {
    const found = ndjsonLine(line, text);
    if (found) yield found;
  }
}
