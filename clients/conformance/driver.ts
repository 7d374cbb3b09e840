import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A line of a driver: an answer has `id`, an event has `event`. */
export interface Line {
  id?: number;
  result?: Record<string, unknown>;
  error?: { code: string; message?: string; standings?: unknown };
  event?: string;
  [member: string]: unknown;
}

const PATIENCE_MS = 30_000;

/** A client's driver: a process that takes commands as lines of JSON (README.md, "Protocol"). */
export class Driver {
  readonly events: Line[] = [];
  readonly #answers = new Map<number, (line: Line) => void>();
  readonly #process: ChildProcess;
  readonly #ended: Promise<void>;
  #serial = 0;
  #errors = '';

  /** @param patienceMs how long it may take for one command */
  constructor(
    [program, ...args]: string[],
    cwd: string,
    private readonly patienceMs = PATIENCE_MS,
  ) {
    this.#process = spawn(program!, args, { cwd, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#process.stdin!.on('error', () => undefined);
    this.#process.stderr!.on('data', (text) => {
      this.#errors += text;
    });
    createInterface(this.#process.stdout!).on('line', (text) => this.#take(text));
    this.#ended = new Promise((resolve) => {
      this.#process.once('error', (error) => {
        this.#errors += error.message;
        resolve();
      });
      this.#process.once('close', () => resolve());
    });
    void this.#ended.then(() => {
      for (const resolve of this.#answers.values())
        resolve({ error: { code: 'DRIVER_ENDED', message: this.#errors } });
      this.#answers.clear();
    });
  }

  /** Sends a command; resolves with its answer. */
  send(command: Record<string, unknown>): { id: number; answer: Promise<Line> } {
    this.#serial += 1;
    const id = this.#serial;
    const answer = new Promise<Line>((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error(`The driver did not answer ${JSON.stringify(command)}. ${this.#errors}`));
      }, this.patienceMs);
      this.#answers.set(id, (line) => {
        clearTimeout(timer);
        resolve(line);
      });
    });
    answer.catch(() => undefined);
    this.#process.stdin!.write(`${JSON.stringify({ id, ...command })}\n`);
    return { id, answer };
  }

  /** Kills the process, as a system does that needs the memory. */
  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#ended;
  }

  /** Closes its input, which ends a driver. */
  async end(): Promise<void> {
    this.#process.stdin!.end();
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), PATIENCE_MS);
    await this.#ended;
    clearTimeout(timer);
  }

  #take(text: string): void {
    if (!text.startsWith('{')) {
      this.#errors += `${text}\n`;
      return;
    }
    const line = JSON.parse(text) as Line;
    if (line.id === undefined) {
      this.events.push(line);
      return;
    }
    this.#answers.get(line.id)?.(line);
    this.#answers.delete(line.id);
  }
}
