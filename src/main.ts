import './process/production.js';
import { makeLog } from './base/log.js';
import { activeTrace } from './base/tracing.js';
import { readConfig } from './config/table.js';
import { startService } from './process/service.js';
import { runProcess } from './process/shutdown.js';

runProcess(async (disposal) => {
  const config = readConfig(process.env);
  const log = makeLog(config.logLevel, undefined, config.otelExporterOtlpEndpoint ? activeTrace : undefined);
  const service = await startService(config, log, disposal);
  process.stdout.write(service.banner);
  disposal.add(async () => log.info('shutting down: accepted requests are finished first'));
  return 'serving';
});
