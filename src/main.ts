import './process/production.js';
import { type Log, makeLog } from './base/log.js';
import { activeTrace } from './base/tracing.js';
import { type Config, readConfig } from './config/table.js';
import { intoOneLog } from './process/one-log.js';
import { startService, warnOfHidden } from './process/service.js';
import { type Disposal, runProcess } from './process/shutdown.js';

runProcess(async (disposal) => {
  const config = readConfig(process.env);
  const log = makeLog(config.logLevel, undefined, config.otelExporterOtlpEndpoint ? activeTrace : undefined);
  intoOneLog(log);
  const text = config.cells
    ? await (await import('./process/gateway.js')).startGateway(config, log, disposal)
    : await startHere(config, log, disposal);
  process.stdout.write(text);
  disposal.add(async () => log.info('shutting down; finishing accepted requests first'));
  return 'serving';
});

async function startHere(config: Config, log: Log, disposal: Disposal): Promise<string> {
  const { parts, banner } = await startService(config, log, disposal);
  await warnOfHidden(parts);
  return banner;
}
