import { respelledSentence } from '../accounts/users/respell-addresses.js';
import { makeLog } from '../base/log.js';
import { readConfig } from '../config/table.js';
import { openMigrated, visitServer } from '../process/database.js';
import { runProcess } from '../process/shutdown.js';

// npm run migrate: migrates the database to the newest schema, also while the service runs on it.
runProcess(async (disposal) => {
  const config = readConfig(process.env);
  const server = await visitServer(config, makeLog(config.logLevel));
  disposal.add(server.close);
  const { applied, newer, respelled, close } = await openMigrated(server, undefined, true);
  disposal.add(close);
  for (const name of applied) process.stdout.write(`applied ${name}\n`);
  const addresses = respelled && respelledSentence(respelled);
  if (addresses) process.stdout.write(`${addresses}.\n`);
  const state =
    newer.length > 0 ? `from a later release (${newer.join(', ')}) and was left unchanged` : 'the newest';
  process.stdout.write(`The database schema (${server.place}) is ${state}.\n`);
  return 'done';
});
