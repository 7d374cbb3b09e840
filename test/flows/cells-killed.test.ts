import { ClaimGround } from '../cells/killed-claims.js';
import { cloneDatabase, emptyDatabase } from '../support/database.js';

// Some of the statements; npm run prove:cells takes every one in turn, with three servers.
const KILLED_AFTER = [6, 18, 32, 41, 88];

test('a writer killed after a statement leaves no name twice, no record without a name, no name without a record', async () => {
  const directory = await emptyDatabase();
  const [first, second] = [await cloneDatabase(), await cloneDatabase()];
  const ground = new ClaimGround(directory.connectionString, {
    first: first.connectionString,
    second: second.connectionString,
  });
  await ground.open();
  for (const statements of KILLED_AFTER) {
    expect([statements, await ground.round(statements)]).toEqual([
      statements,
      { finished: false, wrong: undefined },
    ]);
  }
  await ground.close();
  for (const database of [directory, first, second]) await database.drop();
});
