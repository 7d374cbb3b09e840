import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Disposal } from '../../src/process/shutdown.js';

/** A script of this folder in its own process, which handles one job at a time. Ends with its parent. */
export class Child<Job extends object, Answer> {
  readonly #child: ChildProcess;
  #waiting: { resolve(answer: Answer): void; reject(error: Error): void } | undefined;

  /** @param script its file name without extension */
  constructor(script: string, disposal: Disposal, env: Record<string, string> = {}) {
    const { PATH, HOME, POSTGRES_BIN_DIR } = process.env;
    this.#child = fork(path.join(__dirname, `${script}.js`), {
      env: { PATH, HOME, ...(POSTGRES_BIN_DIR && { POSTGRES_BIN_DIR }), ...env },
    });
    this.#child.on('message', (answer: Answer | { failed: string }) => {
      const failed = typeof answer === 'object' && answer !== null && 'failed' in answer;
      if (failed) this.#waiting?.reject(new Error(answer.failed));
      else this.#waiting?.resolve(answer as Answer);
    });
    this.#child.on('exit', (code) => {
      this.#waiting?.reject(new Error(`A process of the benchmark ended with code ${code} (see above)`));
    });
    disposal.add(() => this.end());
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** @throws Error when the job failed, or the process ended */
  ask(job: Job): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#child.send(job);
    });
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.disconnect();
    await ended;
  }
}

/** The other side: handles jobs until the parent ends. */
export function serveJobs<Job extends object, Answer>(work: (job: Job) => Promise<Answer>): void {
  process.on('disconnect', () => process.exit(0));
  // The terminal's Ctrl-C reaches all processes; the parent decides when to stop.
  process.on('SIGINT', () => undefined);
  process.on('message', (job: Job) => {
    work(job).then(
      (answer) => process.send?.(answer),
      (error: Error) => process.send?.({ failed: error.stack ?? error.message }),
    );
  });
}
