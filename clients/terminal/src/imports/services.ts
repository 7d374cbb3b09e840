import { UsageError } from '../output/failure.js';
import { wholeJson } from './json.js';
import { numbered } from './records.js';
import type { FileRecord, FileTable } from './table/file-table.js';

const COPY = /^COPY (?:\w+\.)?"?leaderboard_record"? \(([^)]*)\) FROM stdin;/;
const ESCAPES: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** A value of Postgres' text format; `\N` is null. */
function copyValue(text: string): string | undefined {
  if (text === '\\N') return undefined;
  return text.replace(/\\(.)/g, (_, letter: string) => ESCAPES[letter] ?? letter);
}

/** The lines of one leaderboard of Nakama's table; others are left out. @throws UsageError there are several, and none is named */
export async function* oneLeaderboard(
  records: AsyncIterable<FileRecord>,
  leaderboard: string | undefined,
): AsyncGenerator<FileRecord> {
  let only = leaderboard;
  let hasLines = false;
  const others = new Set<string>();
  for await (const record of records) {
    const board = String(record.values.leaderboard_id);
    if (record.fault === undefined) only ??= board;
    if (record.fault !== undefined || board === only) {
      hasLines = true;
      yield record;
    } else if (leaderboard === undefined) {
      throw new UsageError('the file has more than one leaderboard. Choose one with --leaderboard <id>');
    } else {
      if (others.size < 10) others.add(board);
      yield { ...record, isLeftOut: true };
    }
  }
  if (!hasLines && others.size > 0) {
    throw new UsageError(`the file has no leaderboard "${leaderboard}". It has ${[...others].join(', ')}`);
  }
}

/** The table `leaderboard_record` as `pg_dump --data-only` writes it. */
export function nakamaDump(text: AsyncIterable<string>): FileTable {
  let columns: string[] | undefined;
  let seen = false;
  async function* records(): AsyncGenerator<FileRecord> {
    for await (const { line, text: row } of numbered(text)) {
      if (!columns) {
        columns = COPY.exec(row)?.[1]
          ?.split(',')
          .map((name) => name.trim().replaceAll('"', ''));
        seen ||= columns !== undefined;
      } else if (row === '\\.') columns = undefined;
      else {
        const cells = row.split('\t').map(copyValue);
        const fault = `has ${cells.length} cells for ${columns.length} columns`;
        const values = Object.fromEntries(columns.map((name, index) => [name, cells[index]]));
        yield { line, values, ...(cells.length !== columns.length && { fault }) };
      }
    }
    if (!seen)
      throw new UsageError('the file has no table leaderboard_record. Create it with pg_dump --data-only');
  }
  return {
    records: records(),
    missing: () => (columns ? 'the last line (\\.) of the table is missing' : undefined),
  };
}

const ENTRY = /<entry>([\s\S]*?)<\/entry>/g;
const TAG = /<(\w+)>(?:<!\[CDATA\[)?([^<\]]*)(?:\]\]>)?<\/\1>/g;
const TOTAL = /<totalLeaderboardEntries>(\d+)</;
/** Characters of one entry. */
const LONGEST_ENTRY = 1_000_000;

/** Steam's community XML of a leaderboard (`…/leaderboards/<id>/?xml=1`); "line" is the number of the entry. */
export function steamXml(text: AsyncIterable<string>): FileTable {
  let line = 0;
  let total = 0;
  let isClosed = false;
  async function* records(): AsyncGenerator<FileRecord> {
    let rest = '';
    for await (const part of text) {
      rest += part;
      total = Math.max(total, Number(TOTAL.exec(rest)?.[1] ?? 0));
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
      if (rest.length > LONGEST_ENTRY) throw new UsageError('the file is not a Steam leaderboard');
    }
    isClosed = /<\/response>\s*$/.test(rest);
    if (line === 0)
      throw new UsageError(
        'the file has no <entry>, so it is not a Steam leaderboard, or one without scores',
      );
  }
  const missing = () => {
    if (line < total)
      return `the leaderboard has ${total} entries, but the file only ${line}. Append its other pages (start=${line + 1})`;
    return isClosed ? undefined : 'the file is cut off before </response>';
  };
  return { records: records(), missing };
}

/** The response of ISteamLeaderboards/GetLeaderboardEntries. */
export function steamJson(text: AsyncIterable<string>): FileTable {
  let missing: string | undefined;
  async function* records(): AsyncGenerator<FileRecord> {
    const answer = (await wholeJson(text)) as Record<string, Record<string, unknown>>;
    const { leaderboardEntries: entries, totalLeaderBoardEntryCount: total } =
      answer?.leaderboardEntryInformation ?? {};
    if (!Array.isArray(entries)) {
      throw new UsageError('the file has no leaderboardEntryInformation, so it is not a Steam response');
    }
    if (Number(total) > entries.length)
      missing = `the leaderboard has ${total} entries, but the file only ${entries.length}`;
    for (const [index, values] of entries.entries()) yield { line: index + 1, values };
  }
  return { records: records(), missing: () => missing };
}
