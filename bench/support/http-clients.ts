import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { type Case, kindOf } from './http-cases.js';
import { HttpConnection } from './http-connection.js';
import type { HttpData, Seat } from './http-data.js';
import { improve } from './player.js';
import { type Api, type Requests, requestsOf } from './requests.js';
import { type Traffic, writeTraffic } from './traffic.js';
import type { Version } from './version.js';

export interface Secrets {
  jwtSecret: string;
  keySecret: string;
}

export const NONCE_SECONDS = 3_600;
/** Players who submit and read in turn: different requests for a case that only reads. */
export const PLAYERS = 5_000;
const DEEP_PAGE = { around: 500_000, pages: 200 };
const DAY = 86_400;

const START_RANK = `query ($boardId: ID!, $startRank: Int) {
  board(by: { id: $boardId }) { ranking { entries(startRank: $startRank, first: 1) { pageInfo { endCursor } } } }
}`;

/** Makes the requests of cases: tokens and nonces are issued here, with the service's secrets. */
export class Clients {
  readonly #tokens: InstanceType<Version['Tokens']>;
  readonly #nonces: InstanceType<Version['Nonces']>;
  readonly #requests: Readonly<Record<Api, Requests>>;
  readonly #known = new Map<string, string>();
  #deep: string[] = [];
  /** Better than what an earlier run left behind. */
  #leading = Date.now();

  constructor(
    private readonly data: HttpData,
    secrets: Secrets,
    private readonly dir: string,
    private readonly version: Version,
  ) {
    const lives = { accessTokenSeconds: DAY, refreshTokenSeconds: DAY };
    this.#tokens = new version.Tokens({ jwtSecret: secrets.jwtSecret, ...lives }, Date.now);
    this.#nonces = new version.Nonces({ keySecret: secrets.keySecret, nonceSeconds: NONCE_SECONDS });
    this.#requests = requestsOf();
  }

  /** The token of a session, the same each time. */
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

  /** Where pages about the middle of the board begin: cursors from the service itself. */
  async findDeepPages(port: number): Promise<void> {
    const middle = Math.min(DEEP_PAGE.around, Math.floor(this.data.entries / 2));
    const token = this.token((await this.version.readSeats(this.data, 1))[0]!);
    this.#deep = [];
    for (let page = 0; page < DEEP_PAGE.pages; page += 1) {
      this.#deep.push(await this.#cursorAt(port, token, Math.max(1, middle - 1 - 50 * page)));
    }
  }

  /** @param wanted requests that a writing case may need */
  async traffic(wish: Case, api: Api, wanted: number): Promise<Traffic> {
    const newcomers = wish.name === 'submission, first-time';
    const { makeNewcomers, readSeats } = this.version;
    const seats = newcomers ? await makeNewcomers(this.data, wanted) : await readSeats(this.data, PLAYERS);
    const tokens: string[] = [];
    for (const seat of seats) tokens.push(this.token(seat));
    if (newcomers) this.#known.clear();
    const count = wish.writes ? wanted : seats.length;
    const request = (k: number) => {
      // One further in each round: otherwise the same players would always submit in a mixed case.
      const at = (k + Math.floor(k / seats.length)) % seats.length;
      return this.#request(kindOf(wish, k), api, seats[at]!, tokens[at]!, k);
    };
    const file = path.join(this.dir, 'traffic');
    return writeTraffic(file, !wish.writes, numbered(count, request));
  }

  #request(kind: string, api: Api, seat: Seat, token: string, k: number): string {
    const requests = this.#requests[api];
    const { boardId, scoreId, name } = seat;
    const submit = (value: number, key?: string) =>
      requests.submission({ boardId, name, value, token, nonce: this.#nonce(seat), ...(key && { key }) });
    switch (kind) {
      case 'submission, improving':
        return submit(improve(seat));
      case 'submission, not improving':
        return submit(seat.value - 1 - (k % 1_000));
      case 'submission, leading':
        this.#leading += 1;
        return submit(this.#leading);
      case 'submission, first-time':
        return submit(seat.value);
      case 'submission, with key':
        return submit(improve(seat), randomUUID());
      case 'submissions, 100 a request': {
        const items = Array.from({ length: 100 }, () => {
          seat.value += 1;
          return { value: seat.value, nonce: this.#nonce(seat) };
        });
        return requests.batch!({ boardId, name, token, items });
      }
      case 'session, new device':
        return requests.session(this.data.gameId, randomUUID());
      case 'own rank':
        return requests.score(token, scoreId);
      case 'around me, 11':
        return requests.page(token, boardId, { limit: 11, aroundScoreId: scoreId });
      case 'top 50':
        return requests.page(token, boardId, { limit: 50 });
      case '50 from rank 500,000':
        return requests.page(token, boardId, { limit: 50, after: this.#deep[k % this.#deep.length]! });
      default:
        throw new Error(`There is no case ${kind}`);
    }
  }

  #nonce({ deviceId }: Seat): string {
    return this.#nonces.issue(deviceId, this.data.gameId, Date.now()).nonceValue;
  }

  async #cursorAt(port: number, token: string, startRank: number): Promise<string> {
    const body = JSON.stringify({
      query: START_RANK,
      variables: { boardId: this.data.boardIds[0], startRank },
    });
    const connection = await HttpConnection.open(port);
    const answer = await connection.request(
      `POST /graphql HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\n` +
        `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    connection.close();
    return JSON.parse(answer.body.toString()).data.board.ranking.entries.pageInfo.endCursor;
  }
}

function* numbered(count: number, make: (k: number) => string): Generator<string> {
  for (let k = 0; k < count; k += 1) yield make(k);
}
