import type { Generator, Load } from './generator.js';
import { type Case, IMPROVING } from './http-cases.js';
import { type Clients, PLAYERS } from './http-clients.js';
import { HttpConnection } from './http-connection.js';
import type { Api } from './requests.js';
import { readTraffic, type Traffic } from './traffic.js';

/** A process that serves HTTP. */
export interface Target {
  port: number;
  pid: number;
}

/** More than any of these services reaches: this many submissions are prepared, and each can only be sent once. */
const MOST_A_SECOND = 10_000;
const MOST_A_SECOND_IN_BATCHES = 40_000;
const MOST_A_SECOND_OF_A_CONNECTION = 2_000;
const WARM_SECONDS = 4;
/** At most this many before the first case. */
const MOST_WARM_SLICES = 10;

/** Sends cases to processes; their requests are prepared beforehand. */
export class HttpLoad {
  constructor(
    private readonly clients: Clients,
    private readonly generator: Generator,
  ) {}

  /** @param seconds how long the requests must last for this many connections */
  traffic(wish: Case, api: Api, connections: number, seconds: number): Promise<Traffic> {
    return this.clients.traffic(wish, api, Math.ceil(seconds * this.most(wish, connections)));
  }

  /** More requests a second than any service answers. */
  most({ batch = 1 }: Case, connections: number): number {
    const most = batch > 1 ? MOST_A_SECOND_IN_BATCHES / batch : MOST_A_SECOND;
    return Math.min(most, connections * MOST_A_SECOND_OF_A_CONNECTION);
  }

  /** Submissions for the bare route, which serves one connection faster than any service. */
  reference(seconds: number): Promise<Traffic> {
    return this.clients.traffic(IMPROVING, 'REST', Math.ceil(seconds * MOST_A_SECOND));
  }

  /** @throws Error if requests were sent twice */
  async send(
    { port }: Target,
    traffic: Traffic,
    connections: number,
    seconds: number,
    rate?: number,
  ): Promise<Load> {
    const load = await this.generator.run({ port, connections, seconds, traffic, rate });
    if (!traffic.again && load.requests > traffic.requests)
      throw new Error('The requests that were prepared did not suffice');
    return load;
  }

  /**
   * Lets a process compile its code, and every player submit once: after a checkpoint, such as the one that ends the
   * build, the first change of each page logs the whole page, which costs several times as much; slices of seconds
   * would see little else.
   */
  async warm(target: Target): Promise<void> {
    let answered = 0;
    for (let slice = 0; slice < MOST_WARM_SLICES && answered < PLAYERS; slice += 1) {
      const traffic = await this.traffic(IMPROVING, 'REST', 64, WARM_SECONDS);
      answered += (await this.send(target, traffic, 64, WARM_SECONDS)).requests;
    }
  }

  /**
   * True if the service supports the case. Batch routes are newer than others, and have no GraphQL operation here.
   * @throws Error if a submission of such a request is refused
   */
  async offers({ port }: Target, wish: Case, api: Api): Promise<boolean> {
    if (wish.batch === undefined) return true;
    if (api !== 'REST') return false;
    const [request] = readTraffic(await this.clients.traffic(wish, api, 1));
    const connection = await HttpConnection.open(port);
    const { status, body } = await connection.request(request!);
    connection.close();
    if (status === 404 || status === 405) return false;
    const text = body.toString();
    const results = status === 200 ? (JSON.parse(text) as { results: { status: number }[] }).results : [];
    const stored = results.filter((result) => result.status === 201).length;
    if (stored !== wish.batch) throw new Error(`${stored} of ${wish.batch} were stored: ${status} ${text}`);
    return true;
  }
}
