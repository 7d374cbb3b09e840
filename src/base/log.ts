import { write, writeSync } from 'node:fs';
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

  constructor() {
    setInterval(() => this.#flush(), FLUSH_MS).unref();
    process.on('exit', () => this.#finish());
  }

  write(line: string): void {
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
 * Writes JSON lines to standard output, at most {@link FLUSH_MS} late; the buffered lines are written before the
 * process ends for any reason but SIGKILL.
 * @param level one of pino's (`fatal` … `trace`, `silent`)
 * @param everywhere members of each line
 * @param active further members, as of the line's moment
 */
export function makeLog(level: string, everywhere?: Record<string, unknown>, active?: () => object): Log {
  output ??= new Output();
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
