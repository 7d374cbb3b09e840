import type { App } from '../app.js';
import { SetupError } from '../base/errors.js';
import type { Config } from '../config/table.js';
import { explainListen } from './port.js';
import type { Listening } from './worker-orders.js';

/** Makes an app listen at the configured address. @throws SetupError when the system refuses it */
export async function listenAsSet(
  app: App,
  { port, host, metricsPort }: Pick<Config, 'port' | 'host' | 'metricsPort'>,
): Promise<Listening> {
  try {
    return { port: await app.listen(port, host), metricsPort: app.metricsPort };
  } catch (error) {
    const apart = (error as { port?: number }).port === metricsPort && metricsPort !== undefined;
    const sentence = apart
      ? explainListen(error, metricsPort, host, 'METRICS_PORT')
      : explainListen(error, port, host);
    throw sentence ? new SetupError(sentence) : error;
  }
}
