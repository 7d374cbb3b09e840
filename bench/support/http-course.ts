import { checkWhileWriting } from './answer-check.js';
import { ServerCpu } from './cpu.js';
import type { Generator, Load } from './generator.js';
import { CASES, type Case, Clients, PLAYERS, type Secrets } from './http-cases.js';
import { HttpConnection } from './http-connection.js';
import type { HttpData } from './http-data.js';
import type { Row } from './http-table.js';
import { type Checked, type Checks, checkAnswers, checkSnapshot, sumOf } from './rank-check.js';
import { type Api, requestsOf } from './requests.js';
import type { Scratch } from './scratch.js';
import type { ServiceProcess } from './service-process.js';
import { count, millis, say, times } from './table.js';
import { readTraffic, type Traffic } from './traffic.js';

/** A process that answers HTTP. */
export interface Target {
  port: number;
  pid: number;
}

export interface CourseParts {
  scratch: Scratch;
  data: HttpData;
  secrets: Secrets;
  /** For the generator's files. */
  dir: string;
  generator: Generator;
  service: ServiceProcess;
  /** Processes of the service. */
  workers: number;
  bare: Target;
  /** Length of a slice. */
  seconds: number;
}

/** Before each case: what it runs is interpreted at first, then compiled by and by. */
const WARM_SECONDS = 4;
/** No more of these before the first case. */
const MOST_WARM_SLICES = 10;
/** The load under which ranks are checked; its figures are not used. */
const CHECK_SECONDS = 3;
/** No service of these reaches it: so many requests that can be sent only once are prepared. */
const MOST_A_SECOND = 10_000;

const NOTHING: Checked = { ranks: 0, wrong: 0 };

const START_RANK = `query ($boardId: ID!, $startRank: SafeInt) {
  scores(boardId: $boardId, startRank: $startRank, first: 1) { pageInfo { endCursor } }
}`;

/** One service on one set of boards, taken through case after case. */
export class Course {
  readonly #clients: Clients;

  constructor(readonly parts: CourseParts) {
    this.#clients = new Clients(parts.data, parts.secrets, parts.dir);
  }

  /**
   * Lets both processes compile what they run, and every player submit once: after a checkpoint, such as the one that ends the build, the first
   * change of each page logs the whole page, which costs several times as much; slices of seconds would see little else.
   */
  async begin(): Promise<void> {
    await this.#clients.findDeepPages((token, rank) => this.#cursorAt(token, rank));
    for (const target of [this.parts.bare, this.parts.service]) {
      let answered = 0;
      for (let slice = 0; slice < MOST_WARM_SLICES && answered < PLAYERS; slice += 1) {
        const traffic = await this.traffic(CASES[0]!, 'REST', WARM_SECONDS);
        answered += (await this.load(target, traffic, 64, WARM_SECONDS)).requests;
      }
    }
  }

  /** @param seconds how long the requests must suffice */
  traffic(asked: Case, api: Api, seconds: number): Promise<Traffic> {
    return this.#clients.traffic(asked, api, seconds * MOST_A_SECOND);
  }

  load({ port }: Target, traffic: Traffic, connections: number, seconds: number): Promise<Load> {
    return this.parts.generator.run({ port, connections, seconds, traffic });
  }

  /** A case by each interface: the bare route, then the service, with the checks. */
  async run(asked: Case, apis: readonly Api[], connections: number): Promise<Row[]> {
    const { data, bare, service, seconds, workers } = this.parts;
    const { boardIds, entries } = data;
    const { name, remembered } = asked;
    const common = { connections, workers, boards: boardIds.length, entries, name, remembered };
    const rows: Row[] = [];
    for (const api of apis) {
      const reference = await this.traffic(CASES[0]!, 'REST', seconds);
      const beside = await this.load(bare, reference, connections, seconds);
      const warm = await this.traffic(asked, api, WARM_SECONDS);
      await this.load(service, warm, connections, WARM_SECONDS);
      const traffic = await this.traffic(asked, api, seconds);
      const cpu = this.#cpu();
      const load = await this.load(service, traffic, connections, seconds);
      const used = cpu(load.requests);
      const checks = await this.#check(asked, api, connections);
      const { ranks, wrong } = sumOf(checks);
      const row = { ...common, api, bare: beside.perSecond, ...load, ...used, checks };
      say(
        `${connections} connections, ${asked.boards}: ${asked.name}, ${api}, ${workers} worker(s): ${count(load.perSecond)}/s, ` +
          `${times(load.perSecond / beside.perSecond)} of ${count(beside.perSecond)}/s, p99 ${millis(load.p99)}, ` +
          `${load.errors} errors, ${wrong} of ${count(ranks)} ranks wrong`,
      );
      rows.push(row);
    }
    return rows;
  }

  /** A snapshot while the case goes on, answers meanwhile if it writes, and answers when it has ended. */
  async #check(asked: Case, api: Api, connections: number): Promise<Checks> {
    const { data, service } = this.parts;
    const { port } = service;
    const { scores } = requestsOf[api];
    const pages = asked.writes ? await this.#somePages(asked, api) : [];
    const traffic = await this.traffic(asked, api, CHECK_SECONDS);
    const going = asked.writes
      ? checkWhileWriting(
          data,
          { port, connections, seconds: CHECK_SECONDS, requests: readTraffic(traffic), pages },
          scores,
        )
      : this.load(service, traffic, connections, CHECK_SECONDS).then(() => NOTHING);
    const [snapshot, meanwhile] = await Promise.all([checkSnapshot(data), going]);
    const reading = asked.writes ? CASES.find(({ name }) => name === 'own rank')! : asked;
    const questions = await this.traffic(reading, api, 1);
    return { snapshot, meanwhile, after: await checkAnswers(data, { port, traffic: questions, scores }) };
  }

  /** One of each of the cases that are answered from memory while nobody writes; the cursors are those of the hot board. */
  async #somePages({ boards }: Case, api: Api): Promise<string[]> {
    const pages: string[] = [];
    for (const page of CASES.filter(({ remembered }) => remembered)) {
      if (boards === 'many' && page.name !== 'top 50') continue;
      pages.push(readTraffic(await this.traffic(page, api, 1))[0]!);
    }
    return pages;
  }

  /** CPU microseconds a request from now on. */
  #cpu() {
    const gateway = ServerCpu.of(this.parts.service.pid);
    const postgres = this.parts.scratch.cpu;
    const [gatewayBefore, postgresBefore] = [gateway?.used() ?? 0, postgres?.used() ?? 0];
    return (requests: number) => ({
      gatewayCpu: gateway && (gateway.used() - gatewayBefore) / requests,
      postgresCpu: postgres && (postgres.used() - postgresBefore) / requests,
    });
  }

  async #cursorAt(token: string, startRank: number): Promise<string> {
    const { data, service } = this.parts;
    const body = JSON.stringify({ query: START_RANK, variables: { boardId: data.boardIds[0], startRank } });
    const connection = await HttpConnection.open(service.port);
    const answer = await connection.request(
      `POST /graphql HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    connection.close();
    return JSON.parse(answer.body.toString()).data.scores.pageInfo.endCursor;
  }
}
