import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../src/base/log.js';
import type { Player } from './players.js';
import type { Random } from './random.js';
import type { Run } from './shapes.js';

export interface SimulatedBoard {
  id: string;
  play(player: Player, random: Random): Run;
}

export interface SimulatedGame {
  id: string;
  /** A board that stands here twice is played twice as often. */
  boards: SimulatedBoard[];
}

export interface SimulationParts {
  url: string;
  headerPrefix: string;
  games: SimulatedGame[];
  players: Player[];
  random: Random;
  log: Log;
}

interface Answer {
  status: number;
  retryAfterMs: number;
  body: Record<string, unknown>;
}

const SUBMISSIONS_A_SECOND = 20;
/** When answers take long, players wait instead of piling up. */
const MOST_AT_ONCE = 32;
const ATTEMPTS = 5;
const REPORT_MS = 60_000;

/** A device of the demo: opens its session when it plays first, and keeps it. */
class Device {
  #token: string | undefined;
  #plays = 0;

  constructor(
    readonly player: Player,
    private readonly game: SimulatedGame,
    private readonly parts: SimulationParts,
  ) {}

  /** Plays one round and submits it; safe to repeat, because every attempt carries the same idempotency key. */
  async play(stopping: AbortSignal): Promise<boolean> {
    const { random, log } = this.parts;
    const board = random.pick(this.game.boards);
    this.#plays += 1;
    // Practice helps, ever less.
    const skill = this.player.skill + 0.12 * Math.log2(this.#plays);
    const { valueDisplay, ...run } = board.play({ ...this.player, skill }, random);
    const body = { board_id: board.id, player_name: this.player.name, value_display: valueDisplay, ...run };
    const idempotencyKey = randomUUID();
    for (let attempt = 1; attempt <= ATTEMPTS && !stopping.aborted; attempt += 1) {
      const answer = await this.#submit(body, idempotencyKey);
      if (answer.status === 201) return true;
      if (answer.status === 401) this.#token = undefined;
      else if (answer.status !== 503) {
        log.warn({ status: answer.status, code: answer.body.code }, 'a simulated submission was refused');
        return false;
      } else await delay(answer.retryAfterMs, undefined, { signal: stopping }).catch(() => undefined);
    }
    return false;
  }

  async #submit(body: object, idempotencyKey: string): Promise<Answer> {
    const { headerPrefix } = this.parts;
    if (this.#token === undefined) {
      const { fingerprint, platform } = this.player;
      const session = { game_id: this.game.id, client_fingerprint: fingerprint, platform };
      const started = await this.#ask('POST', '/v1/client/sessions', {}, session);
      if (started.status !== 201) return started;
      this.#token = String(started.body.access_token);
    }
    const authorization = `Bearer ${this.#token}`;
    const nonce = await this.#ask('GET', '/v1/client/nonce', { authorization });
    if (nonce.status !== 200) return nonce;
    const headers = {
      authorization,
      [`${headerPrefix}-client-nonce`]: String(nonce.body.nonce_value),
      'idempotency-key': idempotencyKey,
    };
    return this.#ask('POST', '/v1/client/scores', headers, body);
  }

  /** A service that cannot be reached counts as one that asks to come back in a second. */
  async #ask(method: string, path: string, headers: Record<string, string>, body?: object): Promise<Answer> {
    try {
      const response = await fetch(this.parts.url + path, {
        method,
        headers: body ? { ...headers, 'content-type': 'application/json' } : headers,
        body: body && JSON.stringify(body),
      });
      const retryAfterMs = Number(response.headers.get('retry-after') ?? 1) * 1_000;
      return { status: response.status, retryAfterMs, body: (await response.json()) as Answer['body'] };
    } catch {
      return { status: 503, retryAfterMs: 1_000, body: {} };
    }
  }
}

/** Players who submit through the service's REST API, for as long as it runs. */
export class Simulation {
  readonly #devices: Device[];
  readonly #running = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #reports: NodeJS.Timeout | undefined;
  #next = 0;
  #accepted = 0;

  constructor(parts: SimulationParts) {
    this.#devices = parts.players.map((player, i) => {
      return new Device(player, parts.games[i % parts.games.length]!, parts);
    });
  }

  start(): void {
    this.#timer = setInterval(() => this.#step(), 1_000 / SUBMISSIONS_A_SECOND);
    this.#reports = setInterval(() => {
      process.stdout.write(`  ${this.#accepted} simulated submissions so far\n`);
    }, REPORT_MS);
  }

  /** Everybody in turn: with some hundred players, each submits every ten to twenty seconds. */
  #step(): void {
    if (this.#running.size >= MOST_AT_ONCE) return;
    const device = this.#devices[this.#next % this.#devices.length]!;
    this.#next += 1;
    const playing = device
      .play(this.#stopping.signal)
      .then((accepted) => {
        if (accepted) this.#accepted += 1;
      })
      .finally(() => this.#running.delete(playing));
    this.#running.add(playing);
  }

  /** Ends when what was sent is answered. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    clearInterval(this.#reports);
    this.#stopping.abort();
    await Promise.allSettled(this.#running);
  }
}
