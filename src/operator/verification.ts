import { openDatabase } from '../db/pool.js';
import { allBoards, verifyBoard } from '../rankings/upkeep/verify.js';

/**
 * Checks every board, also while the service runs, and prints each fault and a last line.
 * @returns the number of faults
 */
export async function verifyAll(connectionString: string): Promise<number> {
  const database = openDatabase(connectionString, { records: 1, scores: 1 });
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
  } finally {
    await database.close();
  }
  process.stdout.write(`${boards} boards verified, ${faults} errors found.\n`);
  return faults;
}
