import { type Html, html } from '../../base/html.js';
import { gapText, isOwnText, type Measure, type ShownValue, shownValue } from '../../base/value-format.js';

/** A value with its text: the game's own, or by the board's format. */
export interface Valued {
  value: number;
  valueDisplay: string | null;
}

/** A value as a page shows it. On a page that is open for longer than its board has a format, it is a number. */
export function valueParts({ unit, format }: Measure, { value, valueDisplay }: Valued): ShownValue {
  return shownValue({ unit, format: valueDisplay === null ? null : format }, value, valueDisplay);
}

/** The distance of two values, without a sign; undefined where the game writes one of them in its own way. */
export function gapOf(measure: Measure, one: Valued, other: Valued): string | undefined {
  const isOwn = [one, other].some(({ value, valueDisplay }) => isOwnText(measure, value, valueDisplay));
  return isOwn ? undefined : gapText(measure, one.value - other.value);
}

/** What the page's script has to know of the board to show later values. */
export function measureData({ unit, format }: Measure): Html {
  return html`data-unit="${unit}"${format && html` data-format="${JSON.stringify(format)}"`}`;
}

/** The reverse. */
export function measureOf({ unit, format }: { unit?: string; format?: string }): Measure {
  return { unit: unit || null, format: format ? (JSON.parse(format) as Measure['format']) : null };
}
