import { createServer } from 'node:net';
import type { App } from '../app.js';
import { SetupError } from '../base/errors.js';
import type { Config } from '../config/table.js';
import type { Listening } from './channel.js';

/** Makes an app listen at the configured address. @throws SetupError when the system refuses it */
export async function listenAsSet(
  app: Pick<App, 'listen' | 'metricsPort'>,
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

/** Name of the port's setting. */
type PortSetting = 'PORT' | 'METRICS_PORT';

/** Advice for the case that the system refuses to listen; undefined: not known. */
function explainListen(
  error: unknown,
  port: number,
  host: string,
  setting: PortSetting = 'PORT',
): string | undefined {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is already in use. Stop the other program, or choose another port with ${setting}.`;
    case 'EACCES':
      return `This user is not allowed to use port ${port}. Choose one above 1023 with ${setting}.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return (
        `${host} is not an address of this machine. Correct HOST: 0.0.0.0 listens on all addresses, ` +
        `127.0.0.1 only on the machine itself.`
      );
    default:
      return undefined;
  }
}

/** Checks before the start that the port is available. @throws SetupError */
export async function checkPort(port: number, host: string, setting: PortSetting = 'PORT'): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error) => {
      const sentence = explainListen(error, port, host, setting);
      reject(sentence ? new SetupError(sentence) : error);
    });
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
}
