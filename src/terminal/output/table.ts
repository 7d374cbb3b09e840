import stringWidth from 'string-width';

/** One column of a table. */
export interface Column {
  title: string;
  /** Numbers stand right. */
  right?: boolean;
  /** May be cut where the terminal is narrow; others never are. */
  cut?: boolean;
}

const GAP = '  ';
const NARROWEST = 8;

/** The beginning of a text, at most `width` cells of a terminal. */
function cutTo(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = '';
  // Made here: with the first one the engine reads its tables, which commands without a table to cut need not wait for.
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(kept + segment) > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/**
 * Rows under titles, told apart by blanks alone. The first rows decide how wide the columns are: rows of later pages
 * are cut to them.
 */
export class Table {
  #widths: number[] | undefined;

  /** @param room cells of a line; the columns that may be cut share what the others leave. */
  constructor(
    private readonly columns: Column[],
    private readonly room: number,
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
      const { right } = this.columns[index]!;
      const text = cutTo(cell, widths[index]!);
      const pad = ' '.repeat(widths[index]! - stringWidth(text));
      return right ? pad + text : text + pad;
    });
    return cells.join(GAP).trimEnd();
  }

  #fitted(rows: string[][]): number[] {
    const widths = this.columns.map((_, index) => Math.max(...rows.map((row) => stringWidth(row[index]!))));
    const spare = () =>
      this.room - GAP.length * (widths.length - 1) - widths.reduce((sum, width) => sum + width, 0);
    const cuttable = this.columns.flatMap(({ cut }, index) => (cut ? [index] : []));
    while (spare() < 0) {
      const [widest] = cuttable.toSorted((a, b) => widths[b]! - widths[a]!);
      if (widest === undefined || widths[widest]! <= NARROWEST) break;
      widths[widest]! -= 1;
    }
    return widths;
  }
}
