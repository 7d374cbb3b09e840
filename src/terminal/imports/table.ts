import { type GivenColumns, understand } from './columns.js';
import type { OpenFile } from './open.js';
import { csv, type FileTable, json, ndjson } from './records.js';
import { nakamaDump, oneLeaderboard, steamJson, steamXml } from './services.js';
import type { Decimal } from './values.js';

export interface TableOptions {
  /** False: the first line is a record of `player,score`. */
  header: boolean;
  /** Of Nakama's table: this leaderboard alone. */
  leaderboard?: string;
  decimal?: Decimal;
  players?: boolean;
  given: GivenColumns;
  /** It is an export of a service, whatever its lines say. */
  isExport?: boolean;
}

/** The lines of a file of any format. @throws UsageError it is not what its format is */
export async function tableOf(file: OpenFile, options: TableOptions): Promise<FileTable> {
  const { header, leaderboard, given, isExport = false } = options;
  const ofOne = (table: FileTable) => ({ ...table, records: oneLeaderboard(table.records, leaderboard) });
  switch (file.format) {
    case 'csv':
      return csv(file, header);
    case 'nakama-csv':
      return ofOne(await csv(file, true));
    case 'ndjson':
      return ndjson(file.text, isExport);
    case 'json':
      return json(file.text, (columns) => isUnderstood(columns, given));
    case 'nakama':
      return ofOne(nakamaDump(file.text));
    case 'steam-xml':
      return steamXml(file.text);
    case 'steam-json':
      return steamJson(file.text);
  }
}

function isUnderstood(columns: readonly string[], given: GivenColumns): boolean {
  try {
    return understand(columns, 'json', given).columns.has('value');
  } catch {
    return false;
  }
}
