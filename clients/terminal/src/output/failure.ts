import { CommanderError } from 'commander';
import { Cancelled } from '../input.js';
import { ServiceError } from '../rest/client.js';
import { jsonText, printable } from './output.js';

/** A command that cannot be run as it was typed. The message is a sentence for the user. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** One fault of a file, by its place there: lines and columns from 1. */
export interface FileFault {
  file: string;
  line: number;
  column: number;
  message: string;
}

/** A file that cannot be used as it is. */
export class FileError extends Error {
  override readonly name = 'FileError';

  constructor(readonly faults: FileFault[]) {
    super(
      faults.map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`).join('\n'),
    );
  }
}

/**
 * Exit codes: 0 done, 1 an error, 2 wrong usage or a wrong file, 3 a plan with changes, 4 done without some lines that were refused,
 * 130 Ctrl-C.
 */
export const EXIT = { done: 0, failed: 1, misused: 2, changes: 3, partly: 4, cancelled: 130 } as const;

/** Explanations of network errors, by error code. */
const UNREACHED: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'host lookup failed',
  ECONNRESET: 'connection reset',
  UND_ERR_SOCKET: 'connection reset',
};

function reason(error: Error): string | undefined {
  if (error.name === 'TimeoutError') return 'timed out';
  if (error.message !== 'fetch failed') return undefined;
  const cause = error.cause as { code?: string; message?: string } | undefined;
  return UNREACHED[cause?.code ?? ''] ?? cause?.message ?? 'the connection failed';
}

function faultPlace(loc: readonly (string | number)[]): string {
  return loc.slice(1).join('.') || String(loc[0]);
}

function sentence({ message, code, requestId, details }: ServiceError): string {
  const named = [code, requestId && `request ${requestId}`].filter(Boolean).join(', ');
  const lines = details.map(({ loc, msg }) => `  ${faultPlace(loc)}: ${msg}`);
  return [named ? `${message} (${named})` : message, ...lines].map(printable).join('\n');
}

/**
 * Prints an error to standard error.
 * @returns the exit code
 */
export function report(error: unknown, json: boolean): number {
  const say = (text: string) => process.stderr.write(`${text}\n`);
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.misused;
  if (error instanceof UsageError) {
    say(`error: ${error.message}`);
    return EXIT.misused;
  }
  if (error instanceof FileError) {
    say(json ? jsonText({ faults: error.faults }) : error.message.split('\n').map(printable).join('\n'));
    return EXIT.misused;
  }
  if (error instanceof Cancelled) {
    say(error.message);
    return EXIT.cancelled;
  }
  if (error instanceof ServiceError) {
    const { message, code, requestId, details } = error;
    const envelope = { error: message, code, request_id: requestId, details };
    say(json ? jsonText(envelope) : `error: ${sentence(error)}`);
    return EXIT.failed;
  }
  const failure = error instanceof Error ? error : new Error(String(error));
  const why = reason(failure);
  const text = why ? `Cannot reach the service: ${why}. Check the address (--api).` : failure.message;
  say(json ? jsonText({ error: text }) : `error: ${printable(text)}`);
  return EXIT.failed;
}
