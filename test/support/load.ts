import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Data } from './http.js';
import { patience } from './wait.js';

/** One submission: what was sent, and what became of it. */
export interface Sent {
  /** Idempotency key, and the `tag` of its metadata: how it is found again. */
  tag: string;
  boardId: string;
  value: number;
  /** BatchExecutor that got no answer, or one that promises nothing. */
  unanswered: number;
  /** The answer that acknowledged it. */
  score?: Data;
}

export interface Refusal {
  status: number;
  code: string;
  retryAfter: string | null;
}

/** Before the next attempt of a client that was not answered: a service that is down shall come up unhindered. */
const PAUSE_MS = 20;

/** A game client that submits one score after the other until it is stopped. Keeps the answers that it got. */
export class LoadClient {
  readonly sent: Sent[] = [];
  /** Answers other than success. */
  readonly refusals: Refusal[] = [];
  #token = '';
  #stopped = false;
  #abandoned = false;

  /**
   * @param url where the service answers now: it moves when the service is started anew
   * @param persistent whether what was not acknowledged is sent again with the same key until it is
   */
  constructor(
    private readonly url: () => string,
    private readonly boards: string[],
    private readonly persistent: boolean,
    readonly name: string,
  ) {}

  async open(gameId: string): Promise<void> {
    const body = { game_id: gameId, client_fingerprint: `load ${this.name}`, platform: 'test' };
    const started = await this.#ask('POST', '/v1/client/sessions', {}, body);
    if (started?.status !== 201) throw new Error(`no session: ${JSON.stringify(started)}`);
    this.#token = started.body.access_token;
  }

  /** Submits until {@link stop}; resolves when the last submission is settled. */
  run(): Promise<void> {
    const running = this.#run();
    // It is waited for at the end only.
    running.catch(() => undefined);
    return running;
  }

  async #run(): Promise<void> {
    this.#stopped = false;
    while (!this.#stopped) {
      const n = this.sent.length;
      const boardId = this.boards[n % this.boards.length]!;
      await this.submit(boardId, Math.floor(Math.random() * 1_000), this.persistent);
    }
  }

  /** Begins no more submissions. */
  stop(): void {
    this.#stopped = true;
  }

  /** Also gives up what was begun. */
  abandon(): void {
    this.#stopped = true;
    this.#abandoned = true;
  }

  async submit(boardId: string, value: number, persistent: boolean): Promise<Sent> {
    const sent: Sent = { tag: randomUUID(), boardId, value, unanswered: 0 };
    this.sent.push(sent);
    const inTime = patience(`an answer to ${this.name}`);
    do {
      inTime();
      const answer = await this.#attempt(sent);
      if (answer?.status === 201) sent.score = answer.body;
      else {
        sent.unanswered += 1;
        await delay(PAUSE_MS);
      }
    } while (persistent && !sent.score && !this.#abandoned);
    return sent;
  }

  async #attempt({ tag, boardId, value }: Sent) {
    const authorization = `Bearer ${this.#token}`;
    const nonce = await this.#ask('GET', '/v1/client/nonce', { authorization });
    if (nonce?.status !== 200) return undefined;
    return this.#ask(
      'POST',
      '/v1/client/scores',
      { authorization, 'service-client-nonce': nonce.body.nonce_value, 'idempotency-key': tag },
      { board_id: boardId, player_name: this.name, value, metadata: { tag } },
    );
  }

  /** @returns undefined when the connection broke */
  async #ask(method: string, path: string, headers: Record<string, string>, body?: Data) {
    let answer: { status: number; body: Data };
    try {
      const response = await fetch(this.url() + path, {
        method,
        headers: { 'content-type': 'application/json', ...headers },
        body: body && JSON.stringify(body),
      });
      answer = { status: response.status, body: await response.json() };
      if (response.status >= 400) {
        const retryAfter = response.headers.get('retry-after');
        this.refusals.push({ status: response.status, code: answer.body.code, retryAfter });
      }
      return answer;
    } catch {
      return undefined;
    }
  }
}
