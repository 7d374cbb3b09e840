import { respelledSentence } from '../accounts/users/respell-addresses.js';
import type { AppOptions } from '../app.js';
import type { Log } from '../base/log.js';
import type { Config } from '../config/table.js';
import { DatabaseClock } from '../db/clock.js';
import { sharedPoolSizes } from '../db/pools.js';
import { loadHooks } from '../hooks/load.js';
import { HOOK_CONNECTIONS } from '../hooks/tools.js';
import { mailFolder } from '../mail/delivery.js';
import { banner, localUrl } from './banner.js';
import { joinDirectory, openNames } from './cell.js';
import type { Listening, Orders } from './channel.js';
import { openMigrated, openServer } from './database.js';
import { checkPort, listenAsSet } from './listen.js';
import { openSecrets } from './secrets.js';
import type { Disposal } from './shutdown.js';
import { openTracing } from './tracing.js';
import { Workers } from './workers.js';

export interface Service {
  /** Settings of the app: a second app can be made with them. */
  parts: AppOptions;
  /** URL by which this machine reaches it. */
  url: string;
  /** Text to print for people. */
  banner: string;
}

/**
 * Starts the whole service: Postgres, schema, secrets, superadmin, and HTTP, in this process or in workers. Everything
 * started is added to the disposal.
 * @param more only for a service in this process (WORKERS=1)
 * @throws SetupError, one sentence that says what to do
 */
export async function startService(
  config: Config,
  log: Log,
  disposal: Disposal,
  more: Pick<AppOptions, 'morePages'> = {},
): Promise<Service> {
  await checkPort(config.port, config.host);
  if (config.metricsPort !== undefined) await checkPort(config.metricsPort, config.host, 'METRICS_PORT');
  await openTracing(config, log, disposal);
  const hooks = await loadHooks(config.hooksModule);
  const server = await openServer(config, log);
  disposal.add(server.close);
  const opened = await openMigrated(server, config.databaseTimeoutSeconds);
  const { database: own, applied, newer, respelled } = opened;
  disposal.add(opened.close);
  if (applied.length > 0) log.info({ applied }, 'migrated the schema');
  if (newer.length > 0)
    log.warn({ newer }, 'the database has the schema of a later release; leaving it unchanged');
  const addresses = respelled && respelledSentence(respelled);
  if (addresses) log.warn(respelled, addresses);
  const secrets = await openSecrets(config, own.knex);
  const settings = { ...config, ...secrets };
  const { openSuperadmin } = await import('./superadmin.js');
  const superadmin = await openSuperadmin(own, settings, log);
  await joinDirectory(config, own, log);
  const database = await openNames(config, own, log, disposal);
  const clock = await DatabaseClock.open(database.pool, log);
  disposal.add(() => clock.close());
  const parts = { settings, database, clock: clock.now, clockOffset: clock.offset, log, hooks, ...more };
  const listening = await (config.workers === 1
    ? serveHere(parts, config, disposal)
    : serveByWorkers(
        { settings, connectionString: server.connectionString, route: server.route },
        log,
        disposal,
      ));
  const { host, headerPrefix, workers } = config;
  const url = localUrl(host, listening.port);
  const mails = config.smtpUrl === undefined ? mailFolder(config.dataDir) : undefined;
  const onTerminal = process.stdout.isTTY === true;
  const facts = {
    host,
    ...listening,
    workers,
    data: server.place,
    mails,
    superadmin,
    headerPrefix,
    onTerminal,
  };
  return { parts, url, banner: banner(facts) };
}

/** Warns once of boards in LANDING_BOARDS that the first page leaves out. */
export async function warnOfHidden({ settings, database, clock, log }: AppOptions): Promise<void> {
  if (settings.landingBoards.length === 0) return;
  const { hiddenBoards } = await import('../boards/public/read.js');
  const hidden = await hiddenBoards(database.knex, new Date(clock()), settings.landingBoards);
  if (hidden.length === 0) return;
  log.warn(
    { boards: hidden },
    `LANDING_BOARDS lists boards that visitors cannot see; the landing page leaves them out: ${hidden.join(', ')}`,
  );
}

async function serveHere(parts: AppOptions, config: Config, disposal: Disposal): Promise<Listening> {
  // Loading these modules takes a second: errors of the start are reported before, and a primary needs none of them.
  const { makeApp } = await import('../app.js');
  const app = await makeApp(parts);
  disposal.add(app.close);
  return listenAsSet(app, config);
}

async function serveByWorkers(
  common: Omit<Orders, 'number' | 'pools'>,
  log: Log,
  disposal: Disposal,
): Promise<Listening> {
  const count = common.settings.workers;
  const more = common.settings.hooksModule === undefined ? 0 : HOOK_CONNECTIONS;
  const pools = await sharedPoolSizes(common.connectionString, count, more);
  const workers = new Workers(count, { ...common, pools }, log);
  disposal.add(() => workers.close());
  return workers.start();
}
