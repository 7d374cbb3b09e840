import { write, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { pino } from 'pino';

export type Log = pino.Logger;

/** Flush interval, short enough for a human reader. A write per line would take a twentieth of a request's time. */
const FLUSH_MS = 100;
const BUFFER_BYTES = 65_536;
/** Most bytes buffered for a slow reader; later lines are lost. */
const MOST_BYTES = 8 * 1_024 * 1_024;
/** Most time for a slow reader when the process ends. */
const LAST_MS = 2_000;
const LAST_ATTEMPT_MS = 10;

const STANDARD_OUTPUT = 1;

/** Longer lists are counted: a person does not read the names of 130 migrations. */
const MOST_LISTED = 3;
/** Of a line's members: written in its beginning, or not for people. */
const APART = new Set(['level', 'time', 'msg', 'err', 'pid', 'hostname']);
const LEVELS: Record<string, string> = { warn: 'Warning: ', error: 'Error: ', fatal: 'Error: ' };

interface Fault {
  message?: string;
  stack?: string;
}

function valueText(value: unknown): string {
  if (Array.isArray(value))
    return value.length > MOST_LISTED ? String(value.length) : value.map(valueText).join(', ');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/** `01:23:45 migrated the schema (applied: 133)` of a JSON line of the log, for a terminal. */
export function readableLine(json: string): string {
  const line = JSON.parse(json) as Record<string, unknown> & {
    level: string;
    time: string;
    msg?: string;
    err?: Fault;
  };
  const { level, time, msg, err } = line;
  const at = new Date(time).toTimeString().slice(0, 8);
  const text = msg ?? err?.message ?? '';
  const facts = Object.entries(line).filter(([name]) => !APART.has(name));
  const more =
    facts.length > 0 ? ` (${facts.map(([name, value]) => `${name}: ${valueText(value)}`).join(', ')})` : '';
  const stack = err ? `\n${err.stack ?? err.message ?? ''}`.replaceAll('\n', '\n    ') : '';
  const sentence = LEVELS[level] === undefined ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return `  ${at}  ${LEVELS[level] ?? ''}${sentence}${more}${stack}\n`;
}

/**
 * Writes buffered lines to standard output. A write error neither blocks nor ends the service: without a reader, or
 * with a full disk, lines are lost.
 */
class Output {
  readonly #lines: string[] = [];
  #length = 0;
  /** The text of the write under way. */
  #text = Buffer.alloc(0);
  #writing = false;

  /** @param forPeople lines are for a terminal, not JSON */
  constructor(private readonly forPeople: boolean) {
    setInterval(() => this.#flush(), FLUSH_MS).unref();
    process.on('exit', () => this.#finish());
  }

  write(json: string): void {
    const line = this.forPeople ? readableLine(json) : json;
    if (this.#text.length + this.#length > MOST_BYTES) return;
    this.#lines.push(line);
    this.#length += line.length;
    if (this.#length >= BUFFER_BYTES) this.#flush();
  }

  #take(): void {
    this.#text = Buffer.concat([this.#text, Buffer.from(this.#lines.join(''))]);
    this.#lines.length = 0;
    this.#length = 0;
  }

  #flush(): void {
    if (this.#writing) return;
    this.#take();
    if (this.#text.length === 0) return;
    this.#writing = true;
    write(STANDARD_OUTPUT, this.#text, (error, written) => {
      this.#writing = false;
      this.#wrote(error, written);
      // The rest that a full pipe did not accept is written again later.
      if (!error && (this.#text.length > 0 || this.#length >= BUFFER_BYTES)) this.#flush();
    });
  }

  #wrote(error: NodeJS.ErrnoException | null, written: number): void {
    if (!error) this.#text = this.#text.subarray(written);
    else if (error.code !== 'EAGAIN') this.#text = Buffer.alloc(0);
  }

  #finish(): void {
    // A write that is in progress continues in parallel.
    if (this.#writing) this.#text = Buffer.alloc(0);
    this.#take();
    const end = performance.now() + LAST_MS;
    while (this.#text.length > 0 && performance.now() < end) {
      try {
        this.#wrote(null, writeSync(STANDARD_OUTPUT, this.#text));
      } catch (error) {
        this.#wrote(error as NodeJS.ErrnoException, 0);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LAST_ATTEMPT_MS);
      }
    }
  }
}

/** The parts of a Postgres error that quote the refused row or value, as in its own log (db/embedded/settings.ts). */
const REDACTED = {
  paths: ['err.detail', 'err.where', 'err.nativeError.detail', 'err.nativeError.where'],
  remove: true,
};

let output: Output | undefined;

/**
 * Writes JSON lines to standard output, readable ones to a terminal, at most {@link FLUSH_MS} late; the buffered lines are
 * written before the process ends for any reason but SIGKILL.
 * @param level one of pino's (`fatal` … `trace`, `silent`)
 * @param everywhere members of each line
 * @param active further members, as of the line's moment
 */
export function makeLog(level: string, everywhere?: Record<string, unknown>, active?: () => object): Log {
  // Not process.stdout: it makes a pipe refuse what is written while it is full.
  output ??= new Output(isatty(STANDARD_OUTPUT));
  return pino(
    {
      level,
      base: everywhere,
      // `info` in place of pino's 30.
      formatters: { level: (level) => ({ level }) },
      redact: REDACTED,
      timestamp: pino.stdTimeFunctions.isoTime,
      ...(active && { mixin: active }),
    },
    output,
  );
}
