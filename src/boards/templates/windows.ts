import { earliestInstant, localMillis } from '../views/zone.js';
import { intervalMillis } from './interval.js';
import type { BoardTemplate } from './template.js';

/** A window runs from `start` up to and without `end`. */
export interface TemplateWindow {
  start: Date;
  end: Date;
}

/** How a template's windows follow each other. */
export type Rhythm = Pick<BoardTemplate, 'repeatInterval' | 'nextRunAt' | 'windowsFrom' | 'timeZone'>;

/**
 * Where the windows of a template are counted from once it is saved: from its next one on if its rhythm is another, as long as before
 * if not.
 */
export function windowsFromOf(
  stored: Rhythm | undefined,
  { repeatInterval, nextRunAt, timeZone }: Omit<Rhythm, 'windowsFrom'>,
): Date {
  const isSame =
    stored?.repeatInterval === repeatInterval &&
    stored.timeZone === timeZone &&
    stored.nextRunAt.getTime() === nextRunAt.getTime();
  return (isSame && stored.windowsFrom) || nextRunAt;
}

/** The window of a series that contains an instant, also before the next window. */
export function windowAt(
  { repeatInterval, nextRunAt, windowsFrom, timeZone }: Rhythm,
  instant: Date,
): TemplateWindow {
  const millis = intervalMillis(repeatInterval);
  if (millis === undefined) throw new Error(`not a repeat interval: ${repeatInterval}`);
  const isByClock = windowsFrom !== null && /day|week/.test(repeatInterval);
  const [zone, from] = isByClock ? [timeZone, windowsFrom.getTime()] : ['UTC', nextRunAt.getTime()];
  const reading = localMillis(zone, from);
  const startOf = (n: number) => (n === 0 ? from : earliestInstant(zone, reading + n * millis));
  const at = instant.getTime();
  let n = Math.floor((localMillis(zone, at) - reading) / millis);
  while (startOf(n) > at) n -= 1;
  while (startOf(n + 1) <= at) n += 1;
  return { start: new Date(startOf(n)), end: new Date(startOf(n + 1)) };
}
