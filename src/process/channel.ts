import { SetupError } from '../base/errors.js';
import type { MetricsSnapshot } from '../base/metrics.js';
import type { Config } from '../config/table.js';
import type { PoolSizes, ServerRoute } from '../db/pool.js';
import type { Secrets } from './secrets.js';

/** One end of a pipe between two processes of the service: the primary's to a worker, or a worker's to the primary. */
export interface Peer {
  send(message: unknown, sent: (error: Error | null) => void): unknown;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'disconnect', listener: () => void): unknown;
}

/** Requests of a channel: by name, the argument and the answer. Both are plain JSON. */
type Questions = Record<string, { given: unknown; answer: unknown }>;

type Answers<Q extends Questions> = { [K in keyof Q]: (given: Q[K]['given']) => Promise<Q[K]['answer']> };

interface Fault {
  message: string;
  /** True if the message is a sentence for the operator. */
  setup: boolean;
}

type Message =
  | { ask: string; id: number; given: unknown }
  | { id: number; answer: unknown }
  | { id: number; fault: Fault };

interface PendingReply {
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

/** Requests and responses between two processes, in both directions. */
export class Channel<Theirs extends Questions, Ours extends Questions> {
  readonly #waiting = new Map<number, PendingReply>();
  #requests = 0;

  /** @param answers handlers of the requests to this side; their errors are thrown to the requester */
  constructor(
    private readonly peer: Peer,
    private readonly answers: Answers<Ours>,
  ) {
    peer.on('message', (message) => this.#take(message as Message));
    peer.on('disconnect', () => this.#lost());
  }

  /**
   * @param patience milliseconds to wait for the answer; absent: as long as the other process lives
   * @throws SetupError or Error as the other side did; Error when it has ended or does not answer in time
   */
  ask<K extends keyof Theirs & string>(
    question: K,
    given: Theirs[K]['given'],
    patience?: number,
  ): Promise<Theirs[K]['answer']> {
    this.#requests += 1;
    const id = this.#requests;
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send({ ask: question, id, given }, reject);
    });
    const late =
      patience === undefined ? undefined : setTimeout(() => this.#refuse(id, 'does not respond'), patience);
    return answer.finally(() => {
      clearTimeout(late);
      this.#waiting.delete(id);
    });
  }

  #take(message: Message): void {
    if ('ask' in message) {
      void this.#answer(message.ask, message.id, message.given);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    if ('answer' in message) waiting?.resolve(message.answer);
    else if ('fault' in message) {
      const { setup, message: text } = message.fault;
      waiting?.reject(setup ? new SetupError(text) : new Error(text));
    }
  }

  async #answer(question: string, id: number, given: unknown): Promise<void> {
    try {
      this.#send({ id, answer: await this.answers[question]!(given) });
    } catch (error) {
      const setup = error instanceof SetupError;
      const message = setup ? error.message : String((error as Error)?.stack ?? error);
      this.#send({ id, fault: { message, setup } });
    }
  }

  #send(message: Message, failed: (error: Error) => void = () => undefined): void {
    // Sending to a process that has ended fails; the system reports its end.
    this.peer.send(message, (error) => error && failed(error));
  }

  #refuse(id: number, why: string): void {
    this.#waiting.get(id)?.reject(new Error(`The other process ${why}`));
  }

  #lost(): void {
    for (const id of this.#waiting.keys()) this.#refuse(id, 'has ended');
  }
}

/** Configuration of a worker. Plain JSON, as settings are. */
export interface Orders {
  /** Settings that the primary has read and checked. */
  settings: Config & Secrets;
  /** From 1; a restarted worker keeps it. */
  number: number;
  connectionString: string;
  route: ServerRoute;
  pools: PoolSizes;
}

export interface Listening {
  port: number;
  metricsPort: number | undefined;
}

/** Requests of the primary to a worker. A type: an interface is not assignable to a record of requests. */
export type WorkerRequest = {
  /** Listen. */
  serve: { given: Orders; answer: Listening };
  /** Run the jobs from now on: exactly one worker does. */
  wake: { given: null; answer: null };
  metrics: { given: null; answer: MetricsSnapshot };
  /** Finish accepted requests and end. Not answered: the process ends. */
  end: { given: null; answer: null };
};

/** Requests of a worker to the primary. */
export type PrimaryRequest = {
  /** The metrics of all processes, in the text format. */
  scrape: { given: null; answer: string };
};
