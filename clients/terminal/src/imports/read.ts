import { UsageError } from '../output/failure.js';
import { type GivenColumns, givenColumns, understand } from './columns.js';
import type { FileFormat } from './formats.js';
import { json } from './json.js';
import { type OpenFile, openFile } from './open.js';
import { csv, ndjson } from './records.js';
import { type FileRow, RowMaker } from './rows.js';
import { nakamaDump, oneLeaderboard, steamJson, steamXml } from './services.js';
import type { FileTable } from './table/file-table.js';
import type { ClockUnit, Decimal } from './values.js';

/** Options about the file. */
export interface FileOptions {
  format?: FileFormat;
  /** The lines are an export of a service at this address. */
  from?: string;
  column: string[];
  decimal?: Decimal;
  /** False: the first line is a record of `player,score`. */
  header: boolean;
  /** Of Nakama's table: this leaderboard alone. */
  leaderboard?: string;
  /** The file may hold players alone. */
  players?: boolean;
  /** The file may be incomplete. */
  partial?: boolean;
  /** Of a board that shows its values as times: their unit. */
  times?: ClockUnit | undefined;
}

function isUnderstood(columns: readonly string[], given: GivenColumns): boolean {
  try {
    return understand(columns, 'json', given).columns.has('value');
  } catch {
    return false;
  }
}

async function tableOf(file: OpenFile, given: GivenColumns, options: FileOptions): Promise<FileTable> {
  const ofOne = (table: FileTable) => ({
    ...table,
    records: oneLeaderboard(table.records, options.leaderboard),
  });
  switch (file.format) {
    case 'csv':
      return csv(file, options.header);
    case 'nakama-csv':
      return ofOne(await csv(file, true));
    case 'ndjson':
      return ndjson(file.text, options.from !== undefined);
    case 'json':
      return json(file.text, [...given.names.values()], (columns) => isUnderstood(columns, given));
    case 'nakama':
      return ofOne(nakamaDump(file.text));
    case 'steam-xml':
      return steamXml(file.text);
    case 'steam-json':
      return steamJson(file.text);
  }
}

/** @throws UsageError after the rows of a file that ends early */
async function* whole(
  rows: AsyncIterable<FileRow>,
  table: FileTable,
  partial: boolean,
  say: (text: string) => void,
) {
  yield* rows;
  const missing = table.missing();
  if (missing === undefined) return;
  if (!partial)
    throw new UsageError(
      `the file is incomplete: ${missing}. Get the rest, or use --partial to import it as far as it goes`,
    );
  say(`The file is incomplete: ${missing}.`);
}

/** The rows of a file. */
interface FileRows {
  rows: AsyncIterable<FileRow>;
  /** Lines of the file that are rows so far. */
  readonly lines: number;
}

/**
 * Reads a file of any format: the one place where a file, its columns and its values are understood.
 * @param name of the file, which decides where the content leaves it open
 * @param say is called with what was understood, before the first row
 * @throws UsageError the file, or while its rows are read a line, is not understood; nothing is guessed
 */
export async function readFile(
  source: AsyncIterable<Buffer>,
  name: string,
  options: FileOptions,
  say: (text: string) => void,
): Promise<FileRows> {
  const { from, partial = false, decimal, times, players = false } = options;
  const given = givenColumns(options.column);
  const isLines = from !== undefined || /\.(ndjson|jsonl)(\.gz)?$/i.test(name);
  const file = await openFile(source, options.format ?? (isLines ? 'ndjson' : undefined), partial);
  const table = await tableOf(file, given, options);
  const kind = [file.format.toUpperCase(), ...file.notes].join(', ');
  const maker = new RowMaker(table, {
    format: file.format,
    given,
    decimal,
    times,
    players,
    say: (mapping) => say(`Reading ${kind}: ${mapping}`),
  });
  return {
    rows: whole(maker.rows(), table, partial, say),
    get lines() {
      return maker.lines;
    },
  };
}
