import { format } from 'node:util';
import type { Log } from '../base/log.js';

const LEVELS = {
  error: 'warn',
  warn: 'warn',
  log: 'info',
  info: 'info',
  debug: 'debug',
  trace: 'debug',
} as const;

/**
 * Everything that libraries and hooks modules print, and the warnings of Node, become lines of the log: two formats in
 * two streams are read by no collector. graphile-worker prints retries and lost connections by `console.error`, past the
 * logger that it is given (0.17.3, main.js and lib.js).
 */
export function intoOneLog(log: Log): void {
  for (const [method, level] of Object.entries(LEVELS) as [
    keyof typeof LEVELS,
    'warn' | 'info' | 'debug',
  ][]) {
    console[method] = (...parts: unknown[]) => {
      const err = parts.find((part) => part instanceof Error);
      log[level]({ err }, format(...parts.filter((part) => part !== err)));
    };
  }
  process.removeAllListeners('warning');
  process.on('warning', (warning) => log.warn({ err: warning }, 'Node.js warning'));
}
