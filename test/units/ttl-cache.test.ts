import { idOf, uuid7 } from '../../src/base/ids.js';
import { Changes } from '../../src/db/changes.js';
import { TtlCache } from '../../src/db/shared-reads.js';

const BOARD = idOf('board', uuid7());
const OTHER = idOf('board', uuid7());
const GAME = idOf('game', uuid7());

function memory() {
  const changes = new Changes();
  let now = 1_000;
  const reads: string[] = [];
  const kept = new TtlCache<string>(() => now, changes, new Set(['game']));
  const read = (id: string, value: string | undefined = 'value') =>
    kept.read(id, async () => {
      reads.push(id);
      return value;
    });
  const pass = (millis: number) => {
    now += millis;
  };
  return { changes, kept, reads, read, pass };
}

test('a value of the last second is not read again', async () => {
  const { reads, read, pass } = memory();
  await read(BOARD);
  pass(999);
  await expect(read(BOARD, 'newer')).resolves.toBe('value');
  pass(1);
  await expect(read(BOARD, 'newer')).resolves.toBe('newer');
  expect(reads).toEqual([BOARD, BOARD]);
});

test('a change of the record forgets it alone, a change of a dependency forgets all', async () => {
  const { changes, reads, read } = memory();
  await read(BOARD);
  await read(OTHER);
  changes.mark(BOARD);
  await read(BOARD);
  await read(OTHER);
  expect(reads).toEqual([BOARD, OTHER, BOARD]);
  changes.mark(GAME);
  await read(BOARD);
  await read(OTHER);
  expect(reads).toEqual([BOARD, OTHER, BOARD, BOARD, OTHER]);
});

test.each([
  ['of the record', BOARD],
  ['of what it depends on', GAME],
])('a value read across a change %s is not cached', async (_, topic) => {
  const { changes, kept, read } = memory();
  let arrive = (_value: string) => {};
  const first = kept.read(BOARD, () => new Promise((resolve) => (arrive = resolve)));
  changes.mark(topic);
  arrive('old');
  await expect(first).resolves.toBe('old');
  await expect(read(BOARD, 'new')).resolves.toBe('new');
});

test('a read from before the change does not replace one after it', async () => {
  const { changes, kept, reads, read } = memory();
  let arrive = (_value: string) => {};
  const first = kept.read(BOARD, () => new Promise((resolve) => (arrive = resolve)));
  changes.mark(BOARD);
  await read(BOARD, 'new');
  arrive('old');
  await first;
  await expect(read(BOARD, 'newest')).resolves.toBe('new');
  expect(reads).toEqual([BOARD]);
});

test('a request during a read waits for it, for a second, and not across a change', async () => {
  const { changes, kept, reads, read, pass } = memory();
  let arrive = (_value: string) => {};
  const first = kept.read(BOARD, () => new Promise((resolve) => (arrive = resolve)));
  pass(999);
  const second = read(BOARD, 'of its own');
  const other = read(OTHER, 'another');
  arrive('shared');
  await expect(Promise.all([first, second, other])).resolves.toEqual(['shared', 'shared', 'another']);
  expect(reads).toEqual([OTHER]);
  changes.mark(BOARD);
  const slow = kept.read(BOARD, () => new Promise((resolve) => (arrive = resolve)));
  pass(1_000);
  await expect(read(BOARD, 'newer')).resolves.toBe('newer');
  changes.mark(BOARD);
  await expect(read(BOARD, 'newest')).resolves.toBe('newest');
  arrive('late');
  await expect(slow).resolves.toBe('late');
  await expect(read(BOARD)).resolves.toBe('newest');
});

test('a read that fails fails for all waiting requests, and for no other', async () => {
  const { kept, read } = memory();
  let fail = (_error: Error) => {};
  const first = kept.read(BOARD, () => new Promise((_, reject) => (fail = reject)));
  const second = read(BOARD);
  fail(new Error('away'));
  await expect(first).rejects.toThrow('away');
  await expect(second).rejects.toThrow('away');
  await expect(read(BOARD, 'back')).resolves.toBe('back');
});

test('a missing record is read again', async () => {
  const { kept, read } = memory();
  await expect(kept.read(BOARD, async () => undefined)).resolves.toBeUndefined();
  await expect(read(BOARD)).resolves.toBe('value');
});
