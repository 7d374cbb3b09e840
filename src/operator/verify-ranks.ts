import { SetupError } from '../base/errors.js';
import { makeLog } from '../base/log.js';
import { readConfig } from '../config/table.js';
import { requireCluster, visitServer } from '../process/database.js';
import { runProcess } from '../process/shutdown.js';
import { verifyAll } from './verification.js';

/** SQLSTATEs of a missing table or function. */
const NO_SCHEMA = /^(42P01|42883)$/;

// npm run verify-ranks: checks every board, also while the service runs; code 1 when one has a fault.
runProcess(async (disposal) => {
  const config = readConfig(process.env);
  requireCluster(config);
  const server = await visitServer(config, makeLog(config.logLevel));
  disposal.add(server.close);
  try {
    if ((await verifyAll(server.connectionString)) > 0) process.exitCode = 1;
  } catch (error) {
    if (!NO_SCHEMA.test((error as { code?: string }).code ?? '')) throw error;
    throw new SetupError(
      `The database (${server.place}) does not have the latest schema. Run "npm run migrate" first.`,
    );
  }
  return 'done';
});
