/** A line for people, on standard output. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints rows below their headings; the first column left-aligned, figures right-aligned. */
export function sayTable(headings: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd();
  for (const row of [headings, ...rows]) say(`  ${line(row)}`);
}

/** Prints rows as a table in Markdown, as docs/performance.md has them. @param left columns of text */
export function sayMarkdown(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  left: readonly number[] = [0],
): void {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  say(line(headings));
  say(line(headings.map((_, column) => (left.includes(column) ? '---' : '---:'))));
  for (const row of rows) say(line(row));
}

/**
 * The table "Upkeep" of docs/performance.md, to which several scripts contribute rows: subject, figure, context.
 */
export function sayUpkeep(rows: readonly (readonly [string, string, string])[]): void {
  say('');
  sayMarkdown(['', 'figure', 'beside it'], rows, [0, 1, 2]);
}

export function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** `0.84×` */
export function times(ratio: number): string {
  return `${ratio.toFixed(2)}×`;
}

export function micros(value: number | undefined): string {
  return value === undefined || Number.isNaN(value) ? '–' : `${value.toFixed(0)} µs`;
}

export function millis(value: number): string {
  return `${value.toFixed(1)} ms`;
}

/** `10k`, `5m`: as on the command line. */
export function size(entries: number): string {
  if (entries % 1_000_000 === 0) return `${entries / 1_000_000}m`;
  return entries % 1_000 === 0 ? `${entries / 1_000}k` : String(entries);
}
