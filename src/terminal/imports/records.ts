import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { parseExactly } from '../../base/exact-json.js';
import { withoutMarks } from '../../base/exported.js';
import { UsageError } from '../output/failure.js';
import { ExportCheck, exportOf, type Trailer, trailerOf } from './exports.js';
import { separatorOf } from './formats.js';
import type { OpenFile } from './open.js';

/** One line of a file: its number there, and its values by the names of the file. */
export interface FileRecord {
  line: number;
  values: Record<string, unknown>;
  /** The line cannot be read. */
  fault?: string;
  /** The user wants others alone. */
  isLeftOut?: boolean;
}

/** The lines of a file. */
export interface FileTable {
  /** Undefined: each line names its own. */
  columns?: readonly string[];
  records: AsyncIterable<FileRecord>;
  /** Once all lines are read: the reason why the file is incomplete. */
  missing(): string | undefined;
  /** Once all lines are read, where `columns` do not say it: true for an export of the service, which may have no lines. */
  isExport?(): boolean;
}

/** Of one line, in characters: the only part of a file that is held in memory. */
const LONGEST_LINE = 1_000_000;
/** JSON is read as a whole. */
const LONGEST_JSON = 256 * 1_024 * 1_024;
const TAIL = 4 * 1_024;

/** A table of cells. */
export async function csv(file: OpenFile, header: boolean): Promise<FileTable> {
  const { separator, isSaid } = separatorOf(file.head, file.isWhole);
  file.notes.push(
    ({ '\t': 'tabs', ',': 'commas', ';': 'semicolons' } as Record<string, string>)[separator] ?? separator,
  );
  let tail = '';
  async function* text() {
    for await (const part of file.text) {
      tail = (tail + part).slice(-TAIL);
      yield part;
    }
  }
  const parser = parse({
    bom: true,
    info: true,
    delimiter: separator,
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
  const columns = header ? headerOf((await next(reader))?.record ?? []) : ['player', 'score'];
  const check = exportOf(columns) ? new ExportCheck() : undefined;
  async function* records(): AsyncGenerator<FileRecord> {
    for (let found = await next(reader); found; found = await next(reader)) {
      const { record, info } = found;
      // Spreadsheets write rows and columns in which nothing is.
      if (record.every((cell) => cell === '')) continue;
      while (record.length > columns.length && record.at(-1) === '') record.pop();
      const values: Record<string, unknown> = {};
      for (const [index, name] of columns.entries()) values[name] ??= record[index];
      check?.take(values);
      const fault = `has ${record.length} cells for ${columns.length} columns`;
      yield {
        line: info.lines,
        values: withoutMarks(values),
        ...(record.length !== columns.length && { fault }),
      };
    }
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

/** @throws UsageError a cell is not written as spreadsheets do */
async function next<T>(reader: AsyncIterator<T>): Promise<T | undefined> {
  try {
    const { value, done } = await reader.next();
    return done ? undefined : value;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new UsageError(
      `the file cannot be split into cells: ${error.message}. A cell with quotes is written "in ""quotes"""`,
    );
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
    for (const found of lines) {
      line += 1;
      yield { line, text: found.endsWith('\r') ? found.slice(0, -1) : found };
    }
    if (rest.length > LONGEST_LINE)
      throw new UsageError(`line ${line + 1} of the file is longer than ${LONGEST_LINE} characters`);
  }
  if (rest !== '') yield { line: line + 1, text: rest };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

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

/** @throws UsageError it is too large, or ends early */
export async function wholeJson(text: AsyncIterable<string>): Promise<unknown> {
  let all = '';
  for await (const part of text) {
    all += part;
    if (all.length > LONGEST_JSON) {
      throw new UsageError(
        `the file is larger than ${LONGEST_JSON} characters: write it as NDJSON, one object a line`,
      );
    }
  }
  try {
    return parseExactly(all);
  } catch (error) {
    throw new UsageError(`the file is not JSON, or ends early: ${(error as Error).message}`);
  }
}

/** A list of objects, with the members beside it. */
interface FoundList {
  path: string;
  list: unknown[];
  beside: Record<string, unknown>;
}

const DEEPEST = 4;

function* listsOf(
  value: unknown,
  path: string,
  beside: Record<string, unknown>,
  depth = 0,
): Generator<FoundList> {
  if (Array.isArray(value)) {
    if (value.length === 0 || value.some(isRecord)) yield { path, list: value, beside };
  } else if (isRecord(value) && depth < DEEPEST) {
    for (const [name, member] of Object.entries(value))
      yield* listsOf(member, path ? `${path}.${name}` : name, value, depth + 1);
  }
}

const TOTALS = ['total', 'count', 'total_count', 'totalCount', 'total_entries', 'totalEntries'];

/** The reason why a list is a part of one. */
function partOf({ list, beside }: FoundList): string | undefined {
  const pages = [beside, beside.pagination, beside.pageInfo].filter(isRecord);
  const total = TOTALS.map((name) => Number(beside[name])).find((count) => count > list.length);
  if (total) return `the file says ${total} entries and has ${list.length}`;
  const goesOn = pages.some((page) => page.has_next === true || page.hasNextPage === true);
  return goesOn ? 'the file is one page of several' : undefined;
}

/**
 * JSON with a list of objects.
 * @param isUnderstood whether these columns can be imported
 * @throws UsageError there is none, or there are several that could be meant
 */
export async function json(
  text: AsyncIterable<string>,
  isUnderstood: (columns: readonly string[]) => boolean,
): Promise<FileTable> {
  const value = await wholeJson(text);
  const lists = [...listsOf(value, '', {})];
  const fit = lists.length === 1 ? lists : lists.filter(({ list }) => isUnderstood(columnsOf(list)));
  const [found, other] = fit;
  if (!found || other) {
    const what = isRecord(value)
      ? `an object with ${Object.keys(value)
          .slice(0, 20)
          .map((name) => `"${name}"`)
          .join(', ')}`
      : 'no list of objects';
    throw new UsageError(
      other
        ? `the file has several lists that could be meant: ${fit.map(({ path }) => `"${path}"`).join(', ')}`
        : `the file is ${what}; a list of objects with a player and a value is imported`,
    );
  }
  async function* records(): AsyncGenerator<FileRecord> {
    for (const [index, values] of found!.list.entries()) {
      if (isRecord(values)) yield { line: index + 1, values };
      else yield { line: index + 1, values: {}, fault: 'is not a JSON object' };
    }
  }
  const columns = columnsOf(found.list);
  const check = exportOf(columns) ? 'is a list of an export without its trailer' : undefined;
  return { columns, records: records(), missing: () => partOf(found) ?? check };
}

/** The members of all objects of a list. */
function columnsOf(list: readonly unknown[]): string[] {
  const columns = new Set<string>();
  for (const values of list) if (isRecord(values)) for (const name of Object.keys(values)) columns.add(name);
  return [...columns];
}
