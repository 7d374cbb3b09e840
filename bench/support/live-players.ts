import path from 'node:path';
import { Nonces } from '../../src/players/sessions/nonce.js';
import { Tokens } from '../../src/players/sessions/tokens.js';
import type { BuiltBoard } from './bulk-board.js';
import { NONCE_SECONDS, type Secrets } from './http-clients.js';
import { improve, type Player } from './player.js';
import { rest } from './requests.js';
import { type Traffic, writeTraffic } from './traffic.js';

const DAY = 86_400;

/** The players of one board: those who submit, in turn, and those who watch. */
export class LivePlayers {
  readonly #nonces: Nonces;
  readonly #signing: Tokens;
  readonly #tokens = new Map<Player, string>();
  #turn = 0;

  constructor(
    private readonly board: BuiltBoard,
    secrets: Secrets,
    private readonly dir: string,
  ) {
    const lives = { accessTokenSeconds: DAY, refreshTokenSeconds: DAY };
    this.#signing = new Tokens({ jwtSecret: secrets.jwtSecret, ...lives }, Date.now);
    this.#nonces = new Nonces({ keySecret: secrets.keySecret, nonceSeconds: NONCE_SECONDS });
  }

  /** Access tokens of this many players. */
  tokens(wanted: number): string[] {
    return this.board.players.slice(0, wanted).map((player) => this.#tokenOf(player));
  }

  /** Ever better runs, one player after another. */
  submissions(wanted: number): Traffic {
    const { id: boardId, gameId, players } = this.board;
    const requests: string[] = [];
    for (let n = 0; n < wanted; n += 1) {
      const player = players[this.#turn % players.length]!;
      this.#turn += 1;
      const { nonceValue: nonce } = this.#nonces.issue(player.deviceId, gameId, Date.now());
      const token = this.#tokenOf(player);
      requests.push(rest.submission({ boardId, name: player.name, value: improve(player), token, nonce }));
    }
    return writeTraffic(path.join(this.dir, `submissions-${this.#turn}`), false, requests);
  }

  #tokenOf(player: Player): string {
    const known = this.#tokens.get(player);
    if (known) return known;
    const { deviceId, identityId, sessionId } = player;
    const { accountId, gameId } = this.board;
    const claims = { deviceId, gameId, accountId, identityId, sessionId, testMode: false, version: 1 };
    const { accessToken } = this.#signing.issue(claims, Date.now());
    this.#tokens.set(player, accessToken);
    return accessToken;
  }
}
