import type { Server as HttpServer } from 'node:http';
import type { Context, Next } from 'koa';
import { PeriodicTask } from '../../base/clock.js';
import { DomainError, notFound, unavailable } from '../../base/errors.js';
import type { Log } from '../../base/log.js';
import { AnswerLimit } from '../../graphql/engine/answer-limit.js';
import type { VisitLimit } from '../../server/admission.js';
import { chain } from '../../server/http/chain.js';
import { isGraphql } from '../../server/http/envelope.js';
import { type HttpSettings, makeKoa } from '../../server/http/koa.js';
import { drain, listenOn, openHttp } from '../../server/http/listener.js';
import { Peers } from '../../server/http/peers.js';
import { health, MetricsServer, metricsPage } from '../../server/ops.js';
import type { ChosenService } from '../../server/server.js';
import { Sockets } from '../../server/sockets/sockets.js';
import type { Directory } from '../directory.js';
import { answerFromAll } from './all-cells.js';
import { type CellService, CellState } from './cell-state.js';
import { type CellChoice, Choice, type Routed } from './choose.js';
import { graphqlContent, UNREAD } from './hints.js';
import { GatewayMetrics } from './metrics.js';
import { answersMoved, saysMoved } from './moved-account.js';
import { CellPlacement } from './placement.js';
import { CellPlaces } from './places.js';
import { routedOf } from './routed.js';

const LOOK_MS = 1_000;
const FORGET_MS = 3_600_000;
const LOGOUT = /^\/v1\/single-sign-on\/logout\/?$/;
/** Public pages that name a game or a board. */
const PAGE = /^\/(b|games)\//;

export interface GatewaySettings extends HttpSettings {
  maxAnswerBytes: number;
  graphqlIntrospection: boolean;
  keySecret: string;
  metricsPort: number | undefined;
}

export interface GatewayParts {
  settings: GatewaySettings;
  /** The caller closes it after the gateway. */
  directory: Directory;
  /** Names of the cells, in the order in which one is selected for requests that any of them can answer. */
  cells: readonly string[];
  keyNameOf(key: string): string;
  superadminKey: string;
  limitVisit: VisitLimit;
  /** Paths of GET requests whose answer may be a list. */
  lists: ReadonlySet<string>;
  log: Log;
}

/** One server for several cells: each request runs in the service of its account's cell. */
export class Gateway {
  readonly http: HttpServer;
  readonly sockets: Sockets;
  /** Separate port of /metrics (METRICS_PORT), set after `listen`. */
  metricsPort: number | undefined;
  readonly #cells: Map<string, CellState>;
  readonly #places: CellPlaces;
  readonly #choice: Choice;
  readonly #metrics: GatewayMetrics;
  readonly #apart: MetricsServer | undefined;
  readonly #tasks: Pick<PeriodicTask, 'start' | 'close'>[];
  #accepting = false;
  #closing = false;

