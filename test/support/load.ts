import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Data } from './http.js';
import { patience, patienceMs } from './wait.js';

/** One submission: what was sent, and its result. */
export interface Sent {
  /** Idempotency key, and the `tag` in its metadata, by which it is found again. */
  tag: string;
  boardId: string;
  value: number;
  /** Attempts without a response, or with one that acknowledges nothing. */
  unanswered: number;
  /** The response that acknowledged it. */
  score?: Data;
}

interface Refusal {
  status: number;
  code: string;
  retryAfter: string | null;
}

/**
 * Pause before the next attempt of a client without a response, so that a service that is down can start
 * undisturbed.
 */
const PAUSE_MS = 20;

/** A persistent client may have to wait for a service to start. */
const answerMs = () => 3 * patienceMs();

/** A game client that submits one score after another until stopped, and keeps the responses. */
export class LoadClient {
  readonly sent: Sent[] = [];
  /** Responses other than success. */
  readonly refusals: Refusal[] = [];
  /** Status and code of batch items. */
  readonly refusedItems: string[] = [];
  /** Submissions that were acknowledged twice, with different scores. */
  readonly contradicted: string[] = [];
  identityId: string | undefined;
  #token = '';
  #stopped = false;
  #abandoned = false;

  /**
   * @param url the service's current address, which changes when it restarts
   * @param persistent whether to resend unacknowledged submissions with the same key until they are acknowledged
   */
  constructor(
    private readonly url: () => string,
    private readonly boards: string[],
    private readonly persistent: boolean,
    readonly name: string,
    /** Submissions per request; if more than one, by the batch route, one batch at a time. */
    private readonly most = 1,
  ) {}

  async open(gameId: string): Promise<void> {
    const body = { game_id: gameId, client_fingerprint: `load ${this.name}`, platform: 'test' };
    const started = await this.#ask('POST', '/v1/client/sessions', {}, body);
    if (started?.status !== 201) throw new Error(`no session: ${JSON.stringify(started)}`);
    this.#token = started.body.access_token;
    this.identityId = started.body.identity_id;
  }

  /** Submits until {@link stop}; resolves once the last submission is settled. */
  run(): Promise<void> {
    const running = this.#run();
    // Only awaited at the end.
    running.catch(() => undefined);
    return running;
  }

  async #run(): Promise<void> {
    this.#stopped = false;
    while (!this.#stopped) {
      const n = this.sent.length;
      if (this.most > 1) {
        await this.submitMany(1 + Math.floor(Math.random() * this.most));
        continue;
      }
      const boardId = this.boards[n % this.boards.length]!;
      await this.submit(boardId, Math.floor(Math.random() * 1_000), this.persistent);
    }
  }

  /** Starts no more submissions. */
  stop(): void {
    this.#stopped = true;
  }

  /** Also abandons what was started. */
  abandon(): void {
    this.#stopped = true;
    this.#abandoned = true;
  }

  async submit(boardId: string, value: number, persistent: boolean): Promise<Sent> {
    const sent: Sent = { tag: randomUUID(), boardId, value, unanswered: 0 };
    this.sent.push(sent);
    const inTime = patience(`an answer to ${this.name}`, answerMs());
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

  /** To all boards in turn. The whole batch is sent again, with the same keys, until all of it is acknowledged. */
  async submitMany(count: number): Promise<void> {
    const batch: Sent[] = Array.from({ length: count }, (_, n) => {
      const boardId = this.boards[n % this.boards.length]!;
      return { tag: randomUUID(), boardId, value: Math.floor(Math.random() * 1e6), unanswered: 0 };
    });
    this.sent.push(...batch);
    const inTime = patience(`answers to ${this.name}`, answerMs());
    for (;;) {
      inTime();
      await this.attemptMany(batch);
      if (!this.persistent || this.#abandoned || batch.every(({ score }) => score)) return;
      await delay(PAUSE_MS);
    }
  }

  /** Sends a batch once. */
  async attemptMany(batch: readonly Sent[]): Promise<void> {
    const authorization = `Bearer ${this.#token}`;
    const fresh = await this.#ask('GET', `/v1/client/nonce?count=${batch.length}`, { authorization });
    const items = batch.map(({ tag, boardId, value }, i) => ({
      ...{ board_id: boardId, player_name: this.name, value, metadata: { tag } },
      ...{ idempotency_key: tag, nonce: fresh?.body.nonces?.[i].nonce_value },
    }));
    const answer =
      fresh?.status === 200
        ? await this.#ask('POST', '/v1/client/scores/batch', { authorization }, { items })
        : undefined;
    for (const [i, sent] of batch.entries()) {
      const { status, score, error } = answer?.body.results?.[i] ?? {};
      if (status !== 201) sent.unanswered += 1;
      else if (sent.score && !isDeepStrictEqual(sent.score, score)) this.contradicted.push(sent.tag);
      else sent.score = score;
      if (error) this.refusedItems.push(`${status} ${error.code}`);
    }
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

  /** @returns undefined if the connection broke */
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
