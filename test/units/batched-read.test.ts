import { BatchedRead } from '../../src/db/shared-reads.js';
import { until } from '../support/wait.js';

/** Statements that end when the test says so. */
function statements() {
  const sent: { keys: readonly string[]; end: (values: string[]) => void; fail: (error: Error) => void }[] =
    [];
  const readAll = (keys: readonly string[]) =>
    new Promise<string[]>((end, fail) => {
      sent.push({ keys, end, fail });
    });
  return { sent, readAll };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('reads of one turn are one statement, and each reader gets its own value', async () => {
  const { sent, readAll } = statements();
  const joined = new BatchedRead(readAll);
  const reads = Promise.all(['a', 'b', 'a'].map((key) => joined.read(key)));
  await turn();
  expect(sent.map(({ keys }) => keys)).toEqual([['a', 'b', 'a']]);
  sent[0]!.end(['1', '2', '3']);
  expect(await reads).toEqual(['1', '2', '3']);
});

test('a read beyond the concurrent statements waits for one of them to end', async () => {
  const { sent, readAll } = statements();
  const joined = new BatchedRead(readAll, { atOnce: 2, most: 2, enough: 9 });
  const reads = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((key) => joined.read(key));
  await turn();
  expect(sent.map(({ keys }) => keys)).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
  await turn();
  expect(sent).toHaveLength(2);
  sent[1]!.end(['C', 'D']);
  expect(await Promise.all(reads.slice(2, 4))).toEqual(['C', 'D']);
  await turn();
  expect(sent[2]!.keys).toEqual(['e', 'f']);
  sent[0]!.end(['A', 'B']);
  sent[2]!.end(['E', 'F']);
  await Promise.all(reads.slice(0, 6));
  await turn();
  expect(sent[3]!.keys).toEqual(['g']);
  sent[3]!.end(['G']);
  expect(await Promise.all(reads)).toEqual(['A', 'B', 'C', 'D', 'E', 'F', 'G']);
});

test('readers of a failed statement get its error, later ones do not', async () => {
  const { sent, readAll } = statements();
  const joined = new BatchedRead(readAll, { atOnce: 1, most: 10, enough: 9 });
  const lost = [joined.read('a'), joined.read('b')];
  await turn();
  const later = joined.read('c');
  sent[0]!.fail(new Error('away'));
  for (const read of lost) await expect(read).rejects.toThrow('away');
  await turn();
  sent[1]!.end(['C']);
  expect(await later).toBe('C');
});

test('a full batch is sent within its turn when nothing is under way; a smaller one at its end', async () => {
  const { sent, readAll } = statements();
  const joined = new BatchedRead(readAll, { atOnce: 2, most: 10, enough: 2 });
  const reads = ['a', 'b', 'c', 'd', 'e'].map((key) => joined.read(key));
  expect(sent.map(({ keys }) => keys)).toEqual([['a', 'b']]);
  await turn();
  expect(sent.map(({ keys }) => keys)).toEqual([
    ['a', 'b'],
    ['c', 'd', 'e'],
  ]);
  sent[1]!.end(['C', 'D', 'E']);
  sent[0]!.end(['A', 'B']);
  expect(await Promise.all(reads)).toEqual(['A', 'B', 'C', 'D', 'E']);
  // One that is alone waits for the end of its turn, as ever.
  const alone = joined.read('f');
  expect(sent).toHaveLength(2);
  await turn();
  sent[2]!.end(['F']);
  expect(await alone).toBe('F');
});

test('few reads wait for a statement under way, unless it takes long', async () => {
  const { sent, readAll } = statements();
  const joined = new BatchedRead(readAll, { atOnce: 2, most: 10, enough: 3 });
  const first = joined.read('a');
  await turn();
  const few = ['b', 'c'].map((key) => joined.read(key));
  await turn();
  expect(sent.map(({ keys }) => keys)).toEqual([['a']]);
  sent[0]!.end(['A']);
  expect(await first).toBe('A');
  await turn();
  expect(sent[1]!.keys).toEqual(['b', 'c']);
  const enough = ['d', 'e', 'f'].map((key) => joined.read(key));
  await turn();
  expect(sent[2]!.keys).toEqual(['d', 'e', 'f']);
  sent[2]!.end(['D', 'E', 'F']);
  expect(await Promise.all(enough)).toEqual(['D', 'E', 'F']);
  const impatient = joined.read('g');
  await until(() => sent.length === 4);
  sent[3]!.end(['G']);
  expect(await impatient).toBe('G');
  sent[1]!.end(['B', 'C']);
  expect(await Promise.all(few)).toEqual(['B', 'C']);
});
