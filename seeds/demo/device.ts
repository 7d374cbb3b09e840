import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../src/base/log.js';
import type { Player } from '../players.js';
import type { Random } from '../random.js';
import type { Run } from '../shapes.js';

export interface SimulatedBoard {
  /** Replaced by its successor's when a board of a series is over. */
  id: string;
  slug: string;
  play(player: Player, random: Random): Run;
}

export interface SimulatedGame {
  id: string;
  slug: string;
  /** A board listed twice is played twice as often. */
  boards: SimulatedBoard[];
}

/** Makes a run that no check lets pass. */
export type Cheat = (boardSlug: string, random: Random) => Run;

interface Answer {
  status: number;
  retryAfterMs: number;
  body: Record<string, unknown>;
}

const ATTEMPTS = 5;

export interface DeviceParts {
  url: string;
  headerPrefix: string;
  random: Random;
  log: Log;
  /** Gives a board that is over the id of its successor, if there is one. */
  renew(game: SimulatedGame, board: SimulatedBoard): Promise<void>;
}

/** Boards on which cheaters submit, by slug. */
const CHEATED = ['every-run', 'harbour-sprint'];

/** A device of the demo: opens its session when it plays first, and keeps it. */
export class Device {
  #token: string | undefined;
  #plays = 0;
  /** By a reviewer: then it rests. */
  #banned = false;

  constructor(
    readonly player: Player,
    private readonly game: SimulatedGame,
    private readonly parts: DeviceParts,
  ) {}

  /**
   * Plays one round and submits it; safe to repeat, because every attempt carries the same idempotency key.
   * @param cheat makes the run instead of playing
   */
  async play(stopping: AbortSignal, cheat?: Cheat): Promise<boolean> {
    if (this.#banned) return false;
    const { random, log } = this.parts;
    const playable = this.game.boards.filter(({ slug }) => !cheat || CHEATED.includes(slug));
    const board = random.pick(playable);
    this.#plays += 1;
    // Practice helps, ever less.
    const skill = this.player.skill + 0.12 * Math.log2(this.#plays);
    const played = cheat?.(board.slug, random) ?? board.play({ ...this.player, skill }, random);
    const body = { board_id: board.id, player_name: this.player.name, ...played };
    const idempotencyKey = randomUUID();
    for (let attempt = 1; attempt <= ATTEMPTS && !stopping.aborted; attempt += 1) {
      const answer = await this.#submit(body, idempotencyKey);
      if (answer.status === 201) return true;
      if (answer.status === 401) this.#token = undefined;
      else if (answer.body.code === 'BOARD_CLOSED' || answer.body.code === 'NOT_FOUND') {
        await this.parts.renew(this.game, board);
        return false;
      } else if (answer.body.code === 'DEVICE_BLOCKED') {
        this.#banned = true;
        return false;
      } else if (answer.status !== 503) {
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

  /** A service that cannot be reached counts as one that asks to retry in a second. */
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
