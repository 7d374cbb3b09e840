import { pino } from 'pino';

export type Log = pino.Logger;

/** A write for each line would be a twentieth of a request's cost; nobody reads faster than this. */
const FLUSH_MILLIS = 100;
const BUFFER_BYTES = 4_096;

/**
 * JSON lines on standard output, at most {@link FLUSH_MILLIS} late; those of a process that ends, whatever its reason but
 * SIGKILL, are written first.
 * @param level one of pino's (`fatal` … `trace`, `silent`)
 * @param everywhere stands in each line
 */
export function makeLog(level: string, everywhere?: Record<string, unknown>): Log {
  const output = pino.destination({ sync: false, minLength: BUFFER_BYTES, periodicFlush: FLUSH_MILLIS });
  return pino({ level, base: everywhere, timestamp: pino.stdTimeFunctions.isoTime }, output);
}
