import { IMPORTED } from '../base/transfer/imported.js';
import { printable } from '../output/output.js';

/** Ranges of lines that are named with one reason. */
const MOST_RANGES = 100;
/** Columns that a line must have, or that the file is imported for. */
const NEEDED = new Set(['external_key', 'value']);

type Range = [from: number, to: number];

interface Kind {
  /** The reason of its first line. */
  reason: string;
  first: number;
  /** Other lines. */
  ranges: Range[];
  count: number;
}

/** Reasons are alike but for the values and numbers in them. */
const kindOf = (reason: string) => reason.replaceAll(/"[^"]*"/g, '""').replaceAll(/\d+/g, '0');

/** The way out where a column can be left out. */
function hintOf(reason: string): string {
  const [column = ''] = reason.split(' ', 1);
  const isOptional = (IMPORTED as readonly string[]).includes(column) && !NEEDED.has(column);
  return isOptional ? `. To import without this column: --column ${column}=` : '';
}

/** Bad lines of a file by what is wrong with them: each reason is said once. */
export class BadLines {
  readonly #kinds = new Map<string, Kind>();

  take({ line, reason }: { line: number; reason: string }): void {
    const kind = this.#kinds.get(kindOf(reason));
    if (!kind) {
      this.#kinds.set(kindOf(reason), { reason, first: line, ranges: [], count: 1 });
      return;
    }
    kind.count += 1;
    const last = kind.ranges.at(-1);
    if (last && last[1] === line - 1) last[1] = line;
    else if (kind.ranges.length < MOST_RANGES) kind.ranges.push([line, line]);
  }

  /** One text for each reason, in the order of the file. */
  texts(): string[] {
    return [...this.#kinds.values()].map(({ reason, first, ranges, count }) => {
      const named = ranges.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`));
      const beyond = count - 1 - ranges.reduce((sum, [from, to]) => sum + to - from + 1, 0);
      if (beyond > 0) named.push(`${beyond} more`);
      const word = count === 2 ? 'line' : 'lines';
      const others = named.length > 0 ? ` (the same in ${word} ${named.join(', ')})` : '';
      return printable(`line ${first}: ${reason}${hintOf(reason)}${others}`);
    });
  }
}
