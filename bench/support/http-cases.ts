import path from 'node:path';
import { Nonces } from '../../src/players/sessions/nonce.js';
import { Tokens } from '../../src/players/sessions/tokens.js';
import { type HttpData, makeNewcomers, readSeats, type Seat } from './http-data.js';
import { improve } from './player.js';
import { type Api, requestsOf } from './requests.js';
import { type Traffic, writeTraffic } from './traffic.js';

/** What is asked of the service, e.g. again and again for own ranks. */
export interface Case {
  name: string;
  /** On which of the two sets of boards. */
  boards: 'hot' | 'many';
  /** Whether it writes: then no two of its requests are the same. */
  writes: boolean;
  /** Whether nearly all answers come from pages that the service has in memory, since nobody writes meanwhile. */
  remembered?: true;
}

export const CASES: readonly Case[] = [
  { name: 'submission, improving', boards: 'hot', writes: true },
  { name: 'submission, not improving', boards: 'hot', writes: true },
  { name: 'submission, first-time', boards: 'hot', writes: true },
  { name: 'own rank', boards: 'hot', writes: false },
  { name: 'around me, 11', boards: 'hot', writes: false },
  { name: 'top 50', boards: 'hot', writes: false, remembered: true },
  { name: '50 from rank 500,000', boards: 'hot', writes: false, remembered: true },
  { name: 'mixed, 80 % reads', boards: 'hot', writes: true },
  { name: 'submission, improving', boards: 'many', writes: true },
  { name: 'submission, not improving', boards: 'many', writes: true },
  { name: 'submission, first-time', boards: 'many', writes: true },
];

export interface Secrets {
  jwtSecret: string;
  keySecret: string;
}

export const NONCE_SECONDS = 3_600;
/** Who submits and asks, one after the other: different requests of a case that only reads. */
export const PLAYERS = 5_000;
const DEEP_PAGE = { around: 500_000, pages: 200 };
const DAY = 86_400;

/** Makes the requests of cases: tokens and nonces are issued here, with the service's secrets. */
export class Clients {
  readonly #tokens: Tokens;
  readonly #nonces: Nonces;
  readonly #known = new Map<string, string>();
  #deep: string[] = [];

  constructor(
    private readonly data: HttpData,
    secrets: Secrets,
    private readonly dir: string,
  ) {
    const lives = { accessTokenSeconds: DAY, refreshTokenSeconds: DAY };
    this.#tokens = new Tokens({ jwtSecret: secrets.jwtSecret, ...lives }, Date.now);
    this.#nonces = new Nonces({ keySecret: secrets.keySecret, nonceSeconds: NONCE_SECONDS });
  }

  /** Of a session, the same each time. */
  token(seat: Seat): string {
    const known = this.#known.get(seat.sessionId);
    if (known !== undefined) return known;
    const { deviceId, identityId, sessionId } = seat;
    const { accountId, gameId } = this.data;
    const claims = { deviceId, gameId, accountId, identityId, sessionId, testMode: false, version: 1 };
    const { accessToken } = this.#tokens.issue(claims, Date.now());
    this.#known.set(sessionId, accessToken);
    return accessToken;
  }

  /** Where pages about the middle of the board begin: cursors that the service gives out. */
  async findDeepPages(ask: (token: string, startRank: number) => Promise<string>): Promise<void> {
    const middle = Math.min(DEEP_PAGE.around, Math.floor(this.data.entries / 2));
    const token = this.token((await readSeats(this.data, 1))[0]!);
    this.#deep = [];
    for (let page = 0; page < DEEP_PAGE.pages; page += 1) {
      this.#deep.push(await ask(token, Math.max(1, middle - 1 - 50 * page)));
    }
  }

  /** @param wanted how many a case that writes can need */
  async traffic(asked: Case, api: Api, wanted: number): Promise<Traffic> {
    const newcomers = asked.name === 'submission, first-time';
    const seats = newcomers ? await makeNewcomers(this.data, wanted) : await readSeats(this.data, PLAYERS);
    const tokens: string[] = [];
    for (const seat of seats) tokens.push(this.token(seat));
    if (newcomers) this.#known.clear();
    const count = asked.writes ? wanted : seats.length;
    const request = (k: number) => {
      const at = k % seats.length;
      return this.#request(asked.name, api, seats[at]!, tokens[at]!, k);
    };
    const file = path.join(this.dir, 'traffic');
    return writeTraffic(file, !asked.writes, numbered(count, request));
  }

  #request(name: string, api: Api, seat: Seat, token: string, k: number): string {
    const requests = requestsOf[api];
    const { boardId, scoreId } = seat;
    const submit = (value: number) => {
      const { nonceValue: nonce } = this.#nonces.issue(seat.deviceId, this.data.gameId, Date.now());
      return requests.submission({ boardId, name: seat.name, value, token, nonce });
    };
    switch (name) {
      case 'submission, improving':
        return submit(improve(seat));
      case 'submission, not improving':
        return submit(seat.value - 1 - (k % 1_000));
      case 'submission, first-time':
        return submit(seat.value);
      case 'own rank':
        return requests.score(token, scoreId);
      case 'around me, 11':
        return requests.page(token, boardId, { limit: 11, aroundScoreId: scoreId });
      case 'top 50':
        return requests.page(token, boardId, { limit: 50 });
      case '50 from rank 500,000':
        return requests.page(token, boardId, { limit: 50, after: this.#deep[k % this.#deep.length]! });
      case 'mixed, 80 % reads':
        return this.#request(MIX[k % MIX.length]!, api, seat, token, k);
      default:
        throw new Error(`There is no case ${name}`);
    }
  }
}

/** Of five requests one writes; of the reads half are for the own rank. */
const MIX = [
  'submission, improving',
  'own rank',
  'around me, 11',
  'own rank',
  'top 50',
  'submission, improving',
  'own rank',
  'around me, 11',
  'own rank',
  '50 from rank 500,000',
];

function* numbered(count: number, make: (k: number) => string): Generator<string> {
  for (let k = 0; k < count; k += 1) yield make(k);
}
