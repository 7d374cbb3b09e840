/** Shortest time between two changes of the line. */
const SHOWN_MS = 200;

function duration(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return minutes > 0 ? `${minutes} min ${Math.round(seconds % 60)} s` : `${Math.round(seconds)} s`;
}

/** One line of progress at a terminal; silent elsewhere. The time left is counted for each kind of work by itself. */
export class Progress {
  #start = performance.now();
  #what = '';
  #shownAt = 0;

  constructor(private readonly shown = process.stderr.isTTY === true) {}

  /** @param share done, 0 to 1; undefined: unknown */
  show(what: string, share: number | undefined): void {
    const now = performance.now();
    if (what !== this.#what) [this.#what, this.#start] = [what, now];
    if (!this.shown || now - this.#shownAt < SHOWN_MS) return;
    this.#shownAt = now;
    const passed = (now - this.#start) / 1_000;
    const left = share && share > 0 ? `, ${duration((passed / share) * (1 - share))} left` : '';
    const percent = share === undefined ? '' : ` ${Math.floor(share * 100)} %`;
    process.stderr.write(`\r\u001b[K${what}${percent}${left}`);
  }

  clear(): void {
    if (this.shown) process.stderr.write('\r\u001b[K');
  }
}
