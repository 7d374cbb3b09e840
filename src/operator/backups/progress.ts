const REDRAW_MS = 500;
const MEGABYTE = 1_000_000;

/** Bytes as people read them. */
export function megabytes(bytes: number): string {
  return `${(bytes / MEGABYTE).toFixed(bytes < 100 * MEGABYTE ? 1 : 0)} MB`;
}

/** Progress of a copy on standard error: a line that is redrawn at a terminal, elsewhere a line for each tenth. */
export class BackupProgress {
  #done = 0;
  #total = 0;
  #drawnAt = 0;
  #tenth = 0;

  constructor(private readonly verb: string) {}

  /** @param bytes estimate of the whole */
  begin(bytes: number): void {
    this.#total = bytes;
  }

  readonly add = (bytes: number): void => {
    this.#done += bytes;
    if (this.#total === 0) return;
    const share = Math.min(1, this.#done / this.#total);
    const text = `${this.verb} ${megabytes(this.#done)} of about ${megabytes(Math.max(this.#done, this.#total))}`;
    if (process.stderr.isTTY) {
      const now = performance.now();
      if (now - this.#drawnAt < REDRAW_MS) return;
      this.#drawnAt = now;
      process.stderr.write(`\r${text} `);
    } else if (Math.floor(share * 10) > this.#tenth) {
      this.#tenth = Math.floor(share * 10);
      process.stderr.write(`${text}\n`);
    }
  };

  end(): void {
    if (process.stderr.isTTY && this.#drawnAt > 0) process.stderr.write('\r\x1b[K');
  }
}
