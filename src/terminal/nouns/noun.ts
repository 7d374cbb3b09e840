import type { Schemas } from '../../client/client.js';
import type { ServiceRecord } from '../call.js';
import type { RecordColumn } from '../output/output.js';
import { minute } from '../output/text.js';

/** A change that has a command of its own, e.g. `revoke`. */
export interface Act {
  name: string;
  about: string;
  /** What is patched. */
  body: Record<string, unknown>;
  /** How the command reports: `Revoked`. */
  done: string;
  /** Whether somebody at a terminal is asked first. */
  asks?: boolean;
}

/** Records of one kind, and what the terminal does with them beside what the OpenAPI document tells. */
export interface Noun {
  /** The command: `games`. */
  name: string;
  /** `game`. */
  one: string;
  about: string;
  /** Of the list, and of one record, in the OpenAPI document. */
  list: string;
  item: string;
  columns: RecordColumn[];
  acts?: Act[];
  /** What is said when something was made, where that is not always `Created game.` */
  creation?: (answer: ServiceRecord) => string;
  /** What changing it is called, and members of the body that are said as words; `update` without words by default. */
  update?: { name: string; words: string[] };
  /** Commands that it has not, though the service has the operation. */
  without?: ('create' | 'update')[];
  /** Filters of the list that other commands are made of. */
  withoutFilters?: string[];
}

/** A column of a field: `['name', 'NAME', 'cut']`. */
export type ColumnRow<R> = [field: keyof R & string, title: string, ...traits: ('cut' | 'right' | 'time')[]];

/** Columns of records of this schema of the OpenAPI document. */
export function columns<N extends keyof Schemas>(
  _schema: N,
  ...rows: ColumnRow<Schemas[N]>[]
): RecordColumn[] {
  return rows.map(([field, title, ...traits]) => ({
    title: traits.includes('time') ? `${title} (UTC)` : title,
    cut: traits.includes('cut'),
    right: traits.includes('right'),
    of: (record) => (traits.includes('time') ? minute(record[field] as string | null) : record[field]),
  }));
}
