import { UsageError } from '../output/failure.js';
import { type GivenColumns, type Mapping, mappingText, understand } from './columns.js';
import type { FileFormat } from './formats.js';
import { noScoreIn } from './json.js';
import type { FileRecord, FileTable } from './table/file-table.js';
import { SeenColumns, valueAt } from './table/nested.js';
import { BadValue, type ClockUnit, clockNumber, type Decimal, isClockTime, plainNumber } from './values.js';

/** A row of the service. One with a `fault` is refused there by number and reason. */
export type FileRow = Record<string, unknown> & { line: number };

/** How the lines of a file are read. */
interface Reading {
  format: FileFormat;
  columnOptions: GivenColumns;
  decimal: Decimal | undefined;
  /** The unit of the values of a board that shows them as times. */
  times: ClockUnit | undefined;
  /** True if the file may have players without values. */
  players: boolean;
  /** Takes the mapping before the first row, and when a later line has a further column. */
  say(mapping: string): void;
}

/** Lines whose columns are looked at before the first row is made. */
const SAMPLE = 1_000;

const isEmpty = (value: unknown) => value === undefined || value === null || value === '';

/** Values that are objects. */
const OBJECTS = new Set(['metadata', 'tags', 'player_tags']);

function valueIn(
  value: unknown,
  clock: ClockUnit | undefined,
  { decimal, times }: Pick<Reading, 'decimal' | 'times'>,
): unknown {
  if (clock) return clockNumber(String(value), clock);
  if (typeof value !== 'string') return value;
  if (isClockTime(value.trim())) {
    if (times) return clockNumber(value, times);
    throw new BadValue(
      `value "${value}" is a clock time. Use --column value=<column>:s for seconds or <column>:ms for milliseconds`,
    );
  }
  return plainNumber(value, decimal);
}

/** Makes rows of the lines of a file. */
export class RowMaker {
  readonly #seen: SeenColumns;
  #mapping: Mapping | undefined;
  #lines = 0;
  #faulty = 0;
  #values = 0;

  constructor(
    private readonly table: FileTable,
    private readonly reading: Reading,
  ) {
    this.#seen = new SeenColumns([...reading.columnOptions.names.values()]);
  }

  /** Lines of the file so far. */
  get lines(): number {
    return this.#lines;
  }

  /** @throws UsageError the columns are not understood, or no line has a value */
  async *rows(): AsyncGenerator<FileRow> {
    let sample: FileRecord[] | undefined = [];
    if (this.table.columns) sample = this.#understand();
    for await (const record of this.table.records) {
      if (sample && sample.length < SAMPLE) {
        this.#seen.take(record.values);
        sample.push(record);
        continue;
      }
      if (sample) {
        this.#understand(sample);
        for (const one of sample) yield this.#row(one);
        sample = undefined;
      }
      if (!this.table.columns && this.#seen.take(record.values)) this.#understand();
      yield this.#row(record);
    }
    if (sample && sample.length > 0) {
      this.#understand(sample);
      for (const one of sample) yield this.#row(one);
    }
    this.#requireValues();
  }

  #understand(sample?: readonly FileRecord[]): undefined {
    const { format, columnOptions, players, say } = this.reading;
    const [first] = sample ?? [];
    if (first?.fault !== undefined && this.#seen.all.length === 0)
      throw new UsageError(
        `line ${first.line} ${first.fault}, nor is any other. Choose the format of the file with --format`,
      );
    const before = this.#mapping && mappingText(this.#mapping, columnOptions.clock);
    const columns = this.table.columns ?? this.#seen.all;
    try {
      this.#mapping = understand(columns, format, columnOptions);
    } catch (error) {
      const refusal =
        first && !this.table.columns ? noScoreIn(first.values, sample!.length === 1) : undefined;
      throw refusal === undefined ? error : new UsageError(refusal);
    }
    const mapping = mappingText(this.#mapping, columnOptions.clock);
    const { columns: mapped, exported } = this.#mapping;
    if (!mapped.has('value') && !players && exported !== 'players') {
      const names = columns.filter((name) => name !== '').map((name) => `"${name}"`);
      throw new UsageError(
        `no column for the value found (columns: ${names.join(', ')}). Choose one with --column value=<column>, ` +
          'or use --players for a file with only players',
      );
    }
    if (mapping !== before) say(mapping);
  }

  #requireValues(): void {
    const { columns, exported } = this.#mapping ?? {};
    if (exported || this.table.isExport?.()) return;
    if (this.#lines === 0) throw new UsageError('the file has no lines to import, only names of columns');
    if (this.#values === 0 && this.#faulty < this.#lines && !this.reading.players) {
      throw new UsageError(
        `no line has a value in "${columns?.get('value')}". Use --players for a file with only players`,
      );
    }
  }

  #row({ line, values, fault, isLeftOut }: FileRecord): FileRow {
    this.#lines += 1;
    if (fault !== undefined) {
      this.#faulty += 1;
      return { line, fault };
    }
    const row: FileRow = { line };
    // Players of an export may have no name.
    if (this.#mapping!.exported) row.player_name = '';
    for (const [name, column] of this.#mapping!.columns) {
      const value = valueAt(values, column);
      if (!isEmpty(value) && !(name === 'metadata' && value === '{}')) row[name] = value;
    }
    if (/^(nakama|steam)/.test(this.reading.format)) row.identity_kind ??= 'platform';
    for (const [name, value] of Object.entries(row)) {
      if (typeof value !== 'object' || value === null || OBJECTS.has(name)) continue;
      const column = this.#mapping!.columns.get(name);
      const part = Object.keys(value)[0] ?? '0';
      this.#faulty += 1;
      return {
        line,
        fault: `"${column}" is ${Array.isArray(value) ? 'a list' : 'an object'}. Choose a part of it: --column ${name}=${column}.${part}`,
      };
    }
    if (isLeftOut) return { line, external_key: row.external_key, counts: false };
    if (isEmpty(row.value)) return row;
    this.#values += 1;
    try {
      row.value = valueIn(row.value, this.reading.columnOptions.clock, this.reading);
    } catch (error) {
      if (!(error instanceof BadValue)) throw error;
      return { line, fault: error.message };
    }
    return row;
  }
}
