import { pino } from 'pino';

export type Log = pino.Logger;

/**
 * JSON lines on standard output. `level` is one of pino's (`fatal` … `trace`, `silent`); `everywhere` stands in each line.
 */
export function makeLog(level: string, everywhere?: Record<string, unknown>): Log {
  return pino({ level, base: everywhere, timestamp: pino.stdTimeFunctions.isoTime });
}
