import 'reflect-metadata';
import { makeLog } from '../base/log.js';
import { holdAllPrizes } from '../closings/rewards/hold.js';
import { readConfig } from '../config/table.js';
import { openMigrated, visitServer } from '../process/database.js';
import { runProcess } from '../process/shutdown.js';
import { pauseAllEndpoints } from '../webhooks/endpoints/pause-all.js';
import { commandLine } from './command.js';

// leaderboard pause-webhooks: for a restored copy of your own Postgres, before the service starts on it.
runProcess(async (disposal) => {
  commandLine([]);
  const config = readConfig(process.env);
  const server = await visitServer(config, makeLog('warn'));
  disposal.add(server.close);
  const { database, close } = await openMigrated(server);
  disposal.add(close);
  const now = new Date();
  const paused = await pauseAllEndpoints(database.knex, 'pause-webhooks', now);
  const held = await holdAllPrizes(database.knex, 'pause-webhooks', now);
  process.stdout.write(`${paused} webhook endpoints paused; all have a new epoch.\n`);
  process.stdout.write(`Prizes of ${held} closings held until someone releases them.\n`);
  return 'done';
});
