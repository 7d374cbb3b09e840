import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { parse } from 'csv-parse';
import { withoutMarks } from '../../base/exported.js';
import { UsageError } from '../output/failure.js';

/** One line of a file: its number there, and its values by the names of the file. */
export interface FileRecord {
  line: number;
  values: Record<string, unknown>;
  /** The line cannot be read. */
  fault?: string;
}

/** Formats of files; every one but Steam's JSON, which comes in pages, is read in constant memory. */
export const FILE_FORMATS = ['csv', 'ndjson', 'nakama', 'nakama-csv', 'steam-xml', 'steam-json'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

interface ReadOptions {
  /** False: the first line is a record of `player,score`. */
  header: boolean;
  /** Of Nakama's table: this leaderboard alone. */
  leaderboard?: string;
}

/** The format that a file's name suggests. */
export function formatOf(file: string): FileFormat {
  if (/\.(ndjson|jsonl)$/i.test(file)) return 'ndjson';
  if (/\.xml$/i.test(file)) return 'steam-xml';
  if (/\.json$/i.test(file)) return 'steam-json';
  return 'csv';
}

export function recordsOf(
  format: FileFormat,
  source: Readable,
  options: ReadOptions,
): AsyncIterable<FileRecord> {
  if (format === 'ndjson') return ndjson(source);
  if (format === 'steam-xml') return steamXml(source);
  if (format === 'steam-json') return steamJson(source);
  if (format === 'nakama') return nakama(source, options);
  if (format === 'nakama-csv') return oneLeaderboard(csv(source, true), options);
  return csv(source, options.header);
}

async function* csv(source: Readable, header: boolean): AsyncGenerator<FileRecord> {
  const parser = source.pipe(
    parse({
      bom: true,
      info: true,
      comment: '#',
      comment_no_infix: true,
      skip_empty_lines: true,
      relax_column_count: true,
    }),
  );
  source.on('error', (error) => parser.destroy(error));
  let columns = header ? undefined : ['player', 'score'];
  for await (const { record, info } of parser as AsyncIterable<{
    record: string[];
    info: { lines: number };
  }>) {
    if (!columns) {
      columns = headerOf(record);
      continue;
    }
    const values = withoutMarks(Object.fromEntries(columns.map((name, index) => [name, record[index]])));
    const fault = `has ${record.length} cells for ${columns.length} columns`;
    yield { line: info.lines, values, ...(record.length !== columns.length && { fault }) };
  }
}

function headerOf(names: readonly string[]): string[] {
  const columns = names.map((name) => name.trim());
  const twice = columns.find((name, index) => columns.indexOf(name) < index);
  if (twice !== undefined) throw new UsageError(`the file has the column "${twice}" twice`);
  return columns;
}

async function* numbered(source: Readable): AsyncGenerator<{ line: number; text: string }> {
  let line = 0;
  for await (const text of createInterface({ input: source, crlfDelay: Number.POSITIVE_INFINITY })) {
    line += 1;
    yield { line, text };
  }
}

async function* ndjson(source: Readable): AsyncGenerator<FileRecord> {
  for await (const { line, text } of numbered(source)) {
    if (text.trim() === '') continue;
    let values: unknown;
    try {
      values = JSON.parse(text.replace(/^\uFEFF/, ''));
    } catch {
      yield { line, values: {}, fault: 'is not JSON' };
      continue;
    }
    if (typeof values !== 'object' || values === null || Array.isArray(values)) {
      yield { line, values: {}, fault: 'is not a JSON object' };
    } else if (!('trailer' in values)) yield { line, values: values as Record<string, unknown> };
  }
}

const COPY = /^COPY (?:\w+\.)?"?leaderboard_record"? \(([^)]*)\) FROM stdin;/;
const ESCAPES: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** A value of Postgres' text format; `\N` is null. */
function copyValue(text: string): string | undefined {
  if (text === '\\N') return undefined;
  return text.replace(/\\(.)/g, (_, letter: string) => ESCAPES[letter] ?? letter);
}

/** The lines of one leaderboard of Nakama's table. @throws UsageError there are several, and none is named */
async function* oneLeaderboard(
  records: AsyncIterable<FileRecord>,
  { leaderboard }: ReadOptions,
): AsyncGenerator<FileRecord> {
  let only = leaderboard;
  for await (const record of records) {
    const board = String(record.values.leaderboard_id);
    only ??= board;
    if (board === only) yield record;
    else if (leaderboard === undefined) {
      throw new UsageError('the file holds several leaderboards: name one with --leaderboard <id>');
    }
  }
}

/** The table `leaderboard_record` as `pg_dump --data-only` writes it. */
async function* dumped(source: Readable): AsyncGenerator<FileRecord> {
  let columns: string[] | undefined;
  let seen = false;
  for await (const { line, text } of numbered(source)) {
    if (!columns) {
      columns = COPY.exec(text)?.[1]
        ?.split(',')
        .map((name) => name.trim().replaceAll('"', ''));
      seen ||= columns !== undefined;
    } else if (text === '\\.') columns = undefined;
    else {
      const cells = text.split('\t').map(copyValue);
      yield { line, values: Object.fromEntries(columns.map((name, index) => [name, cells[index]])) };
    }
  }
  if (!seen)
    throw new UsageError('the file has no table leaderboard_record: write it with pg_dump --data-only');
}

const nakama = (source: Readable, options: ReadOptions) => oneLeaderboard(dumped(source), options);

const ENTRY = /<entry>([\s\S]*?)<\/entry>/g;
const TAG = /<(\w+)>(?:<!\[CDATA\[)?([^<\]]*)(?:\]\]>)?<\/\1>/g;

/** Steam's community XML of a leaderboard (`…/leaderboards/<id>/?xml=1`); "line" is the number of the entry. */
async function* steamXml(source: Readable): AsyncGenerator<FileRecord> {
  let rest = '';
  let line = 0;
  for await (const part of source.setEncoding('utf8')) {
    rest += part;
    let end = 0;
    for (const match of rest.matchAll(ENTRY)) {
      line += 1;
      end = match.index + match[0].length;
      yield {
        line,
        values: Object.fromEntries([...match[1]!.matchAll(TAG)].map(([, tag, value]) => [tag, value])),
      };
    }
    rest = rest.slice(end);
  }
  if (line === 0) throw new UsageError('the file has no <entry>: it is no leaderboard of Steam');
}

/** The answer of ISteamLeaderboards/GetLeaderboardEntries. */
async function* steamJson(source: Readable): AsyncGenerator<FileRecord> {
  const answer = JSON.parse(await text(source));
  const entries = answer?.leaderboardEntryInformation?.leaderboardEntries;
  if (!Array.isArray(entries)) {
    throw new UsageError('the file has no leaderboardEntryInformation: it is no answer of Steam');
  }
  for (const [index, values] of entries.entries()) yield { line: index + 1, values };
}