  constructor(private readonly parts: GatewayParts) {
    const { settings, directory, cells, log, keyNameOf, superadminKey, limitVisit } = parts;
    const { headerPrefix, keySecret } = settings;
    this.#cells = new Map(cells.map((id) => [id, new CellState(id, log)]));
    this.#places = new CellPlaces(directory, log);
    const isUp = (cell: string) => this.#cells.get(cell)?.serving !== undefined;
    const placement = new CellPlacement(directory, keySecret, isUp);
    this.#choice = new Choice({
      places: this.#places,
      placement,
      cells,
      headerPrefix,
      keyNameOf,
      superadminKey,
    });
    this.#metrics = new GatewayMetrics([...this.#cells.values()], this.#places, directory);
    const peers = new Peers();
    peers.report(this.#metrics.own);
    this.#apart =
      settings.metricsPort === undefined ? undefined : new MetricsServer(this.#metrics, settings, log, peers);
    this.sockets = new Sockets({
      serviceOf: async (facts, { query, variables }) => {
        const way = await this.#choice.choose({
          headers: facts.headers,
          forClients: false,
          outside: UNREAD,
          hasBody: true,
          limitVisit: () => limitVisit(facts),
          content: async () => graphqlContent(query, variables),
        });
        return this.#serviceOf(way)[1].sockets;
      },
      log,
      maxMessageBytes: settings.maxBodyBytes,
      origin: settings,
      metrics: this.#metrics.own,
      answerLimit: new AnswerLimit(settings.maxAnswerBytes),
      peers,
    });
    const directorySchema = directory.schemaWatch(log);
    const koa = makeKoa({
      settings,
      log,
      answered: (method, route, status, ms, cell) => {
        const answered = this.#cells.get(cell ?? '')?.app?.service.answered ?? this.#metrics.answered;
        answered(method, route, status, ms);
      },
      closing: () => this.#closing,
      limitVisit,
      routes: [
        health({
          database: async () => this.#someServes(),
          accepting: () => this.#accepting,
          schemaFault: () => directorySchema.fault(),
          cells: () => this.#states(),
        }),
        ...(this.#apart ? [] : [metricsPage(this.#metrics)]),
        (ctx, next) => this.#serve(ctx, next),
      ],
    });
    this.http = openHttp(koa.callback(), settings, { peers });
    this.http.on('upgrade', (request, stream, head) => this.sockets.upgrade(request, stream, head));
    const look = () => Promise.all([...this.#cells.values()].map((cell) => cell.look()));
    this.#tasks = [
      directorySchema,
      new PeriodicTask(look, { everyMillis: LOOK_MS, log, failure: 'failed to check the cells' }),
      new PeriodicTask(() => placement.forget(), {
        everyMillis: FORGET_MS,
        log,
        failure: 'failed to remove expired placements',
      }),
    ];
  }

  /** Requests of the cell's accounts go to this service from now on. */
  attach(cell: string, app: CellService): void {
    this.#cells.get(cell)!.attach(app);
  }

  /** @returns the port, which the system selects for 0. Rejects with the system's error (EADDRINUSE, …). */
  async listen(port: number, host: string): Promise<number> {
    await this.#places.start();
    for (const task of this.#tasks) task.start();
    this.#accepting = true;
    this.metricsPort = await this.#apart?.listen(this.parts.settings.metricsPort!, host);
    return listenOn(this.http, port, host);
  }

  /** Stops accepting, answers accepted requests, closes sockets. The services are closed by their owner, afterwards. */
  async close(): Promise<void> {
    this.#accepting = false;
    this.#closing = true;
    await Promise.all([drain(this.http), this.sockets.close()]);
    await Promise.all([
      ...this.#tasks.map((task) => task.close()),
      this.#places.close(),
      this.#apart?.close(),
    ]);
  }

  async #serve(ctx: Context, next: Next): Promise<void> {
    if (ctx.path.startsWith('/pictures/')) return this.#search(ctx, next);
    if (LOGOUT.test(ctx.path)) return this.#runAll(ctx, next);
    const way = await this.#way(ctx);
    if (way.allOr) return this.#serveAll(way.allOr, ctx, next);
    let refusal: unknown;
    try {
      await this.#run(way, ctx, next);
      const isRefused = isGraphql(ctx) ? answersMoved(ctx.body) : saysMoved(ctx.state.fault);
      if (!isRefused) return;
    } catch (error) {
      if (!saysMoved(error)) throw error;
      refusal = error;
    }
    const again = await this.#lookAgain(way, ctx);
    if (again) return this.#run(again, ctx, next);
    if (refusal) throw refusal;
  }

  /** A page says to people that they were too many: any cell prints it. */
  async #way(ctx: Context): Promise<CellChoice> {
    try {
      return await this.#choice.choose(this.#routed(ctx));
    } catch (error) {
      if (!PAGE.test(ctx.path)) throw error;
      ctx.state.refusal = error;
      return { cell: undefined };
    }
  }

  #routed(ctx: Context): Routed {
    return routedOf(ctx, this.parts.lists, this.parts.limitVisit);
  }

  /** The cell to send a moved account's request to; undefined: the directory has no other cell for it. */
  async #lookAgain({ cell, account }: CellChoice, ctx: Context): Promise<CellChoice | undefined> {
    this.#metrics.misdirected += 1;
    // A superadmin may have named the cell in the header, and the account in the request.
    const moved = account ?? (await this.#choice.accountNamed(this.#routed(ctx)));
    if (moved === undefined) return undefined;
    this.#places.forget(moved);
    const again = await this.#choice.ofAccount(moved);
    return again.cell === cell ? undefined : again;
  }

  #serveAll(refusal: DomainError, ctx: Context, next: Next): Promise<void> {
    return answerFromAll(ctx, {
      cells: [...this.#cells.values()],
      isGraphql: isGraphql(ctx),
      run: (cell) => this.#run({ cell }, ctx, next),
      refusal,
    });
  }

  /** The installation's issuer says who is logged out; where they are signed in, cells know. */
  async #runAll(ctx: Context, next: Next): Promise<void> {
    const refusals: unknown[] = [];
    for (const { id, serving } of this.#cells.values()) {
      if (!serving) refusals.push(unavailable());
      else await this.#run({ cell: id }, ctx, next).catch((error: unknown) => refusals.push(error));
    }
    if (refusals.length > 0) throw refusals[0];
  }

  /** A picture is named by its content, and any cell may have it. */
  async #search(ctx: Context, next: Next): Promise<void> {
    const refusals: unknown[] = [];
    for (const { id, serving } of this.#cells.values()) {
      if (!serving) continue;
      try {
        return await this.#run({ cell: id }, ctx, next);
      } catch (error) {
        const isAbsent = error instanceof DomainError && error.code === 'NOT_FOUND';
        if (!isAbsent && !saysMoved(error)) throw error;
        refusals.push(error);
      }
    }
    // Two cells say so of an account on its way; one alone has kept the rows of a move that is over.
    const moved = refusals.filter(saysMoved);
    if (moved.length > 1) throw moved[0];
    if (refusals.length < this.#cells.size) throw unavailable();
    throw notFound('Picture');
  }

  #run(way: CellChoice, ctx: Context, next: Next): Promise<void> {
    const [cell, { routes }] = this.#serviceOf(way);
    ctx.state.cell = cell;
    return chain(routes, ctx, next) as Promise<void>;
  }

  /** @throws DomainError UNAVAILABLE, CELL_REQUIRED */
  #serviceOf({ cell, allOr }: CellChoice): [string, ChosenService] {
    if (allOr) throw allOr;
    const cells = cell === undefined ? this.#cells.values() : [this.#cells.get(cell)];
    for (const one of cells) if (one?.serving) return [one.id, one.serving.service];
    throw unavailable();
  }

  #someServes(): boolean {
    return [...this.#cells.values()].some(({ serving }) => serving);
  }

  #states(): Record<string, boolean> {
    return Object.fromEntries(
      [...this.#cells.values()].map(({ id, serving }) => [id, serving !== undefined]),
    );
  }
}
