import type { Server as HttpServer } from 'node:http';
import type { Log } from '../../base/log.js';
import type { MetricsSource } from '../../base/metrics.js';
import { type HttpSettings, makeKoa } from '../http/koa.js';
import { drain, listenOn, openHttp } from '../http/listener.js';
import { metricsPage } from './metrics-page.js';

/** /metrics on a port of its own (METRICS_PORT), for networks where only the scraper can reach it. */
export class MetricsServer {
  readonly #http: HttpServer;

  constructor(metrics: MetricsSource, settings: HttpSettings, log: Log) {
    const koa = makeKoa({
      settings,
      log,
      // Scrapes of this port are not counted as requests of the service.
      answered: () => undefined,
      limitVisit: () => Promise.resolve(),
      closing: () => false,
      routes: [metricsPage(metrics)],
    });
    this.#http = openHttp(koa.callback(), settings.headerPrefix);
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
