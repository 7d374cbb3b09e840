import { Lookup } from '../../src/cells/gateway/lookup.js';

test('names of one request are one statement, and invented ones push out none that were found', async () => {
  const statements: number[] = [];
  const lookup = new Lookup({
    most: 10,
    millis: 0,
    readAll: async (keys) => {
      statements.push(keys.length);
      return keys.map((key) => (key.startsWith('known') ? 'a place' : undefined));
    },
  });
  const findAll = (keys: string[]) => Promise.all(keys.map((key) => lookup.find(key)));
  await findAll(Array.from({ length: 20 }, (_, n) => `${n < 10 ? 'known' : 'invented'} ${n}`));
  expect(statements).toEqual([20]);
  await findAll(Array.from({ length: 12_000 }, (_, n) => `invented ${n}`));
  const { read } = lookup.counts;
  expect(await findAll(Array.from({ length: 10 }, (_, n) => `known ${n}`))).toEqual(
    Array(10).fill('a place'),
  );
  expect(lookup.counts.read).toBe(read);
});
