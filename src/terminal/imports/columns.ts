import { IMPORTED, IMPORTED_OF_EXPORTS } from '../../base/transfer/imported.js';
import { UsageError } from '../output/failure.js';
import { exportOf } from './exports.js';
import type { FileFormat } from './formats.js';
import type { ClockUnit } from './values.js';

const PLAYERS = ['player', 'user'];
const NAMES = [
  'name',
  'username',
  'user_name',
  'playername',
  'nickname',
  'nick',
  'display_name',
  'displayname',
];

/** Names of columns in files, in tiers: the first tier with a column of the file decides, and two of one tier are unclear. */
const KNOWN_AS: Partial<Record<string, string[][]>> = {
  external_key: [
    ['external_key'],
    ['player_id', 'playerid', 'user_id', 'userid', 'steam_id', 'steamid', 'uuid', 'id'],
    PLAYERS,
    NAMES,
  ],
  player_name: [['player_name'], NAMES, PLAYERS],
  value: [['value', 'score', 'points', 'time']],
  occurred_at: [
    ['occurred_at'],
    ['date', 'datetime', 'date_time', 'timestamp', 'played_at', 'submitted_at', 'achieved_at', 'created_at'],
  ],
};

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
        `--column "${option}" is not one of ${IMPORTED.map((known) => `${known}=<name>`).join(', ')}`,
      );
    }
    const [, bare, unit] = name === 'value' ? (/^(.+):(s|ms)$/s.exec(column) ?? []) : [];
    if (unit) clock = unit as ClockUnit;
    names.set(name, bare ?? column);
  }
  return { names, clock };
}

/** Column names are alike in any case, and with blanks or hyphens for underscores. */
const spelt = (name: string) =>
  name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
const quoted = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ');

/** Columns of the service by those of a file. */
export interface Mapping {
  columns: ReadonlyMap<string, string>;
  /** The kind of export that the file is. */
  exported: string | undefined;
}

/** Of two columns that could be meant none is taken. */
function requireOne(name: string, found: readonly string[]): string | undefined {
  if (found.length < 2) return found[0];
  throw new UsageError(
    `${name} could be ${found.map((column) => `"${column}"`).join(' or ')}. Choose one with --column ${name}=<column>`,
  );
}

function exactly(columns: readonly string[], wanted: string, name: string): string {
  const found = columns.filter((column) => column === wanted);
  const close = found.length > 0 ? found : columns.filter((column) => spelt(column) === spelt(wanted));
  const one = requireOne(name, close);
  if (one !== undefined) return one;
  throw new UsageError(
    `--column ${name}=${wanted}: no such column. The file has ${quoted(columns) || 'none'}`,
  );
}

/**
 * Understands the columns of a file.
 * @throws UsageError two columns could be meant, a named one is missing, or there is none for the player
 */
export function understand(columns: readonly string[], format: FileFormat, given: GivenColumns): Mapping {
  const mapping = new Map<string, string>();
  for (const [name, wanted] of given.names) if (wanted) mapping.set(name, exactly(columns, wanted, name));
  const preset = PRESETS[format];
  const exported = preset ? undefined : exportOf(columns);
  const isTaken = (column: string) => [...mapping.values()].includes(column);
  for (const name of IMPORTED) {
    if (given.names.has(name)) continue;
    const tiers = preset || exported ? [[preset ? preset[name] : name]] : (KNOWN_AS[name] ?? [[name]]);
    for (const tier of tiers) {
      const found = columns.filter((column) =>
        preset ? tier.includes(column) : tier.includes(spelt(column)) && !isTaken(column),
      );
      // An id column next to a player column may be the run's id.
      const rivals = found.some((column) => spelt(column) === 'id')
        ? columns.filter((column) => PLAYERS.includes(spelt(column)) && !isTaken(column))
        : [];
      const one = requireOne(name, [...found, ...rivals]);
      if (one !== undefined) mapping.set(name, one);
      if (one !== undefined) break;
    }
  }
  if (!mapping.has('external_key')) {
    const what = columns.length > 0 ? `its columns are ${quoted(columns)}` : 'it has none';
    throw new UsageError(
      `no column for the player found (${what}). Choose one with --column external_key=<column>`,
    );
  }
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
