import './process/production.js';
import { makeLog } from './base/log.js';
import { activeTrace } from './base/tracing.js';
import { readConfig } from './config/table.js';
import { intoOneLog } from './process/one-log.js';
import { startService } from './process/service.js';
import { runProcess } from './process/shutdown.js';

runProcess(async (disposal) => {
  const config = readConfig(process.env);
  const log = makeLog(config.logLevel, undefined, config.otelExporterOtlpEndpoint ? activeTrace : undefined);
  intoOneLog(log);
  const text = config.cells
    ? await (await import('./process/gateway.js')).startGateway(config, log, disposal)
    : (await startService(config, log, disposal)).banner;
  process.stdout.write(text);
  disposal.add(async () => log.info('shutting down; finishing accepted requests first'));
  return 'serving';
});
