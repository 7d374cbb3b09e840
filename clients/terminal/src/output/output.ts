import type { JsonRecord } from '../call.js';
import type { ListPage } from '../rest/client.js';
import { innerColumns, isInnerList, onlyPage } from './inner-lists.js';
import { inTableOrder, type RecordColumn, sameInAllRows, TextTable } from './table.js';

/** Output options. */
interface Style {
  /** JSON, as the service answered. */
  json?: boolean;
  /** Ids only. */
  quiet?: boolean;
}

const WIDTH_WITHOUT_TERMINAL = 80;

/** Fields of a record; those of nested records by dotted names. */
function columnsOf(record: JsonRecord, prefix = ''): [name: string, value: unknown][] {
  return Object.entries(record).flatMap(([name, value]) => {
    const nested = typeof value === 'object' && value !== null && !Array.isArray(value) && 'id' in value;
    if (nested) return columnsOf(value as JsonRecord, `${prefix}${name}.`);
    return [[prefix + name, value] satisfies [string, unknown]];
  });
}

/** The id of a record, or of the record that an answer concerns. */
function recordId(record: JsonRecord): unknown {
  const inner = Object.values(record).find(
    (value): value is JsonRecord => typeof value === 'object' && value !== null && 'id' in value,
  );
  return record.id ?? inner?.id;
}

/** The pages with a mark at the last one, for which the next one is requested early. */
async function* withEnd<T>(pages: AsyncIterable<T>): AsyncGenerator<{ page: T; isLast: boolean }> {
  let before: { page: T } | undefined;
  for await (const page of pages) {
    if (before) yield { ...before, isLast: false };
    before = { page };
  }
  if (before) yield { ...before, isLast: true };
}

/** Writes results for a person at a terminal, for a program behind a pipe, or as JSON. */
export class TerminalOutput {
  constructor(
    private readonly stream: NodeJS.WriteStream,
    readonly style: Style,
    /** Names of records by their ids, as far as they can be read. */
    private readonly namesOf?: (ids: ReadonlySet<string>) => Promise<Map<string, string>>,
  ) {}

  line(text: string): void {
    this.stream.write(`${text}\n`);
  }

  /** Prints a sentence for a person; nothing for JSON and ids. */
  say(text: string): void {
    if (!this.style.json && !this.style.quiet) this.line(text);
  }

