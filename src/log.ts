import { pino } from 'pino';

export type Log = pino.Logger;

/** JSON lines on standard output. `level` is one of pino's (`fatal` … `trace`, `silent`). */
export function makeLog(level: string): Log {
  return pino({ level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime });
}
