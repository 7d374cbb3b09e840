import 'reflect-metadata';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { SetupError } from '../base/errors.js';
import { makeLog } from '../base/log.js';
import { holdAllPrizes } from '../closings/rewards/hold.js';
import { readConfig } from '../config/table.js';
import { findPrograms } from '../db/embedded/cluster.js';
import { erasureFile, readErasures } from '../privacy/list.js';
import { reapplyErasures } from '../privacy/reapply.js';
import { openMigrated, openServer, programsOf } from '../process/database.js';
import { runProcess } from '../process/shutdown.js';
import { pauseAllEndpoints } from '../webhooks/endpoints/pause-all.js';
import { readBackupFacts } from './backups/manifest.js';
import { megabytes } from './backups/progress.js';
import { inTheWay, unpack } from './backups/unpack.js';
import { commandLine, stopSignal } from './command.js';
import { verifyAll } from './verification.js';

// leaderboard restore <folder> [--erasures <file>]: fills an empty data directory from a backup, recovers the database,
// repeats later erasures of players, and verifies it.
runProcess(async (disposal) => {
  const signal = stopSignal();
  const { words, options } = commandLine(['the folder of the backup'], ['erasures']);
  if (options.erasures !== undefined && !existsSync(options.erasures)) {
    throw new SetupError(`No list of erasures found at ${options.erasures}.`);
  }
  const backup = path.resolve(words[0]!);
  const config = readConfig(process.env);
  const { databaseUrl, dataDir } = config;
  if (databaseUrl !== undefined) {
    throw new SetupError(
      'DATABASE_URL is set, so this is your own Postgres. Unset it to restore a backup of the embedded database into DATA_DIR.',
    );
  }
  const facts = await readBackupFacts(backup);
  const [present] = inTheWay(dataDir);
  if (present !== undefined) {
    throw new SetupError(
      `The data directory ${dataDir} is not empty (${present}), and a restore does not overwrite anything. Set ` +
        `DATA_DIR to an empty or new directory.`,
    );
  }
  const { user, binaries } = await findPrograms(dataDir, programsOf(config));
  if (binaries.major !== facts.postgres) {
    throw new SetupError(
      `The backup was created by Postgres ${facts.postgres}, which Postgres ${binaries.major} cannot open. Set ` +
        `POSTGRES_BIN_DIR to the bin directory of a Postgres ${facts.postgres}, or unset it if that is the bundled one.`,
    );
  }
  await unpack(backup, facts, dataDir, user, signal);
  process.stdout.write(`${facts.files} files restored, ${megabytes(facts.bytes)}; all checksums match.\n`);
  const log = makeLog('warn');
  const server = await openServer(config, log);
  disposal.add(server.close);
  const { database, applied, close } = await openMigrated(server);
  for (const name of applied) process.stdout.write(`applied ${name}\n`);
  const lists = [erasureFile(dataDir), ...(options.erasures === undefined ? [] : [options.erasures])];
  const erasures = (await Promise.all(lists.map(readErasures))).flat();
  const repeated = await reapplyErasures(database, { clock: Date.now, log }, erasures);
  const now = new Date();
  const paused = await pauseAllEndpoints(database.knex, 'restore', now);
  const held = await holdAllPrizes(database.knex, 'restore', now);
  await close();
  if (paused > 0) process.stdout.write(`${paused} webhook endpoints paused until someone resumes them\n`);
  if (held > 0) process.stdout.write(`prizes of ${held} closings held until someone releases them\n`);
  if (repeated > 0) process.stdout.write(`${repeated} later player erasures repeated\n`);
  if ((await verifyAll(server.connectionString)) > 0) process.exitCode = 1;
  process.stdout.write(`${dataDir} is restored to its state at ${facts.finished_at}.\n`);
  return 'done';
});
