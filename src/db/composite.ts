/** A member of a row; undefined and null are null. */
export type CompositeField = string | number | boolean | Date | object | null | undefined;

/** Columns of a composite type, in its order; true: the column holds free text or an object, which may need quotes. */
export type CompositeType = readonly (readonly [column: string, isFree: boolean])[];

/**
 * A list of rows as a parameter: an array of a composite type. Postgres reads it three times as fast as an array for each
 * column, and twice as fast as JSON.
 * @returns null for an empty list
 */
export function compositeArray(
  type: CompositeType,
  rows: readonly Readonly<Record<string, CompositeField>>[],
): string | null {
  if (rows.length === 0) return null;
  let text = '{';
  for (const row of rows) {
    let values = '';
    let hasQuotes = false;
    for (const [column, isFree] of type) {
      const value = row[column];
      values += ',';
      if (value === null || value === undefined) continue;
      if (value instanceof Date) values += timeText(value);
      else if (isFree) {
        values += quoted(typeof value === 'object' ? JSON.stringify(value) : String(value));
        hasQuotes = true;
      } else values += value;
    }
    const element = `(${values.slice(1)})`;
    text += text.length > 1 ? ',' : '';
    text += hasQuotes ? quoted(element) : `"${element}"`;
  }
  return `${text}}`;
}

let lastTime: Date | undefined;
let lastText = '';

/** Most times of a batch are the same object. */
function timeText(time: Date): string {
  if (time !== lastTime) {
    lastTime = time;
    lastText = time.toISOString();
  }
  return lastText;
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
