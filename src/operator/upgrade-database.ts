import path from 'node:path';
import { SetupError } from '../base/errors.js';
import { makeLog } from '../base/log.js';
import { readConfig } from '../config/table.js';
import { existingClusters, findPrograms } from '../db/embedded/cluster.js';
import { programsOf, requireCluster } from '../process/database.js';
import { runProcess } from '../process/shutdown.js';
import { commandLine, stopSignal } from './command.js';
import { fetchPrograms } from './upgrade/programs.js';
import { makeDraft, upgradeCluster } from './upgrade/upgrade.js';

// leaderboard upgrade-database: moves the embedded database to the major version of Postgres that a start uses.
runProcess(async (disposal) => {
  const signal = stopSignal();
  const { options } = commandLine([], ['old-bin'] as const);
  const config = readConfig(process.env);
  const { databaseUrl, dataDir } = config;
  if (databaseUrl !== undefined) {
    throw new SetupError('DATABASE_URL is set, so this is your own Postgres. Upgrade it with its own tools.');
  }
  requireCluster(config);
  const { binaries } = await findPrograms(dataDir, programsOf(config));
  const found = existingClusters(dataDir);
  if (found.includes(binaries.major)) {
    process.stdout.write(`${dataDir} is already a Postgres ${binaries.major} database. Nothing to do.\n`);
    return 'done';
  }
  const from = found.find((major) => major < binaries.major);
  if (from === undefined) {
    throw new SetupError(
      `The database in ${dataDir} was created by Postgres ${found[0]}, which is newer than Postgres ` +
        `${binaries.major}. Install a newer release of the service, or set POSTGRES_BIN_DIR to a newer Postgres.`,
    );
  }
  const draft = makeDraft(dataDir, disposal);
  const oldBin = options['old-bin'];
  const old =
    oldBin === undefined
      ? { binaries: await fetchPrograms(from, path.join(draft, 'programs'), signal) }
      : { installedBin: path.resolve(oldBin) };
  const run = { log: makeLog('warn'), disposal, signal };
  await upgradeCluster(config, [from, binaries.major], old, draft, run);
  process.stdout.write(
    `${dataDir} is now a Postgres ${binaries.major} database. The old one is kept in ` +
      `${path.join(dataDir, `postgres-${from}`)}: delete it when you no longer need it.\n`,
  );
  return 'done';
});
