import { readConfig } from '../config.js';
import { makeLog } from '../log.js';
import { openMigrated, visitServer } from '../process/database.js';
import { runProcess } from '../process/shutdown.js';

// npm run migrate: brings the database to the newest schema, also while the service runs on it.
runProcess(async (disposal) => {
  const config = readConfig(process.env);
  const server = await visitServer(config, makeLog(config.logLevel));
  disposal.add(server.close);
  const { applied, close } = await openMigrated(server);
  disposal.add(close);
  for (const name of applied) process.stdout.write(`applied ${name}\n`);
  process.stdout.write(`The schema of the database (${server.place}) is the newest.\n`);
  return 'done';
});
