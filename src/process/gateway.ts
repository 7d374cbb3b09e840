import 'reflect-metadata';
import type { App } from '../app.js';
import { PeriodicTask } from '../base/clock.js';
import { SetupError } from '../base/errors.js';
import type { Log } from '../base/log.js';
import type { Directory } from '../cells/directory.js';
import type { Gateway } from '../cells/gateway/gateway.js';
import type { Config } from '../config/table.js';
import { DatabaseClock } from '../db/clock.js';
import { loadHooks } from '../hooks/load.js';
import { mailFolder } from '../mail/delivery.js';
import { banner } from './banner.js';
import { joinDirectory, openNames } from './cell.js';
import { openMigrated, openServer } from './database.js';
import { checkPort, listenAsSet } from './listen.js';
import { Disposal } from './shutdown.js';
import { openTracing } from './tracing.js';

/** Pause before another attempt to open a cell. */
const AGAIN_MS = 2_000;

/** Settings that CELLS requires. */
type GatewayConfig = Config &
  Record<'directoryUrl' | 'jwtSecret' | 'keySecret' | 'superadminApiKey', string> &
  Required<Pick<Config, 'cellDatabases'>>;

/**
 * Starts one server for the cells of CELLS. A cell that cannot be opened is named in the log and tried again, while the
 * others serve.
 * @returns text to print for people
 * @throws SetupError when the directory cannot be used, or no cell can be opened
 */
export async function startGateway(given: Config, log: Log, disposal: Disposal): Promise<string> {
  // CELLS requires these settings (config/cells.ts).
  const config = given as GatewayConfig;
  await checkPort(config.port, config.host);
  if (config.metricsPort !== undefined) await checkPort(config.metricsPort, config.host, 'METRICS_PORT');
  await openTracing(config, log, disposal);
  const [{ Directory }, { Gateway }] = await Promise.all([
    import('../cells/directory.js'),
    import('../cells/gateway/gateway.js'),
  ]);
  const directory = new Directory(config.directoryUrl);
  disposal.add(() => directory.close());
  await directory.migrate();
  const cells = Object.keys(config.cellDatabases);
  const gateway = await makeGateway(Gateway, { config, cells, directory, log });
  const opening = new CellOpening(config, gateway, cells, log);
  // The server ends before the services that it sends requests to.
  disposal.add(() => opening.close());
  const failures = await opening.openAll();
  if (failures.length === cells.length) throw failures[0];
  disposal.add(() => gateway.close());
  opening.start();
  const app = {
    listen: gateway.listen.bind(gateway),
    get metricsPort() {
      return gateway.metricsPort;
    },
  };
  const listening = await listenAsSet(app, config);
  return banner({
    host: config.host,
    ...listening,
    workers: 1,
    data: `the cells ${cells.join(', ')}`,
    mails: config.smtpUrl === undefined ? mailFolder(config.dataDir) : undefined,
    superadmin: { file: undefined, generated: undefined, given: 'works' },
    headerPrefix: config.headerPrefix,
    onTerminal: false,
  });
}

interface GatewayFacts {
  config: GatewayConfig;
  cells: string[];
  directory: Directory;
  log: Log;
}

async function makeGateway(Made: typeof Gateway, { config, cells, directory, log }: GatewayFacts) {
  const [{ prefixOf }, { listPaths }, { requestBudget, visitBudget }, { TrustedProxies }] = await Promise.all(
    [
      import('../accounts/keys/api-key.js'),
      import('../rest/routes/routes.js'),
      import('../server/admission.js'),
      import('../server/auth/origin.js'),
    ],
  );
  const limitVisit = visitBudget(
    requestBudget(config.httpRateLimit),
    new TrustedProxies(config.trustedProxies),
  );
  const facts = { settings: config, cells, directory, log, limitVisit };
  return new Made({
    ...facts,
    keyNameOf: prefixOf,
    superadminKey: config.superadminApiKey,
    lists: listPaths(),
  });
}

/** Opens the cells of a gateway, those that fail again and again. */
class CellOpening {
  readonly #opened: Disposal[] = [];
  readonly #missing: Set<string>;
  readonly #task: PeriodicTask;

  constructor(
    private readonly config: GatewayConfig,
    private readonly gateway: Gateway,
    cells: readonly string[],
    private readonly log: Log,
  ) {
    this.#missing = new Set(cells);
    this.#task = new PeriodicTask(() => this.openAll(), {
      everyMillis: AGAIN_MS,
      log,
      failure: 'failed to connect to cells',
    });
  }

  /** One after the other, so that their schemas are migrated cell by cell. @returns the faults */
  async openAll(): Promise<unknown[]> {
    const faults: unknown[] = [];
    for (const cell of this.#missing) {
      if (this.#task.closed) break;
      const disposal = new Disposal();
      try {
        const app = await this.#open(cell, disposal);
        this.gateway.attach(cell, {
          service: app.server.service,
          answers: app.answers,
          appMetrics: app.appMetrics,
        });
        this.#missing.delete(cell);
        this.#opened.push(disposal);
        this.log.info({ cell }, 'connected to the cell');
      } catch (error) {
        faults.push(error);
        await disposal.run().catch(() => undefined);
        const reason = error instanceof SetupError ? { reason: error.message } : { err: error };
        this.log.error(
          { cell, ...reason },
          'failed to connect to the cell; requests for its accounts get 503; retrying',
        );
      }
    }
    return faults;
  }

  start(): void {
    if (this.#missing.size > 0) this.#task.start();
  }

  async close(): Promise<void> {
    await this.#task.close();
    await Promise.all(this.#opened.map((disposal) => disposal.run()));
  }

  /** The service on one cell, as a process of it alone would make it, without a server. */
  async #open(cell: string, disposal: Disposal): Promise<App> {
    const { config, log } = this;
    const ofCell = { ...config, cell, databaseUrl: config.cellDatabases[cell], cells: undefined };
    const server = await openServer(ofCell, log);
    disposal.add(server.close);
    const opened = await openMigrated(server, config.databaseTimeoutSeconds);
    disposal.add(opened.close);
    if (opened.applied.length > 0)
      log.info({ cell, applied: opened.applied }, 'migrated the schema of the cell');
    const { openSuperadmin } = await import('./superadmin.js');
    await openSuperadmin(opened.database, ofCell, log);
    await joinDirectory(ofCell, opened.database, log);
    const database = await openNames(ofCell, opened.database, log, disposal);
    const clock = await DatabaseClock.open(database.pool, log);
    disposal.add(() => clock.close());
    const hooks = await loadHooks(config.hooksModule);
    const { makeApp } = await import('../app.js');
    const app = await makeApp({
      settings: ofCell,
      database,
      clock: clock.now,
      clockOffset: clock.offset,
      log,
      hooks,
    });
    disposal.add(app.close);
    await app.start();
    app.startJobs();
    return app;
  }
}
