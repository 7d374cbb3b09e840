import type { Server as HttpServer } from 'node:http';
import type { Context, Middleware } from 'koa';
import { RETRY_AFTER_SECONDS } from '../base/errors.js';
import type { Log } from '../base/log.js';
import type { MetricsSource } from '../base/metrics.js';
import { packageVersion } from '../base/package.js';
import { METRICS_PATH } from './admission.js';
import { refuseMethod } from './http/envelope.js';
import { type HttpSettings, makeKoa } from './http/koa.js';
import { drain, listenOn, openHttp } from './http/listener.js';
import type { Peers } from './http/peers.js';

/** A proxy that hides `/metrics` or `/health/ready` compares whole paths: no other spelling of an operator's path may pass. */
const PATHS = ['/health/live', '/health/ready', '/v1/health', '/v1'];
/** Of callers of the interface: a slash at the end is accepted, as in all of it. */
const WITH_SLASH = new Map([
  ['/v1/', '/v1'],
  ['/v1/health/', '/v1/health'],
]);

/** Facts about the process, provided by a composition root. */
export interface HealthSource {
  /** True if the database responds now. Must not throw, nor wait for long. */
  database(): Promise<boolean>;
  /** True if migrations are done and requests are accepted. */
  accepting(): boolean;
  /** Why the process cannot work with the database's schema; undefined: it can. */
  schemaFault?(): string | undefined;
  /** Of a gateway: each cell, and true if it responds (cells/). */
  cells?(): Record<string, boolean>;
}

const SERVICE_NAME = 'leaderboard-service';

/** Paths of the service's entry points by name, shown by GET /v1. */
const LINKS = {
  graphql: '/graphql',
  explorer: '/explorer',
  openapi: '/openapi.json',
  graphql_schema: '/schema.graphql',
  docs: '/docs',
  ready: '/health/ready',
};

/** `/health/live`, `/health/ready`, `/v1/health` and `/v1`. */
export function health(source: HealthSource): Middleware {
  const state = async () => {
    const database = await source.database();
    const reason = source.schemaFault?.();
    return { ready: database && source.accepting() && !reason, database, reason };
  };
  const answer = async (ctx: Context, path: string) => {
    ctx.state.route = path;
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return refuseMethod(ctx, 'GET');
    ctx.set('cache-control', 'no-store');
    if (path === '/health/live') {
      ctx.body = { service: SERVICE_NAME, status: 'ok' };
    } else if (path === '/v1') {
      ctx.body = { service: SERVICE_NAME, version: packageVersion, links: LINKS };
    } else {
      const { ready, database, reason } = await state();
      const cells = Object.entries(source.cells?.() ?? {});
      const degraded = cells.some(([, up]) => !up);
      ctx.status = ready ? 200 : 503;
      if (!ready) ctx.set('retry-after', String(RETRY_AFTER_SECONDS));
      ctx.body = {
        service: SERVICE_NAME,
        status: !ready ? 'unavailable' : degraded ? 'degraded' : 'ok',
        database: stateOf(database),
        ...(reason && { reason }),
        ...(source.cells && { cells: Object.fromEntries(cells.map(([id, up]) => [id, stateOf(up)])) }),
      };
    }
  };
  return (ctx, next) => {
    const path = WITH_SLASH.get(ctx.path) ?? ctx.path;
    return PATHS.includes(path) ? answer(ctx, path) : next();
  };
}

const stateOf = (up: boolean) => (up ? 'ok' : 'unavailable');

/** GET /metrics for Prometheus. Shows amounts only, no content of records. */
export function metricsPage(metrics: MetricsSource): Middleware {
  return async (ctx, next) => {
    if (ctx.path !== METRICS_PATH) return next();
    ctx.state.route = METRICS_PATH;
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return refuseMethod(ctx, 'GET');
    ctx.set('cache-control', 'no-store');
    ctx.body = await metrics.text();
    ctx.set('content-type', metrics.contentType);
  };
}

/** /metrics on a port of its own (METRICS_PORT), for networks where only the scraper can reach it. */
export class MetricsServer {
  readonly #http: HttpServer;

  constructor(metrics: MetricsSource, settings: HttpSettings, log: Log, peers: Peers) {
    const koa = makeKoa({
      settings,
      log,
      // Scrapes of this port are not counted as requests of the service.
      answered: () => undefined,
      limitVisit: () => Promise.resolve(),
      closing: () => false,
      routes: [metricsPage(metrics)],
    });
    this.#http = openHttp(koa.callback(), settings, { peers });
    this.#http.on('upgrade', (_request, stream) => stream.destroy());
  }

  /** @returns the port, which the system selects for 0. Rejects with the system's error (EADDRINUSE, …). */
  listen(port: number, host: string): Promise<number> {
    return listenOn(this.#http, port, host);
  }

  close(): Promise<void> {
    return drain(this.#http);
  }
}
