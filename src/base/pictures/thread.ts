import { Worker } from 'node:worker_threads';
import { type TurnLimits, Turns } from '../limits.js';

interface ThreadOptions {
  /** The file that the thread runs; it posts a {@link ThreadAnswer} for each message. */
  file: string;
  /** Longest work, milliseconds; a thread that takes longer is ended. */
  deadlineMs: number;
  /** Longest start of a thread before its first work, milliseconds. */
  startMs: number;
  /** Time that a thread is kept for the next work, milliseconds. */
  keptMs: number;
  turns: TurnLimits;
}

/** The message of a thread after a work: its result, or the sentence of its fault. */
export type ThreadAnswer<T> = { done: T } | { fault: string };

/** The work of a thread failed, took too long, or ended the thread. */
class ThreadFault extends Error {}

/** Memory of JavaScript that a thread may use; that of WebAssembly is bounded by the size of the drawings. */
const MEMORY_MB = 128;

/** Work on pictures off the event loop, so that requests do not wait for it. */
export class PictureThread {
  readonly #turns: Turns;
  #kept: { worker: Worker; timer: NodeJS.Timeout } | undefined;

  constructor(private readonly options: ThreadOptions) {
    this.#turns = new Turns(options.turns);
  }

  /**
   * Does a work in the thread, when it is its turn.
   * @param owner whose work it is: the account, or a board
   * @throws ThreadFault; DomainError UNAVAILABLE when too many wait
   */
  run<T>(work: unknown, owner?: string): Promise<T> {
    return this.#turns.run(() => this.#run<T>(work), owner);
  }

  async #run<T>(work: unknown): Promise<T> {
    const { deadlineMs, startMs } = this.options;
    const longest = deadlineMs + (this.#kept ? 0 : startMs);
    const worker = this.#take();
    const deadline = setTimeout(() => void worker.terminate(), longest);
    try {
      const answer = await answerOf<T>(worker, work);
      if ('fault' in answer) throw new ThreadFault(answer.fault);
      this.#keep(worker);
      return answer.done;
    } catch (error) {
      await worker.terminate();
      throw error instanceof ThreadFault ? error : new ThreadFault(String(error), { cause: error });
    } finally {
      clearTimeout(deadline);
    }
  }

  #take(): Worker {
    const kept = this.#kept;
    this.#kept = undefined;
    if (!kept)
      return new Worker(this.options.file, { resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB } });
    clearTimeout(kept.timer);
    kept.worker.ref();
    return kept.worker;
  }

  #keep(worker: Worker): void {
    const { keptMs } = this.options;
    worker.unref();
    const timer = setTimeout(() => void this.close(), keptMs).unref();
    this.#kept = { worker, timer };
  }

  /** Ends the thread that is kept. */
  async close(): Promise<void> {
    const kept = this.#kept;
    this.#kept = undefined;
    if (!kept) return;
    clearTimeout(kept.timer);
    await kept.worker.terminate();
  }
}

/** Rejects when the thread ends without an answer. */
function answerOf<T>(worker: Worker, work: unknown): Promise<ThreadAnswer<T>> {
  return new Promise((resolve, reject) => {
    // Node's own listeners stay: they keep the process alive until the answer arrives.
    const settled = () => {
      worker.off('message', answered);
      worker.off('error', failed);
      worker.off('exit', ended);
    };
    const answered = (answer: ThreadAnswer<T>) => {
      settled();
      resolve(answer);
    };
    const failed = (error: Error) => {
      settled();
      reject(error);
    };
    const ended = () => failed(new ThreadFault('The thread was terminated'));
    worker.on('message', answered);
    worker.on('error', failed);
    worker.on('exit', ended);
    worker.postMessage(work);
  });
}
