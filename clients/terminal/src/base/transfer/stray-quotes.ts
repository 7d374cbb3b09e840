/** A record, from its first character to the one after its newline. `more`: its end is not there yet. */
type Scanned = { end: number; cells: number; newlines: number } | 'stray' | 'more';

/** Of a line that {@link StrayQuotes} blanks. */
export const STRAY_QUOTE =
  'has a quote that is not closed, or one in the middle of a cell. Write quotes within a cell doubled, like "in ""quotes"""';

/** Of a line that has not as many cells as the names of the columns. */
export const cellsFault = (cells: number, columns: number) =>
  `has ${cells} cells for ${columns} columns${cells > columns ? '. Write cells with the separator in them in quotes' : ''}`;

/**
 * Blanks the lines of CSV in which a quote is not as spreadsheets write it, so that a parser reads all others: an open quote would take the
 * lines after it along. A record of several lines has as many cells as the first one, or its first line is stray.
 */
export class StrayQuotes {
  /** Numbers of the blanked lines, ascending. */
  readonly lines: number[] = [];
  #rest = '';
  /** Lines passed on. */
  #passed = 0;
  #cells: number | undefined;

  /**
   * @param longest characters of a record
   * @param before records that are not of the table, before its first one
   */
  constructor(
    private readonly separator: string,
    readonly newline: '\n' | '\r',
    private readonly longest: number,
    private before = 0,
  ) {}

  /**
   * @returns the lines that end in this part of a text without a mark of byte order, all with the same newline
   * @throws Error a line is too long
   */
  take(part: string, isEnd = false): string {
    const text = this.#rest + part;
    let passed = '';
    let at = 0;
    while (at < text.length) {
      const found = this.#recordAt(text, at, isEnd);
      if (found === 'more') break;
      passed += found.text;
      at = found.end;
    }
    this.#rest = text.slice(at);
    return passed;
  }

  #recordAt(text: string, at: number, isEnd: boolean): { text: string; end: number } | 'more' {
    const quote = text.indexOf('"', at);
    const plain = text.lastIndexOf(this.newline, quote < 0 ? undefined : quote) + 1;
    if (this.#cells !== undefined && plain > at) return this.#pass(text, at, plain);
    const line = text.indexOf(this.newline, at) + 1 || (isEnd ? text.length : 0);
    const isLong = text.length - at > this.longest;
    if (line === 0 && isLong)
      throw new Error(`line ${this.#passed + 1} is longer than ${this.longest} characters`);
    if (line === 0) return 'more';
    const record = this.#scan(text, at, isEnd);
    if (record === 'more' && !isEnd && !isLong) return 'more';
    if (typeof record === 'object') {
      const { cells, newlines, end } = record;
      if (newlines === 0 || this.#cells === undefined || cells === this.#cells) {
        if (text.slice(at, end).trim() !== '') this.#count(cells);
        return this.#pass(text, at, end);
      }
    }
    this.lines.push(this.#passed + 1);
    this.#passed += 1;
    return { text: this.newline, end: line };
  }

  #count(cells: number): void {
    if (this.before > 0) this.before -= 1;
    else this.#cells ??= cells;
  }

  #pass(text: string, at: number, end: number) {
    this.#passed += this.#newlines(text, at, end);
    return { text: text.slice(at, end).replaceAll('\r\n', '\n'), end };
  }

  #newlines(text: string, from: number, end: number): number {
    let count = 0;
    for (let at = text.indexOf(this.newline, from); at >= 0 && at < end; count += 1)
      at = text.indexOf(this.newline, at + 1);
    return count;
  }

  #scan(text: string, start: number, isEnd: boolean): Scanned {
    let [at, cells, newlines] = [start, 1, 0];
    for (;;) {
      if (text[at] === '"') {
        const open = at;
        do {
          at = text.indexOf('"', at + 1) + 1;
          if (at === 0 || (at === text.length && !isEnd)) return 'more';
        } while (text[at] === '"');
        newlines += this.#newlines(text, open, at);
        if (text[at] === '\r' && this.newline === '\n') at += 1;
        if (at < text.length && text[at] !== this.separator && text[at] !== this.newline) return 'stray';
      } else {
        while (at < text.length && text[at] !== this.separator && text[at] !== this.newline) {
          if (text[at] === '"') return 'stray';
          at += 1;
        }
      }
      if (at >= text.length) return isEnd ? { end: at, cells, newlines } : 'more';
      if (text[at] === this.newline) return { end: at + 1, cells, newlines };
      cells += 1;
      at += 1;
    }
  }
}
