import type { JsonRecord } from '../call.js';
import { minute } from '../output/output.js';
import type { RecordColumn } from '../output/table.js';
import type { Schemas } from '../rest/client.js';

/** A change that has its own command, e.g. `revoke`. */
export interface Act {
  name: string;
  about: string;
  /** The body of the request. */
  body: Record<string, unknown>;
  /** Members of the body that are given as words. */
  words?: string[];
  /** Members of the body that are given as options, e.g. `dry_run`: then nothing is changed, and nothing asked. */
  options?: string[];
  /** Path of an operation that makes the change; otherwise it is a patch of the record. */
  at?: string;
  /** Message afterwards: `Revoked key.` */
  done: string;
  /** Members of the response that are shown; absent: all. `--json` prints all of it. */
  shows?: string[];
  /** True if it needs a confirmation: the user's, or `--yes` where the command can't ask. */
  asks?: boolean;
}

/** Records of one kind, and their commands beyond those that follow from the OpenAPI document. */
export interface Noun {
  /** The command: `games`. */
  name: string;
  /** The word for one record: `game`. */
  one: string;
  about: string;
  /** Paths of the list and of one record in the OpenAPI document. */
  list: string;
  item: string;
  columns: RecordColumn[];
  acts?: Act[];
  /** Message after creation, where it is not always `Created game.` */
  creation?: (answer: JsonRecord) => string;
  /**
   * Name of the command that changes it, and body members that are given as words; `update` without words by default.
   */
  update?: { name: string; words: string[] };
  /** Commands that it lacks, though the service has the operation. */
  without?: ('create' | 'update')[];
  /** Filters that the list lacks because other commands use them. */
  withoutFilters?: string[];
}

/** A column of a field: `['name', 'NAME', 'cut']`. */
type ColumnRow<R> = [
  field: keyof R & string,
  title: string,
  ...traits: ('name' | 'cut' | 'right' | 'time' | 'named' | 'coloured' | 'onlyPiped')[],
];

/** Columns of records of this schema of the OpenAPI document. */
export function columns<N extends keyof Schemas>(
  _schema: N,
  ...rows: ColumnRow<Schemas[N]>[]
): RecordColumn[] {
  return rows.map(([field, title, ...traits]) => ({
    title: traits.includes('time') ? `${title} (UTC)` : title,
    // Names can be of any length.
    cut: ['name', 'cut', 'named'].some((trait) => traits.includes(trait as 'cut')),
    weight: traits.includes('name') ? 2 : traits.includes('named') ? 1 : 0,
    onlyPiped: traits.includes('onlyPiped'),
    right: traits.includes('right'),
    named: traits.includes('named'),
    coloured: traits.includes('coloured'),
    value: (record) => (traits.includes('time') ? minute(record[field] as string | null) : record[field]),
  }));
}

const DIGITS = new Intl.NumberFormat('en', { maximumFractionDigits: 6 });

/**
 * The column of a score's value. A table shows it as the board's pages do: the game's text, else that of the board's format, else the
 * number with the board's unit.
 */
function valueColumn(unit: unknown = null): RecordColumn {
  const measured = (value: unknown) => {
    if (typeof value !== 'number') return value;
    return unit === null ? DIGITS.format(value) : `${DIGITS.format(value)} ${unit}`;
  };
  return {
    title: 'VALUE',
    right: true,
    value: ({ value }) => value,
    shown: ({ value, value_display: text }) => text ?? measured(value),
  };
}

export const VALUE = valueColumn();

/** The columns with values in the unit of a board. */
export function inUnit(columns: RecordColumn[], unit: unknown): RecordColumn[] {
  return columns.map((column) => (column === VALUE ? valueColumn(unit) : column));
}

/** @param one the word for the record */
export function suspension(one: string): Act[] {
  return [
    {
      name: 'suspend',
      about: 'suspend it; undo with activate',
      body: { status: 'suspended' },
      done: `Suspended ${one}.`,
    },
    { name: 'activate', about: 'activate it again', body: { status: 'active' }, done: `Activated ${one}.` },
  ];
}

/** @param one the word for the record */
export function revocation(one: string): Act {
  return {
    name: 'revoke',
    about: 'revoke it permanently',
    body: { status: 'revoked' },
    done: `Revoked ${one}.`,
    asks: true,
  };
}
