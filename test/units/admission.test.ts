import { Turns } from '../../src/base/limits.js';
import { Metrics } from '../../src/base/metrics.js';
import { inTurns } from '../../src/jobs/in-turns.js';
import { Admission } from '../../src/server/admission.js';

/** One place, taken until `let go` is called; who enters afterwards is noted by name. */
function crowded(patienceMs: number) {
  const admission = new Admission(new Metrics(), { atATime: 1, waiting: 100, patienceMs });
  const entered: string[] = [];
  let letGo: () => void = () => undefined;
  const letting = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const held = admission.run(() => letting);
  const ask = (name: string) => admission.run(async () => entered.push(name));
  const end = () => {
    letGo();
    return held;
  };
  return { entered, ask, end };
}

test('waiting work is admitted in order of arrival', async () => {
  const { entered, ask, end } = crowded(60_000);
  const all = ['first', 'second', 'third'].map(ask);
  await end();
  await Promise.all(all);
  expect(entered).toEqual(['first', 'second', 'third']);
});

test('after a queue of longer than the permitted wait, the newest is admitted first', async () => {
  const { entered, ask, end } = crowded(60);
  let refused = 0;
  const asking: Promise<unknown>[] = [];
  const refuse = () => {
    refused += 1;
  };
  // They come one after the other, so that one always waits.
  await new Promise<void>((resolve) => {
    const coming = setInterval(() => {
      asking.push(ask('older').catch(refuse));
      if (refused < 2) return;
      clearInterval(coming);
      resolve();
    }, 10);
  });
  asking.push(ask('newest').catch(refuse));
  await end();
  await Promise.all(asking);
  expect(entered[0]).toBe('newest');
  expect(entered.length + refused).toBe(asking.length);
});

test('work that fails releases its place', async () => {
  const admission = new Admission(new Metrics(), { atATime: 1, waiting: 0, patienceMs: 1 });
  await expect(admission.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await admission.run(async () => 'done')).toBe('done');
});

/** One slot for two owners, and what has begun. */
function shared(waiting: number) {
  const turns = new Turns({ atATime: 2, ofOwner: 1, waiting, patienceMs: 60_000 });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (owner: string) =>
    turns.run(() => {
      begun.push(owner);
      return new Promise<void>((resolve) => ends.push(resolve));
    }, owner);
  return { begun, ends, ask };
}

test('an owner with much work holds up no other, and owners take turns', async () => {
  const { begun, ends, ask } = shared(100);
  const all = ['a', 'a', 'a', 'b', 'c', 'b'].map(ask);
  expect(begun).toEqual(['a', 'b']);
  while (begun.length < all.length || ends.length > 0) {
    ends.shift()?.();
    await new Promise(setImmediate);
  }
  await Promise.all(all);
  expect(begun).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
});

test('in a full queue the owner with the most waiting work loses its newest, and no other', async () => {
  const { begun, ends, ask } = shared(3);
  const a = [ask('a'), ask('a'), ask('a'), ask('a')];
  const b = [ask('b'), ask('b')];
  await expect(a[3]).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  // Those of a are not more than one ahead any more.
  await expect(ask('b')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  const rest = [...a.slice(0, 3), ...b];
  while (begun.length < rest.length || ends.length > 0) {
    ends.shift()?.();
    await new Promise(setImmediate);
  }
  await Promise.all(rest);
  expect(begun.sort()).toEqual(['a', 'a', 'a', 'b', 'b']);
});

test('boards that are built take a step each in turns; one that fails or has no step left holds up no other', async () => {
  const left: Record<string, number> = { large: 4, small: 1, late: 1 };
  const steps: string[] = [];
  const read = async () =>
    Object.keys(left).filter((name) => left[name]! > 0 && (name !== 'late' || steps.length > 1));
  const step = async (name: string) => {
    steps.push(name);
    left[name]! -= 1;
    return left[name]! > 0;
  };
  expect(
    await inTurns(
      read,
      (name) => name,
      step,
      () => false,
    ),
  ).toBe(2);
  expect(steps).toEqual(['large', 'small', 'large', 'late', 'large', 'large']);
});
