import './production.js';
import { type App, makeApp } from '../app.js';
import { SetupError } from '../base/errors.js';
import { makeLog } from '../base/log.js';
import { METRICS_FORMAT } from '../base/metrics.js';
import { activeTrace } from '../base/tracing.js';
import { DatabaseClock } from '../db/clock.js';
import { openDatabase } from '../db/pool.js';
import { loadHooks } from '../hooks/load.js';
import { openNames } from './cell.js';
import {
  Channel,
  type Listening,
  type Orders,
  type Peer,
  type PrimaryRequest,
  type WorkerRequest,
} from './channel.js';
import { listenAsSet } from './listen.js';
import { intoOneLog } from './one-log.js';
import { type Disposal, runProcess } from './shutdown.js';
import { openTracing } from './tracing.js';

// The program of one worker (WORKERS): the primary starts it (workers.ts), and node:cluster shares the port with it.
runProcess(
  (disposal, end) =>
    new Promise((resolve) => {
      let app: App | undefined;
      const primary = new Channel<PrimaryRequest, WorkerRequest>(primaryProcess(), {
        serve: async (orders) => {
          try {
            const served = await runWorker(orders, () => primary.ask('scrape', null), disposal);
            app = served.app;
            resolve('serving');
            return served.listening;
          } catch (error) {
            // The primary prints it, once for all workers.
            process.exitCode = 1;
            resolve('done');
            throw error;
          }
        },
        wake: async () => {
          app?.startJobs();
          return null;
        },
        metrics: async () => app?.ownMetrics() ?? [],
        end: async () => {
          end();
          return null;
        },
      });
      process.channel?.ref();
      // Undone last: then nothing keeps the process alive, and it ends by itself.
      disposal.add(async () => process.channel?.unref());
    }),
);

function primaryProcess(): Peer {
  const send = process.send?.bind(process);
  if (!send)
    throw new SetupError('Workers are started by the service itself. Set WORKERS and start the service.');
  const on = (event: string, listener: (message: unknown) => void) =>
    process.on(event as 'message', listener);
  return { send, on };
}

async function runWorker(
  { number, settings, connectionString, route, pools }: Orders,
  scrape: () => Promise<string>,
  disposal: Disposal,
): Promise<{ app: App; listening: Listening }> {
  const traces = settings.otelExporterOtlpEndpoint === undefined ? undefined : activeTrace;
  const log = makeLog(settings.logLevel, { worker: number }, traces);
  intoOneLog(log);
  await openTracing(settings, log, disposal);
  const hooks = await loadHooks(settings.hooksModule);
  const database = openDatabase(connectionString, pools, settings.databaseTimeoutSeconds, route);
  disposal.add(() => database.close());
  const clock = await DatabaseClock.open(database.pool, log);
  disposal.add(() => clock.close());
  const app = await makeApp({
    settings,
    database: await openNames(settings, database, log, disposal),
    clock: clock.now,
    clockOffset: clock.offset,
    log,
    hooks,
    wakeJobs: false,
    metrics: { contentType: METRICS_FORMAT, text: scrape },
  });
  disposal.add(app.close);
  return { app, listening: await listenAsSet(app, settings) };
}