  #strong(text: string): string {
    return this.stream.isTTY && this.stream.hasColors() ? `\u001b[1m${text}\u001b[22m` : text;
  }

  /** The fields of a record, and below them the lists that it contains. */
  async record(record: JsonRecord): Promise<void> {
    if (this.style.json) return this.line(jsonText(record, 2));
    if (this.style.quiet) return this.line(shownText(recordId(record)));
    const all = columnsOf(record);
    const fields = all.filter(([, value]) => !isInnerList(value));
    this.fields(fields.map(([name, value]) => [name, shownText(value)]));
    for (const [name, value] of all) {
      if (!isInnerList(value)) continue;
      const columns = innerColumns(value);
      this.line(`\n${this.#strong(name)}`);
      if (!this.stream.isTTY) this.line(columns.map(({ title }) => title).join('\t'));
      await this.list(onlyPage(value), columns);
    }
  }

  /** Names and values below each other. */
  fields(fields: [name: string, value: string][]): void {
    const width = Math.max(...fields.map(([name]) => name.length));
    for (const [name, value] of fields) this.line(`${this.#strong(name.padEnd(width))}  ${value}`);
  }

  /**
   * Writes a list page by page.
   * @param hint how to see more, if there is more
   */
  async list(
    pages: AsyncIterable<ListPage<JsonRecord>>,
    columns: RecordColumn[],
    hint?: string,
  ): Promise<void> {
    if (this.style.json) return this.#jsonList(pages);
    if (this.stream.isTTY && !this.style.quiet) return this.#table(pages, inTableOrder(columns), hint);
    for await (const { data } of pages) {
      for (const record of data) {
        this.line(
          this.style.quiet
            ? shownText(record.id)
            : columns.map((column) => shownText(column.value(record))).join('\t'),
        );
      }
    }
  }

  async #table(
    pages: AsyncIterable<ListPage<JsonRecord>>,
    columns: RecordColumn[],
    hint: string | undefined,
  ): Promise<void> {
    const room = this.stream.columns ?? WIDTH_WITHOUT_TERMINAL;
    const hasColours = this.stream.hasColors();
    let table: TextTable | undefined;
    let leftOut: boolean[] = [];
    let total = 0;
    let more = false;
    for await (const { page, isLast } of withEnd(pages)) {
      const rows = await this.#rows(page.data, columns);
      const isFirst = table === undefined;
      // Rows of later pages are not known yet, so that a list of several pages has all columns.
      if (isFirst && isLast) leftOut = sameInAllRows(columns, rows);
      const kept = <T>(cells: T[]) => cells.filter((_, index) => !leftOut[index]);
      table ??= new TextTable(kept(columns), room, hasColours);
      const lines = table.lines(rows.map(kept));
      if (isFirst && rows.length > 0) this.line(this.#strong(table.line(table.titles)));
      for (const line of lines) this.line(line);
      const same = columns.flatMap(({ title }, index) => {
        const text = rows[0]?.[index];
        return leftOut[index] && text !== NOTHING ? [`${title} ${text}`] : [];
      });
      if (same.length > 0) this.line(`\nThe same in all rows: ${same.join(', ')}.`);
      total += page.data.length;
      more = page.pagination.has_next;
    }
    if (total === 0) this.line('None.');
    else if (more && hint) this.line(`\nShowing ${total}. For more, ${hint}`);
  }

  /** Texts of a table's cells; ids are replaced by the names of their records. */
  async #rows(data: JsonRecord[], columns: RecordColumn[]): Promise<string[][]> {
    const named = columns.filter((column) => column.named);
    const ids = data.flatMap((record) => named.map((column) => column.value(record)));
    const wanted = new Set(ids.filter((id): id is string => typeof id === 'string'));
    const names = wanted.size > 0 ? await this.namesOf?.(wanted) : undefined;
    return data.map((record) =>
      columns.map((column) => {
        const value = column.shown ? column.shown(record) : column.value(record);
        return shownText((column.named && names?.get(value as string)) || value);
      }),
    );
  }

  // Each line has one record, so that a long list is written while it is read; together they are the service's envelope.
  async #jsonList(pages: AsyncIterable<ListPage<JsonRecord>>): Promise<void> {
    let first: ListPage<JsonRecord>['pagination'] | undefined;
    let last: ListPage<JsonRecord>['pagination'] | undefined;
    let count = 0;
    for await (const { data, pagination } of pages) {
      if (!first) this.line('{"data": [');
      const lines = data.map((record, index) => (count + index > 0 ? ',' : '') + jsonText(record));
      for (const line of lines) this.line(line);
      first ??= pagination;
      last = pagination;
      count += data.length;
    }
    const pagination = { ...last, has_prev: first?.has_prev, prev_cursor: first?.prev_cursor, count };
    this.line(`], "pagination": ${jsonText(pagination)}}`);
  }
}

/** Characters that would control a terminal or reorder its text: names come from players, who are not trusted. */
const STEERING = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

function visible(character: string): string {
  return `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`;
}

/** Text that is safe for a terminal. */
export function printable(text: string): string {
  return text.replace(STEERING, visible);
}

/** JSON text that is safe for a terminal and parses to the same value. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(/[^\P{Cc}\n]/gu, visible);
}

/** Text of an absent value. */
const NOTHING = '-';

/** Text of any value in a cell or a field. */
export function shownText(value: unknown): string {
  if (value === null || value === undefined) return NOTHING;
  if (Array.isArray(value)) return value.length === 0 ? NOTHING : value.map(shownText).join(', ');
  if (typeof value === 'object') return jsonText(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return printable(String(value));
}

/** A time to the minute, in UTC: `2026-03-01 18:00`. */
export function minute(time: string | null): string | null {
  return time === null ? null : time.slice(0, 16).replace('T', ' ');
}
