import { AcceptQueue } from './accept-queue.js';
import { checkWhileWriting } from './answer-check.js';
import { inSession } from './bulk-session.js';
import { ServerCpu } from './cpu.js';
import { CASES, type Case } from './http-cases.js';
import type { Clients } from './http-clients.js';
import type { HttpData } from './http-data.js';
import type { HttpLoad, Target } from './http-load.js';
import type { Row } from './http-table.js';
import { type Checked, type Checks, checkAnswers, checkSnapshot, sumOf } from './rank-check.js';
import { type Api, scoresOf } from './requests.js';
import type { Scratch } from './scratch.js';
import type { ServiceProcess } from './service-process.js';
import { count, millis, say, times } from './table.js';
import { readTraffic } from './traffic.js';
import { walPosition } from './wal.js';

export interface CourseParts {
  scratch: Scratch;
  data: HttpData;
  clients: Clients;
  service: ServiceProcess;
  /** Processes of the service. */
  workers: number;
  bare: Target;
  /** Length of a slice. */
  seconds: number;
}

/** Before each case, because its code is first interpreted, then compiled step by step. */
const WARM_SECONDS = 4;
/** The load under which ranks are checked; its figures are not used. */
const CHECK_SECONDS = 3;
/** Shorter waits for acceptance are not reported. */
const LONG_WAIT_SECONDS = 0.5;

const NOTHING: Checked = { ranks: 0, wrong: 0 };

/** One service on one set of boards, running case after case. */
export class Course {
  constructor(
    readonly parts: CourseParts,
    readonly http: HttpLoad,
  ) {}

  async begin(): Promise<void> {
    await this.parts.clients.findDeepPages(this.parts.service.port);
    for (const target of [this.parts.bare, this.parts.service]) await this.http.warm(target);
  }

  /** A case over each interface: the bare route, then the service, with the checks. */
  async run(wish: Case, apis: readonly Api[], connections: number): Promise<Row[]> {
    const { data, bare, service, seconds, workers } = this.parts;
    const { boardIds, entries } = data;
    const { name, remembered, batch = 1 } = wish;
    const common = { connections, workers, boards: boardIds.length, entries, name, remembered };
    const rows: Row[] = [];
    for (const api of apis) {
      if (!(await this.http.offers(service, wish, api))) {
        say(`${wish.boards}: ${name}, ${api}: skipped, this version has no such route.`);
        continue;
      }
      const traffic = (time: number) => this.http.traffic(wish, api, connections, time);
      const reference = await this.http.reference(seconds);
      const beside = await this.http.send(bare, reference, connections, seconds);
      await this.http.send(service, await traffic(WARM_SECONDS), connections, WARM_SECONDS);
      const requests = await traffic(seconds);
      const cost = await this.#cost();
      const queue = AcceptQueue.watch(service.port);
      const load = await this.http.send(service, requests, connections, seconds);
      const longestWait = queue.end();
      const used = await cost(load.requests * batch);
      const checks = await this.#check(wish, api, connections);
      const { ranks, wrong } = sumOf(checks);
      const perSecond = load.perSecond * batch;
      rows.push({ ...common, api, bare: beside.perSecond, ...load, perSecond, ...used, checks });
      say(
        `${connections} connections, ${wish.boards}: ${name}, ${api}, ${workers} worker(s): ${count(perSecond)}/s, ` +
          `${times(perSecond / beside.perSecond)} of ${count(beside.perSecond)}/s, p99 ${millis(load.p99)}, ` +
          `${load.errors} errors, ${wrong} of ${count(ranks)} ranks wrong`,
      );
      if (longestWait >= LONG_WAIT_SECONDS) {
        const late = `${load.late} answers came after more than two seconds`;
        say(`  New connections waited up to ${longestWait.toFixed(1)} s to be accepted; ${late}.`);
      }
    }
    return rows;
  }

  /** A snapshot while the case runs, responses during it if it writes, and responses after it has ended. */
  async #check(wish: Case, api: Api, connections: number): Promise<Checks> {
    const { data, service } = this.parts;
    const { port } = service;
    const scores = scoresOf[api];
    const pages = wish.writes ? await this.#somePages(wish, api) : [];
    const traffic = await this.http.traffic(wish, api, connections, CHECK_SECONDS);
    const going = wish.writes
      ? checkWhileWriting(
          data,
          { port, connections, seconds: CHECK_SECONDS, requests: readTraffic(traffic), pages },
          scores,
        )
      : this.http.send(service, traffic, connections, CHECK_SECONDS).then(() => NOTHING);
    const [snapshot, meanwhile] = await Promise.all([checkSnapshot(data), going]);
    const reading = wish.writes ? CASES.find(({ name }) => name === 'own rank')! : wish;
    const questions = await this.http.traffic(reading, api, connections, 1);
    return { snapshot, meanwhile, after: await checkAnswers(data, { port, traffic: questions, scores }) };
  }

  /**
   * One request of each case served from memory while nothing is written; the cursors are those of the hot board.
   */
  async #somePages({ boards }: Case, api: Api): Promise<string[]> {
    const pages: string[] = [];
    for (const page of CASES.filter(({ remembered }) => remembered)) {
      if (boards === 'many' && page.name !== 'top 50') continue;
      pages.push(readTraffic(await this.http.traffic(page, api, 1, 1))[0]!);
    }
    return pages;
  }

  /** CPU microseconds and bytes of write-ahead log per request from now on. */
  async #cost() {
    const gateway = ServerCpu.of(this.parts.service.pid);
    const postgres = this.parts.scratch.cpu;
    const wal = () => inSession(this.parts.data.made, walPosition);
    const before = { gateway: gateway?.used() ?? 0, postgres: postgres?.used() ?? 0, wal: await wal() };
    return async (requests: number) => ({
      gatewayCpu: gateway && (gateway.used() - before.gateway) / requests,
      postgresCpu: postgres && (postgres.used() - before.postgres) / requests,
      wal: ((await wal()) - before.wal) / requests,
    });
  }
}
