import { type AppOptions, makeApp } from '../app.js';
import { systemClock } from '../clock.js';
import type { Config } from '../config.js';
import type { Log } from '../log.js';
import { mailFolder } from '../mail/file.js';
import { SetupError } from '../setup-error.js';
import { banner, localUrl } from './banner.js';
import { openMigrated, openServer } from './database.js';
import { checkPort, explainListen } from './port.js';
import { openSecrets } from './secrets.js';
import type { Disposal } from './shutdown.js';
import { openSuperadmin } from './superadmin.js';

export interface Service {
  /** What the app was made with: another one can be made beside it. */
  parts: AppOptions;
  /** As this machine reaches it. */
  url: string;
  /** What to print for people. */
  banner: string;
}

/**
 * Starts the whole service: Postgres, schema, secrets, superadmin, HTTP. What was started is added to the disposal.
 * @throws SetupError, one sentence that says what to do
 */
export async function startService(config: Config, log: Log, disposal: Disposal): Promise<Service> {
  await checkPort(config.port, config.host);
  if (config.metricsPort !== undefined) await checkPort(config.metricsPort, config.host, 'METRICS_PORT');
  const server = await openServer(config, log);
  disposal.add(server.close);
  const { database, applied, close } = await openMigrated(server);
  disposal.add(close);
  if (applied.length > 0) log.info({ applied }, 'the schema was brought up to date');
  const secrets = await openSecrets(config, database.knex);
  const settings = { ...config, ...secrets };
  const superadmin = await openSuperadmin(database.knex, settings, log);
  const parts = { settings, database, clock: systemClock, log };
  const app = await makeApp(parts);
  disposal.add(app.close);
  const { host, headerPrefix } = config;
  const port = await app.listen(config.port, host).catch((error: unknown) => {
    const apart = (error as { port?: number }).port === config.metricsPort;
    const sentence = apart
      ? explainListen(error, config.metricsPort!, host, 'METRICS_PORT')
      : explainListen(error, config.port, host);
    throw sentence ? new SetupError(sentence) : error;
  });
  const url = localUrl(host, port);
  const { metricsPort } = app;
  const mails = config.smtpUrl === undefined ? mailFolder(config.dataDir) : undefined;
  const facts = { host, port, metricsPort, data: server.place, mails, superadmin, headerPrefix };
  return { parts, url, banner: banner(facts) };
}
