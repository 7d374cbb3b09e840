import path from 'node:path';
import { nameOf } from '../support/roles/matrix.js';
import { TwoCells } from '../support/roles/two-cells.js';

// Routes of REST and root fields of GraphQL for two accounts on two cells, by the role matrix:
// npm run prove:cells -- doors.

let cells: TwoCells;
beforeAll(async () => {
  cells = await TwoCells.open({
    geoipDatabase: path.resolve(__dirname, '../support/place/GeoIP2-City-Test.mmdb'),
    trustedProxies: ['127.0.0.1'],
  });
});
afterAll(() => cells.close());

test('callers meet at each door what they meet without cells, and no row strays', async () => {
  const { rows } = cells;
  const faults: Record<string, string[]> = {};
  for (const row of rows) {
    const found = await cells.play(row);
    if (found.length > 0) faults[nameOf(row)] = found;
  }
  expect(faults).toEqual({});
  expect(cells.requested).toBeGreaterThan(rows.length * 5);
  expect(await cells.strays()).toEqual([]);
  process.stderr.write(`doors of two cells: ${rows.length} rows, ${cells.requested} requests\n`);
});
