import { SetupError } from '../base/errors.js';
import { makeLog } from '../base/log.js';
import { readConfig } from '../config/table.js';
import { openDatabase } from '../db/pool.js';
import { requireCluster, visitServer } from '../process/database.js';
import { runProcess } from '../process/shutdown.js';
import { allBoards, verifyBoard } from '../scores/upkeep/verify.js';

/** SQLSTATEs of a missing table or function. */
const NO_SCHEMA = /^(42P01|42883)$/;

// npm run verify-ranks: checks every board, also while the service runs; code 1 when one has a fault.
runProcess(async (disposal) => {
  const config = readConfig(process.env);
  requireCluster(config);
  const server = await visitServer(config, makeLog(config.logLevel));
  disposal.add(server.close);
  const database = openDatabase(server.connectionString, { records: 1, scores: 1 });
  disposal.add(database.close);
  let boards = 0;
  let faults = 0;
  try {
    for await (const boardId of allBoards(database)) {
      boards += 1;
      for (const fault of await verifyBoard(database, boardId)) {
        faults += 1;
        const population = fault.isTest ? 'test' : 'production';
        process.stdout.write(`${fault.boardId} (${population}): ${fault.sentence}\n`);
      }
    }
  } catch (error) {
    if (!NO_SCHEMA.test((error as { code?: string }).code ?? '')) throw error;
    throw new SetupError(
      `The database (${server.place}) does not have the newest schema: run "npm run migrate" first.`,
    );
  }
  process.stdout.write(`${boards} boards verified, ${faults} faults.\n`);
  if (faults > 0) process.exitCode = 1;
  return 'done';
});
