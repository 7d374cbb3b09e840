import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { bootstrap } from '../../src/accounts/keys/bootstrap.js';
import { type App, type AppOptions, makeApp } from '../../src/app.js';
import { makeLog } from '../../src/base/log.js';
import type { AppSettings } from '../../src/config/app-settings.js';
import { readConfig } from '../../src/config/table.js';
import type { Changes } from '../../src/db/changes.js';
import type { Database } from '../../src/db/pool.js';
import type { Server } from '../../src/server/server.js';
import { type TestClock, testClock } from './clock.js';
import { cloneDatabase, type TestDatabase } from './database.js';
import { Caller } from './http.js';

export interface TestApp {
  app: App;
  url: string;
  database: Database;
  clock: TestClock;
  /** Its own data directory. */
  dataDir: string;
  changes: Changes;
  server: Server;
  anyone: Caller;
  superadmin: Caller;
  /** Fails if a socket, a watcher or a connection is left open. */
  close(): Promise<void>;
}

export const SETTINGS: AppSettings = {
  ...readConfig({}),
  keySecret: 'a secret for hashes of keys in tests',
  keyPrefix: 'svc_',
  headerPrefix: 'service',
  jwtSecret: 'a secret for tokens in tests, long enough',
  accessTokenSeconds: 86_400,
  refreshTokenSeconds: 2_592_000,
  nonceSeconds: 60,
  publicUiUrl: 'https://play.example.com',
  landingBoards: [],
  trustedProxies: [],
  corsOrigins: ['*'],
  maxBodyBytes: 65_536,
  metricsPort: undefined,
  graphqlIntrospection: true,
  livePerDevice: 20,
  livePerAddress: 1_000,
  livePerAccount: 100_000,
  liveBytesPerCaller: 67_108_864,
  liveBytesPerAccount: 1_073_741_824,
  dataDir: path.join(os.tmpdir(), 'leaderboard-test-nothing-is-written-here'),
  smtpUrl: undefined,
  mailFrom: undefined,
  geoipDatabase: undefined,
  httpRateLimit: undefined,
  anonymousWritesPerMinute: undefined,
  newDevicesPerHour: undefined,
};

/** Everything of an app that a test may replace. */
type Options = Partial<Omit<AppOptions, 'settings' | 'database' | 'clock'>> & { superadminKey?: string };

/**
 * The whole service on its own database and a stopped clock; jobs run when the test calls them. TEST_LOG=debug
 * shows its log.
 */
export async function startApp(
  settings: Partial<AppSettings> = {},
  { superadminKey, ...options }: Options = {},
  open: (clone: TestDatabase) => Database | Promise<Database> = (clone) => clone.open(),
  /** Wraps the database the app uses, once it has its superadmin. */
  named?: (database: Database) => Database | Promise<Database>,
): Promise<TestApp> {
  if (process.env.TEST_CELLS && !named) {
    const { startThroughGateway } = await import('./through-gateway.js');
    return startThroughGateway(settings, options, open);
  }
  const clone = await cloneDatabase();
  const database = await open(clone);
  const clock = testClock();
  const log = makeLog(process.env.TEST_LOG ?? 'fatal');
  const dataDir = mkdtempSync(path.join(os.tmpdir(), `leaderboard-test-${process.pid}-`));
  const email = 'root@example.com';
  const superadmin = { email, ...(superadminKey && { key: superadminKey }) };
  const key = await bootstrap(database.knex, SETTINGS, superadmin, new Date(clock.now()));
  if (!key) throw new Error('a fresh database has a superadmin already');
  const app = await makeApp({
    settings: { ...SETTINGS, dataDir, ...settings },
    database: (await named?.(database)) ?? database,
    clock: clock.now,
    log,
    wakeJobs: false,
    ...options,
  });
  const url = `http://127.0.0.1:${await app.listen(0, '127.0.0.1')}`;
  const anyone = new Caller(url);
  return {
    app,
    url,
    database,
    clock,
    dataDir,
    changes: app.changes,
    server: app.server,
    anyone,
    superadmin: anyone.with({ 'service-api-key': key }),
    close: async () => {
      await app.close();
      const leaked = {
        sockets: app.server.sockets.size,
        watchers: app.changes.size,
        subscribers: app.live.size,
      };
      await clone.drop();
      rmSync(dataDir, { recursive: true, force: true });
      if (Object.values(leaked).some((left) => left > 0))
        throw new Error(`leaked: ${JSON.stringify(leaked)}`);
    },
  };
}
