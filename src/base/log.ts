import { write, writeSync } from 'node:fs';
import { pino } from 'pino';

export type Log = pino.Logger;

/** A write for each line would be a twentieth of a request's cost; nobody reads faster than this. */
const FLUSH_MILLIS = 100;
const BUFFER_BYTES = 4_096;
/** Kept for a reader that is slow; what comes beyond it is lost. */
const MOST_BYTES = 8 * 1_024 * 1_024;
/** For a reader that is slow when the process ends. */
const LAST_MILLIS = 2_000;
const PAUSE_MILLIS = 10;

const STANDARD_OUTPUT = 1;

/**
 * Standard output for lines, written together. The service goes on and ends whatever becomes of them: where nobody reads
 * any more or the disk is full, lines are lost.
 */
class Output {
  readonly #lines: string[] = [];
  #length = 0;
  /** What is being written. */
  #text = Buffer.alloc(0);
  #writing = false;

  constructor() {
    setInterval(() => this.#flush(), FLUSH_MILLIS).unref();
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
      // What a full pipe does not take is tried again in a while.
      if (!error && (this.#text.length > 0 || this.#length >= BUFFER_BYTES)) this.#flush();
    });
  }

  #wrote(error: NodeJS.ErrnoException | null, written: number): void {
    if (!error) this.#text = this.#text.subarray(written);
    else if (error.code !== 'EAGAIN') this.#text = Buffer.alloc(0);
  }

  #finish(): void {
    // Its write goes on beside this.
    if (this.#writing) this.#text = Buffer.alloc(0);
    this.#take();
    const end = performance.now() + LAST_MILLIS;
    while (this.#text.length > 0 && performance.now() < end) {
      try {
        this.#wrote(null, writeSync(STANDARD_OUTPUT, this.#text));
      } catch (error) {
        this.#wrote(error as NodeJS.ErrnoException, 0);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MILLIS);
      }
    }
  }
}

/** What Postgres says of the row or the value that it refuses, as in its own log (db/embedded-settings.ts). */
const REDACTED = {
  paths: ['err.detail', 'err.where', 'err.nativeError.detail', 'err.nativeError.where'],
  remove: true,
};

let output: Output | undefined;

/**
 * JSON lines on standard output, at most {@link FLUSH_MILLIS} late; those of a process that ends, whatever its reason but
 * SIGKILL, are written first.
 * @param level one of pino's (`fatal` … `trace`, `silent`)
 * @param everywhere stands in each line
 */
export function makeLog(level: string, everywhere?: Record<string, unknown>): Log {
  output ??= new Output();
  return pino(
    { level, base: everywhere, redact: REDACTED, timestamp: pino.stdTimeFunctions.isoTime },
    output,
  );
}
