import path from 'node:path';
import { SetupError } from '../base/errors.js';
import { makeLog } from '../base/log.js';
import { readConfig } from '../config/table.js';
import { requireCluster, visitServer } from '../process/database.js';
import { runProcess } from '../process/shutdown.js';
import { makeBackup } from './backups/make.js';
import { megabytes } from './backups/progress.js';
import { commandLine, stopSignal } from './command.js';

// leaderboard backup <folder>: copies the embedded database and the secrets, also while the service runs.
runProcess(async (disposal) => {
  const signal = stopSignal();
  const { words } = commandLine(['the folder to create']);
  const target = path.resolve(words[0]!);
  const config = readConfig(process.env);
  if (config.databaseUrl !== undefined) {
    throw new SetupError(
      'DATABASE_URL is set, so this is your own Postgres. Back it up with its own tools (docs/operations/backup.md).',
    );
  }
  const { dataDir } = config;
  requireCluster(config);
  if (`${target}${path.sep}`.startsWith(`${dataDir}${path.sep}`)) {
    throw new SetupError(`${target} is inside the data directory. Choose a folder outside it.`);
  }
  const server = await visitServer(config, makeLog('warn'));
  disposal.add(server.close);
  const source = { connectionString: server.connectionString, dataDir, cluster: server.cluster! };
  const facts = await makeBackup(source, target, signal);
  process.stdout.write(`${target}: ${facts.files} files, ${megabytes(facts.bytes)}, each with a checksum.\n`);
  const apart = [
    config.keySecret === undefined ? [] : ['KEY_SECRET'],
    config.jwtSecret === undefined ? [] : ['JWT_SECRET'],
  ].flat();
  if (apart.length > 0) {
    process.stdout.write(
      `${apart.join(' and ')}: not stored in the data directory. Keep them with the backup.\n`,
    );
  }
  return 'done';
});
