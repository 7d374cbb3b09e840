import { DOORS, Matrix, nameOf, sampleOf } from '../support/roles/matrix.js';

// roles.test.ts asks at every door for every target, and for all that a record leads to; this is its sample for the quick lane.

let matrix: Matrix;
beforeAll(async () => {
  matrix = await Matrix.open(sampleOf, 1);
});
afterAll(() => matrix.close());

test.each(DOORS.map((row) => [nameOf(row), row] as const))('%s', async (_name, row) => {
  expect(await matrix.play(row)).toEqual([]);
});
