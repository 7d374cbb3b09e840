import { UsageError } from '../output/failure.js';
import type { FileFormat, FileRecord } from './records.js';

/** Columns of an import that every file may have. */
const COLUMNS = [
  'external_key',
  'player_name',
  'value',
  'occurred_at',
  'value_display',
  'metadata',
  'identity_kind',
  'is_test',
] as const;

/** Columns of an export, which decide about ties, replacements and rows that do not count. */
const OF_EXPORTS = ['status', 'counts', 'seq', 'score_id', 'event_id', 'shown_name', 'present_name'];

/** Names of columns in files, best first. */
const KNOWN_AS: Record<string, string[]> = {
  external_key: ['external_key', 'player', 'player_id', 'user_id'],
  player_name: ['player_name', 'name', 'username'],
  value: ['value', 'score', 'points'],
};

const NAKAMA: Record<string, string[]> = {
  external_key: ['owner_id'],
  player_name: ['username'],
  value: ['score'],
  occurred_at: ['update_time'],
  metadata: ['metadata'],
};

const STEAM: Record<string, string[]> = { external_key: ['steamid', 'steamID'], value: ['score'] };

/** A row of the service, or the fault of its line. */
export type FileRow =
  | ({ fault?: undefined } & Record<string, unknown> & { line: number })
  | { line: number; fault: string };

/** Reads `--column value=points` options. @throws UsageError for other words */
export function givenColumns(options: readonly string[]): Map<string, string> {
  const given = new Map<string, string>();
  for (const option of options) {
    const [, name, column] = /^(\w+)=(.+)$/.exec(option) ?? [];
    if (!name || !column || !(COLUMNS as readonly string[]).includes(name)) {
      throw new UsageError(
        `--column "${option}" is not one of ${COLUMNS.map((known) => `${known}=<name>`).join(', ')}`,
      );
    }
    given.set(name, column);
  }
  return given;
}

function isEmptyMetadata(value: unknown): boolean {
  return value === '{}' || value === '';
}

/** Returns the function that makes a row of the service of a record of a file. */
export function rowMaker(
  format: FileFormat,
  given: ReadonlyMap<string, string>,
): (record: FileRecord) => FileRow {
  const preset = format.startsWith('nakama') ? NAKAMA : format.startsWith('steam') ? STEAM : undefined;
  const names = (column: string) => {
    const own = given.get(column);
    return own ? [own] : ((preset ?? { ...KNOWN_AS })[column] ?? (preset ? [] : [column]));
  };
  const columns = COLUMNS.map((column) => [column, names(column)] as const);
  return ({ line, values, fault }) => {
    if (fault) return { line, fault };
    const row: Record<string, unknown> & { line: number } = { line };
    for (const [column, candidates] of columns) {
      const found = candidates.find((name) => values[name] !== undefined && values[name] !== null);
      if (found !== undefined && !(column === 'metadata' && isEmptyMetadata(values[found]))) {
        row[column] = values[found];
      }
    }
    if (preset) row.identity_kind ??= 'platform';
    else
      for (const name of OF_EXPORTS)
        if (values[name] != null && values[name] !== '') row[name] = values[name];
    return row;
  };
}
