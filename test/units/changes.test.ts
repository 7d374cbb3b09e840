import { Changes } from '../../src/db/changes.js';

const DONE = { value: undefined, done: true };
const MARKED = { value: undefined, done: false };

test('any number of marks wakes a watcher once', async () => {
  const changes = new Changes();
  const watcher = changes.watch('a');
  for (let n = 0; n < 1_000; n += 1) changes.mark('a');
  expect(await watcher.next()).toEqual(MARKED);
  const pending = watcher.next();
  changes.mark('b');
  changes.mark('a');
  expect(await pending).toEqual(MARKED);
  expect(changes.topics()).toEqual(['a']);
  expect(await watcher.return?.()).toEqual(DONE);
  expect(changes.size).toBe(0);
});

test('return ends a pending wait at once, and everything after it', async () => {
  const changes = new Changes();
  const watcher = changes.watch('a');
  const pending = watcher.next();
  await watcher.return?.();
  expect(await pending).toEqual(DONE);
  changes.mark('a');
  expect(await watcher.next()).toEqual(DONE);
  expect(changes.topics()).toEqual([]);
});

test('a loop that breaks leaves nothing behind; throw does neither', async () => {
  const changes = new Changes();
  changes.watch('b');
  const watcher = changes.watch('a');
  changes.mark('a');
  for await (const _ of watcher) break;
  expect(changes.size).toBe(1);
  const thrown = changes.watch('a');
  await expect(thrown.throw?.(new Error('stop'))).rejects.toThrow('stop');
  expect(changes.size).toBe(1);
});

test('two watchers of a topic are both woken', async () => {
  const changes = new Changes();
  const [one, two] = [changes.watch('a'), changes.watch('a')];
  changes.mark('a');
  expect(await one.next()).toEqual(MARKED);
  expect(await two.next()).toEqual(MARKED);
  await one.return?.();
  changes.mark('a');
  expect(await two.next()).toEqual(MARKED);
  await two.return?.();
});

test('listeners hear every topic until they stop', () => {
  const changes = new Changes();
  const heard: string[] = [];
  const stop = changes.listen((topic) => heard.push(topic));
  changes.mark('a');
  changes.mark('b');
  stop();
  changes.mark('c');
  expect(heard).toEqual(['a', 'b']);
});
