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
  /** Address of the service whose export the lines are. */
  from?: string;
  column: string[];
  decimal?: Decimal;
  /** False if the first line is a record of `player,score`. */
  header: boolean;
  /** The only leaderboard of Nakama's table that is read. */
  leaderboard?: string;
  /** True if the file may have players without values. */
  players?: boolean;
  /** True if the file may be incomplete. */
  partial?: boolean;
  /** The unit of the values of a board that shows them as times. */
  times?: ClockUnit | undefined;
}

function isUnderstood(columns: readonly string[], columnOptions: GivenColumns): boolean {
  try {
    return understand(columns, 'json', columnOptions).columns.has('value');
  } catch {
    return false;
  }
}

async function tableOf(
  file: OpenFile,
  columnOptions: GivenColumns,
  options: FileOptions,
): Promise<FileTable> {
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
      return json(file.text, [...columnOptions.names.values()], (columns) =>
        isUnderstood(columns, columnOptions),
      );
    case 'nakama':
      return ofOne(nakamaDump(file.text));
    case 'steam-xml':
      return steamXml(file.text);
    case 'steam-json':
      return steamJson(file.text);
  }
}

/** The rows of a file. @throws UsageError after those of a file that ends early */
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
  const columnOptions = givenColumns(options.column);
  const isLines = from !== undefined || /\.(ndjson|jsonl)(\.gz)?$/i.test(name);
  const file = await openFile(source, options.format ?? (isLines ? 'ndjson' : undefined), partial);
  const table = await tableOf(file, columnOptions, options);
  const kind = [file.format.toUpperCase(), ...file.notes].join(', ');
  const maker = new RowMaker(table, {
    format: file.format,
    columnOptions,
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
