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
    throw new SetupError('DATABASE_URL names a Postgres of your own: upgrade it with its own tools.');
  }
  requireCluster(config);
  const { binaries } = await findPrograms(dataDir, programsOf(config));
  const found = existingClusters(dataDir);
  if (found.includes(binaries.major)) {
    process.stdout.write(
      `${dataDir} has a database of Postgres ${binaries.major}: there is nothing to do.\n`,
    );
    return 'done';
  }
  const from = found.find((major) => major < binaries.major);
  if (from === undefined) {
    throw new SetupError(
      `The database in ${dataDir} was made by Postgres ${found[0]}, and Postgres ${binaries.major} is older: install a release of the service with a newer one, or set POSTGRES_BIN_DIR to one.`,
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
    `${dataDir} is a database of Postgres ${binaries.major} now. The old one stays in ${path.join(dataDir, `postgres-${from}`)}: delete it when you no longer need it.\n`,
  );
  return 'done';
});
