import { SetupError } from '../base/errors.js';
import { idOf } from '../base/ids.js';
import { makeLog } from '../base/log.js';
import { readConfig } from '../config/table.js';
import { openDatabase } from '../db/pool.js';
import { requireCluster, visitServer } from '../process/database.js';
import { runProcess } from '../process/shutdown.js';
import { Bucket } from '../scores/recordings/bucket.js';
import { verifyRecordings } from '../scores/recordings/verify.js';

/** SQLSTATE of a missing table. */
const NO_SCHEMA = '42P01';

// npm run verify-recordings: looks for every recording's object, also while the service runs; code 1 when one is missing.
runProcess(async (disposal) => {
  const config = readConfig(process.env);
  requireCluster(config);
  const server = await visitServer(config, makeLog(config.logLevel));
  disposal.add(server.close);
  const database = openDatabase(server.connectionString, { records: 1, scores: 1 });
  disposal.add(() => database.close());
  const bucket = config.recordingsStore === undefined ? undefined : new Bucket(config.recordingsStore);
  let recordings = 0;
  let faults = 0;
  try {
    for await (const { eventId, fault } of verifyRecordings(database.pool, bucket)) {
      recordings += 1;
      if (!fault) continue;
      faults += 1;
      process.stdout.write(`${idOf('scoreEvent', eventId)}: ${fault}\n`);
    }
  } catch (error) {
    if ((error as { code?: string }).code !== NO_SCHEMA) throw error;
    throw new SetupError(
      `The database (${server.place}) does not have the latest schema. Run "npm run migrate" first.`,
    );
  }
  process.stdout.write(`${recordings} recordings verified, ${faults} errors found.\n`);
  if (faults > 0) process.exitCode = 1;
  return 'done';
});
