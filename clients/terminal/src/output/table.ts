import stringWidth from 'string-width';
import type { JsonRecord } from '../call.js';

/** One column of a table. */
interface Column {
  title: string;
  /** Numbers are aligned right. */
  right?: boolean;
  /** May be cut if the terminal is narrow; other columns never are. Of two, the one with the smaller weight is cut first. */
  cut?: boolean;
  /** 0 by default; 1: names of records by their ids, 2: the names of the records in the list. */
  weight?: 0 | 1 | 2;
  /** Its words have colours. */
  coloured?: boolean;
}

/** A column and how its text is computed from a record. */
export interface RecordColumn extends Column {
  /** Holds an id: a terminal shows the record's name, a pipe the id. */
  named?: boolean;
  /** True if only pipes have it: a table shows it with another column. */
  onlyPiped?: boolean;
  value(record: JsonRecord): unknown;
  /** What a table shows in place of `value`. */
  shown?(record: JsonRecord): unknown;
}

/** The columns as a table has them: after leading numbers and marks the names of the records, and ids at the end. */
export function inTableOrder(columns: RecordColumn[]): RecordColumn[] {
  const shown = columns.filter(({ onlyPiped }) => !onlyPiped);
  const start = shown.findIndex(({ title, right }) => title !== '' && !right);
  const [lead, rest] = [shown.slice(0, Math.max(start, 0)), shown.slice(Math.max(start, 0))];
  const placeOf = ({ weight, title }: RecordColumn) => (weight === 2 ? 0 : title === 'ID' ? 2 : 1);
  return [...lead, ...rest.toSorted((a, b) => placeOf(a) - placeOf(b))];
}

/**
 * True for each column that a table leaves out, because its text is the same in all of several rows. Numbers and names of the records are
 * always shown, and of equal rows everything.
 */
export function sameInAllRows(columns: Column[], rows: string[][]): boolean[] {
  const same = columns.map(({ right, weight, title }, index) => {
    if (right || weight === 2 || title === '' || rows.length < 2) return false;
    return rows.every((row) => row[index] === rows[0]![index]);
  });
  return same.every((isSame) => isSame) ? same.map(() => false) : same;
}

const GAP = '  ';
const NARROWEST = 8;

/** Numbers of colours of a terminal: environments of games that are not played for real. */
const COLOURS: Record<string, number> = { staging: 33, development: 36 };

function inColour(text: string): string {
  const colour = COLOURS[text.trim()];
  return colour === undefined ? text : `\u001b[${colour}m${text}\u001b[39m`;
}

/** The beginning of a text, at most `width` cells of a terminal. */
function cutTo(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let shown = '';
  // The segmenter is created here because the engine then loads its tables, which commands that cut nothing do not need.
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(shown + segment) > width - 1) break;
    shown += segment;
  }
  return `${shown}…`;
}

/**
 * Rows under titles, in columns separated by blanks. The first rows determine the column widths: rows of later pages
 * are cut to them.
 */
export class TextTable {
  #widths: number[] | undefined;

  /** @param room cells of a line; the columns that may be cut share what the others leave. */
  constructor(
    private readonly columns: Column[],
    private readonly room: number,
    private readonly hasColours = false,
  ) {}

  get titles(): string[] {
    return this.columns.map(({ title }) => title);
  }

  /** Lines of the table, without the titles. */
  lines(rows: string[][]): string[] {
    this.#widths ??= this.#fitted([this.titles, ...rows]);
    return rows.map((row) => this.line(row));
  }

  line(row: string[]): string {
    const widths = this.#widths ?? this.#fitted([row]);
    const cells = row.map((cell, index) => {
      const { right, coloured } = this.columns[index]!;
      const text = cutTo(cell, widths[index]!);
      const pad = ' '.repeat(widths[index]! - stringWidth(text));
      const shown = coloured && this.hasColours ? inColour(text) : text;
      return right ? pad + shown : shown + pad;
    });
    return cells.join(GAP).trimEnd();
  }

  #fitted(rows: string[][]): number[] {
    const widths = this.columns.map((_, index) => Math.max(...rows.map((row) => stringWidth(row[index]!))));
    const spare = () =>
      this.room - GAP.length * (widths.length - 1) - widths.reduce((sum, width) => sum + width, 0);
    const weightOf = (index: number) => this.columns[index]!.weight ?? 0;
    const cuttable = this.columns.flatMap(({ cut }, index) => (cut ? [index] : []));
    while (spare() < 0) {
      const [next] = cuttable
        .filter((index) => widths[index]! > NARROWEST)
        .toSorted((a, b) => weightOf(a) - weightOf(b) || widths[b]! - widths[a]!);
      if (next === undefined) break;
      widths[next]! -= 1;
    }
    return widths;
  }
}
