import { IMPORTED, IMPORTED_OF_EXPORTS } from '../base/transfer/imported.js';
import { UsageError } from '../output/failure.js';
import { exportOf } from './exports.js';
import type { FileFormat } from './formats.js';
import { spelt, tiersOf } from './table/known-columns.js';
import type { ClockUnit } from './values.js';

const NAKAMA: Record<string, string> = {
  external_key: 'owner_id',
  player_name: 'username',
  value: 'score',
  occurred_at: 'update_time',
  metadata: 'metadata',
};
const PRESETS: Partial<Record<FileFormat, Record<string, string>>> = {
  nakama: NAKAMA,
  'nakama-csv': NAKAMA,
  'steam-xml': { external_key: 'steamid', value: 'score' },
  'steam-json': { external_key: 'steamID', value: 'score' },
};

/** The `--column` options: the file's column of a value (empty: none is read), and the unit of clock times. */
export interface GivenColumns {
  names: ReadonlyMap<string, string>;
  clock: ClockUnit | undefined;
}

/** Reads `--column value=points` options. @throws UsageError for other words */
export function givenColumns(options: readonly string[]): GivenColumns {
  const names = new Map<string, string>();
  let clock: ClockUnit | undefined;
  for (const option of options) {
    const [, name, column] = /^(\w+)=(.*)$/s.exec(option) ?? [];
    if (!name || column === undefined || !(IMPORTED as readonly string[]).includes(name)) {
      throw new UsageError(
        `--column "${option}" is not one of ${IMPORTED.map((value) => `${value}=<name>`).join(', ')}`,
      );
    }
    const [, bare, unit] = name === 'value' ? (/^(.+):(s|ms)$/s.exec(column) ?? []) : [];
    if (unit) clock = unit as ClockUnit;
    names.set(name, bare ?? column);
  }
  return { names, clock };
}

const quoted = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ');

/** Columns of the service by those of a file. */
export interface Mapping {
  columns: ReadonlyMap<string, string>;
  /** The kind of export that the file is. */
  exported: string | undefined;
}

/** The only column that could be meant. @throws UsageError there are two */
function requireOne(name: string, candidates: readonly string[]): string {
  if (candidates.length === 1) return candidates[0]!;
  throw new UsageError(
    `${name} could be ${candidates.map((column) => `"${column}"`).join(' or ')}. Choose one with --column ${name}=<column>`,
  );
}

/** The columns that are nearest to the line itself, rather than deep in its objects. */
function shallowest(columns: readonly string[]): string[] {
  const depthOf = (column: string) => column.split('.').length;
  const least = Math.min(...columns.map(depthOf));
  return columns.filter((column) => depthOf(column) === least);
}

function exactly(columns: readonly string[], wanted: string, name: string): string {
  const same = columns.filter((column) => column === wanted);
  const close = same.length > 0 ? same : columns.filter((column) => spelt(column) === spelt(wanted));
  if (close.length > 0) return requireOne(name, close);
  throw new UsageError(
    `--column ${name}=${wanted}: no such column. The file has ${quoted(columns) || 'none'}`,
  );
}

function noPlayer(columns: readonly string[], hasValue: boolean): string {
  const what = columns.length > 0 ? `its columns are ${quoted(columns)}` : 'it has none';
  const how = `--column external_key=<column>${hasValue ? '' : ' --column value=<column>'}`;
  // The first line of a table without names is a score.
  const isBare = columns.length === 2 && /\d/.test(columns[1]!) && !/[a-z]{2}/i.test(columns[1]!);
  const other = isBare
    ? ', or use --no-header if the first line is a score'
    : '. The first line must have the names of the columns';
  const sought = `for the player${hasValue ? '' : ' and none for the value'}`;
  return `no column ${sought} found (${what}). Choose ${hasValue ? 'one' : 'them'} with ${how}${other}`;
}

/**
 * Understands the columns of a file.
 * @throws UsageError two columns could be meant, a named one is missing, or there is none for the player
 */
export function understand(
  columns: readonly string[],
  format: FileFormat,
  columnOptions: GivenColumns,
): Mapping {
  const mapping = new Map<string, string>();
  for (const [name, wanted] of columnOptions.names)
    if (wanted) mapping.set(name, exactly(columns, wanted, name));
  const preset = PRESETS[format];
  const exported = preset ? undefined : exportOf(columns);
  const isTaken = (column: string) => [...mapping.values()].includes(column);
  for (const name of IMPORTED) {
    if (columnOptions.names.has(name)) continue;
    const only = preset ? preset[name] : name;
    const tiers =
      preset || exported
        ? [{ has: (column: string) => column === only }]
        : tiersOf(name, mapping.get('external_key'));
    const free = columns.filter((column) => !isTaken(column));
    for (const { has, rivals } of tiers) {
      const nearest = shallowest(free.filter(has));
      if (nearest.length === 0) continue;
      const others = rivals ? free.filter((column) => rivals(column) && !nearest.includes(column)) : [];
      mapping.set(name, requireOne(name, [...nearest, ...others]));
      break;
    }
  }
  if (!mapping.has('external_key')) throw new UsageError(noPlayer(columns, mapping.has('value')));
  const isOwn = columns.includes('external_key') && columns.some((name) => /^(score|event)_id$/.test(name));
  if (exported || isOwn)
    for (const name of IMPORTED_OF_EXPORTS) if (columns.includes(name)) mapping.set(name, name);
  return { columns: mapping, exported };
}

/** `external_key ← player, value ← score` */
export function mappingText({ columns }: Mapping, clock: ClockUnit | undefined): string {
  return [...columns]
    .map(
      ([name, column]) =>
        `${name} ← ${column}${name === 'value' && clock ? ` (clock times in ${clock})` : ''}`,
    )
    .join(', ');
}
