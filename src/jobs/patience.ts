import { isDatabaseAway } from '../base/errors.js';

/** Maximum time that a request waits for work that it began. */
const PATIENCE_MS = 8_000;

/** Work that requests begin, and wait for a limited time: what is left then is done after the answer. */
export class PatientWork {
  readonly #running = new Set<Promise<void>>();

  /** @param failed called with an error of the work, unless the database cannot be reached */
  constructor(private readonly failed: (error: unknown, id: string) => void) {}

  /** Resolves when the work is done, failed or has taken too long. */
  async begin(id: string, work: (id: string) => Promise<void>): Promise<void> {
    const running: Promise<void> = work(id)
      .catch((error) => {
        if (!isDatabaseAway(error)) this.failed(error, id);
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, PATIENCE_MS);
    });
    await Promise.race([running, patience]);
    clearTimeout(timer);
  }

  /** Resolves when no work is running. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }
}
