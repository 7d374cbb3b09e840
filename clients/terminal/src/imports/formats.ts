import { UsageError } from '../output/failure.js';

/** Formats of files. JSON is read as a whole, every other one in constant memory. */
export const FILE_FORMATS = [
  'csv',
  'ndjson',
  'json',
  'nakama',
  'nakama-csv',
  'steam-xml',
  'steam-json',
] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

/** Files that are something else, by their first bytes, and how their lines get into one that is read. */
const FOREIGN: [start: string, what: string][] = [
  ['PK\x03\x04', 'a workbook (xlsx, ods) or a zip file. Save the sheet as CSV, or unzip it'],
  ['\xd0\xcf\x11\xe0', 'an old workbook (xls). Save the sheet as CSV'],
  ['PGDMP', 'a pg_dump in custom format. Dump it with --format plain --data-only'],
  ['SQLite format 3\0', 'a SQLite database. Export the table with sqlite3 -header -csv'],
  ['PAR1', 'a Parquet file. Convert it to CSV'],
  ['%PDF', 'a PDF. Save the table as CSV'],
  ['BZh', 'compressed with bzip2. Decompress it, or use gzip'],
  ['\xfd7zXZ', 'compressed with xz. Decompress it, or use gzip'],
  ['\x28\xb5\x2f\xfd', 'compressed with zstd. Decompress it, or use gzip'],
  ['7z\xbc\xaf', 'a 7z archive. Extract it first'],
  ['\x1f\x8b', 'compressed twice. Decompress it once'],
];

/** @throws UsageError the file is of a format that is not read */
export function refuseForeign(head: Buffer): void {
  const start = head.subarray(0, 16).toString('latin1');
  const [, what] = FOREIGN.find(([magic]) => start.startsWith(magic)) ?? [];
  if (what) throw new UsageError(`the file is ${what}`);
}

/** The encoding of text by its first bytes. @throws UsageError it is no text */
export function encodingOf(head: Buffer): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  if (!head.includes(0)) return 'utf-8';
  // Without a mark: ASCII letters have a zero in every second byte.
  if (head[0] !== 0 && head[1] === 0) return 'utf-16le';
  if (head[0] === 0 && head[1] !== 0) return 'utf-16be';
  throw new UsageError('the file is not text. Save it as CSV, NDJSON or JSON');
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

const NAKAMA_COLUMNS = ['leaderboard_id', 'owner_id', 'username', 'score', 'update_time'];

/** The format of a file by what it begins with. @param isWhole it has no more than that */
export function formatOf(head: string, isWhole: boolean): FileFormat {
  const text = head.trimStart();
  const [first = '', ...more] = text.split('\n');
  if (text.startsWith('[')) return 'json';
  if (text.startsWith('{')) {
    if (text.includes('"leaderboardEntryInformation"')) return 'steam-json';
    const isOneLine = isWhole && more.every((line) => line.trim() === '');
    if (isOneLine && /"\s*:\s*\[\s*\{/.test(first)) return 'json';
    return isObject(first) ? 'ndjson' : 'json';
  }
  if (text.startsWith('<')) {
    if (/<response>|<entry>/.test(text)) return 'steam-xml';
    if (/^<!doctype html|<html|<head|<body|<table/i.test(text)) {
      const [, title] = /<title[^>]*>\s*([^<]{1,100}?)\s*</i.exec(text) ?? [];
      const page = title ? `a web page, "${title}"` : 'a web page (HTML)';
      throw new UsageError(
        `the file is ${page}. If it should be a download, sign in and try again; if it is a table, save it as CSV`,
      );
    }
    throw new UsageError('the file is XML, but not a Steam leaderboard. Save the table as CSV');
  }
  if (/^(--\r?\n-- PostgreSQL database dump|COPY )/m.test(text)) return 'nakama';
  const names = first.trim().split(',');
  return NAKAMA_COLUMNS.every((name) => names.includes(name)) ? 'nakama-csv' : 'csv';
}

const SEPARATORS = [',', ';', '\t', '|'];
const SAMPLE_LINES = 20;

const unquoted = (line: string) => line.replace(/"(?:[^"]|"")*"/g, '');
const countOf = (line: string, separator: string) => unquoted(line).split(separator).length - 1;

/** The separator of a table's cells, by its first lines; `isSaid`: a line for spreadsheets (`sep=;`) names it. */
export function separatorOf(head: string, isWhole: boolean): { separator: string; isSaid: boolean } {
  const [, said] = /^sep=(.)\r?\n/i.exec(head) ?? [];
  if (said) return { separator: said, isSaid: true };
  const all = head.split(/\r\n|\n|\r/);
  const lines = (isWhole ? all : all.slice(0, -1))
    .filter((line) => line.trim() !== '')
    .slice(0, SAMPLE_LINES);
  const first = lines[0] ?? '';
  const body = lines.filter((line) => !line.startsWith('# trailer '));
  const present = SEPARATORS.filter(
    (separator) => first.includes(separator) && countOf(first, separator) > 0,
  );
  const steady = present.filter((separator) =>
    body.every((line) => countOf(line, separator) === countOf(first, separator)),
  );
  const [best, rival] = (steady.length > 0 ? steady : present).sort(
    (a, b) => countOf(first, b) - countOf(first, a),
  );
  if (best && rival && countOf(first, best) === countOf(first, rival)) {
    throw new UsageError(`cannot tell whether columns are separated by "${best}" or "${rival}"`);
  }
  return { separator: best ?? ',', isSaid: false };
}
