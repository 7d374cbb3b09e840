import { prefixOf } from '../../src/accounts/keys/api-key.js';
import { Directory } from '../../src/cells/directory.js';
import { Gateway } from '../../src/cells/gateway/gateway.js';
import type { AppSettings } from '../../src/config/app-settings.js';
import { listPaths } from '../../src/rest/routes/routes.js';
import { requestBudget, visitBudget } from '../../src/server/admission.js';
import { TrustedProxies } from '../../src/server/auth/origin.js';
import { SETTINGS, type TestApp } from './app.js';
import { log, startCell, type TestCell, type TestDirectory } from './cells.js';
import { Caller } from './http.js';

/** Key of the superadmin in all cells. */
export const GATEWAY_KEY = 'svc_the-key-of-the-superadmin-in-all-cells';

export interface TestGateway {
  gateway: Gateway;
  url: string;
  anyone: Caller;
  superadmin: Caller;
  close(): Promise<void>;
}

/** A cell whose superadmin has the key of the gateway. */
export function startGatewayCell(
  directory: TestDirectory,
  cell: string,
  appOptions: Parameters<typeof startCell>[3] = {},
  settings: Parameters<typeof startCell>[4] = {},
): Promise<TestCell> {
  return startCell(directory, cell, {}, { superadminKey: GATEWAY_KEY, ...appOptions }, settings);
}

/** One server for these cells. Their apps listen on their own ports, too. */
export async function startGateway(
  directoryUrl: string,
  cells: Record<string, TestCell>,
  settings: Partial<AppSettings> = {},
): Promise<TestGateway> {
  const directory = new Directory(directoryUrl);
  const gateway = new Gateway({
    settings: { ...SETTINGS, ...settings },
    directory,
    cells: Object.keys(cells),
    keyNameOf: prefixOf,
    superadminKey: GATEWAY_KEY,
    limitVisit: visitBudget(
      requestBudget(settings.httpRateLimit),
      new TrustedProxies(settings.trustedProxies ?? []),
    ),
    lists: listPaths(),
    log,
  });
  for (const [id, { app }] of Object.entries(cells)) {
    gateway.attach(id, { service: app.server.service, answers: app.answers, appMetrics: app.appMetrics });
  }
  const url = `http://127.0.0.1:${await gateway.listen(0, '127.0.0.1')}`;
  const anyone = new Caller(url);
  return {
    gateway,
    url,
    anyone,
    superadmin: anyone.with({ 'service-api-key': GATEWAY_KEY }),
    close: async () => {
      await gateway.close();
      await directory.close();
    },
  };
}

/** The gateway in the form of an app for test helpers; whatever needs the process behind it comes from the cell. */
export function through(gateway: TestGateway, cell: TestCell): TestApp {
  const { url, anyone, superadmin } = gateway;
  return { ...cell, url, anyone, superadmin };
}
