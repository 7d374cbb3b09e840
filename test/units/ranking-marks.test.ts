import { type Change, joined } from '../../src/db/changes.js';
import { RankingMarks } from '../../src/live/ranking-marks.js';
import { partOf } from '../../src/submissions/decide/parts.js';

const change = (version: number, ...parts: number[]): Change => ({ versions: [version], parts });

describe('a ranking of a view', () => {
  test('is touched by changes that name it, and by those that name none', () => {
    const marks = new RankingMarks();
    for (const version of [1, 2, 3]) marks.note(change(version, 7));
    expect([marks.isTouched(8, 0), marks.isTouched(7, 2), marks.isTouched(7, 3)]).toEqual([
      false,
      true,
      false,
    ]);
    marks.note({ versions: [4], parts: null });
    expect([marks.isTouched(8, 3), marks.isTouched(8, 4)]).toEqual([true, false]);
  });

  test('is not touched by a gap that is filled, in any order, and is by one that is not', () => {
    const marks = new RankingMarks();
    for (const version of [1, 4, 3]) marks.note(change(version, 7));
    expect([marks.missing, marks.isTouched(8, 1)]).toEqual([2, false]);
    marks.note(change(2, 7));
    expect(marks.missing).toBeUndefined();
    marks.note({ versions: [], parts: [], newest: 4 });
    expect(marks.missing).toBeUndefined();
    for (const version of [6, 7]) marks.note(change(version, 7));
    expect(marks.missing).toBe(5);
    marks.giveUp();
    expect(marks.missing).toBeUndefined();
    // Read at version 5, it has seen the lost change.
    expect([marks.isTouched(8, 4), marks.isTouched(8, 5)]).toEqual([true, false]);
    marks.note({ versions: [], parts: [], newest: 9 });
    marks.giveUp();
    expect([marks.isTouched(8, 8), marks.isTouched(8, 9)]).toEqual([true, false]);
  });

  test('of more than are kept, all are touched', () => {
    const marks = new RankingMarks();
    for (let version = 1; version <= 10_001; version += 1) marks.note(change(version, version));
    expect([marks.isTouched(1, 10_000), marks.isTouched(1, 10_001)]).toEqual([true, false]);
  });
});

test('changes are joined up to 32 parts; with an unknown one nothing is known', () => {
  expect(joined([change(3, 1, 2), change(5, 2)])).toEqual({ versions: [3, 5], parts: [1, 2] });
  const many = Array.from({ length: 33 }, (_, part) => change(part, part));
  expect(joined(many)).toEqual({ versions: many.flatMap(({ versions }) => versions), parts: null });
  expect(joined([...many, change(40, 1)])?.parts).toBeNull();
  expect(joined([change(1, 1), undefined])).toBeUndefined();
});

test('the number of a ranking follows from view, period and group', () => {
  const key = { view: 1, period: 0, group: 'DE' };
  const others = [{ view: 2 }, { period: 3 }, { group: 'DE,mage' }].map((more) =>
    partOf({ ...key, ...more }),
  );
  expect(new Set([partOf({ ...key }), ...others]).size).toBe(4);
  expect(partOf({ ...key })).toBe(partOf(key));
});

/** The same pseudo-random numbers for the same seed. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test('whatever two processes announce late, joined or never, no change of a watched ranking is missed', () => {
  const PARTS = 5;
  for (let seed = 1; seed <= 300; seed += 1) {
    const below = random(seed);
    const marks = new RankingMarks();
    /** Version at which each ranking changed last, and was read last. */
    const changed = new Array<number>(PARTS).fill(0);
    const read = new Array<number>(PARTS).fill(0);
    const pending: (Change | undefined)[][] = [[], []];
    let version = 0;
    const look = () => {
      for (let part = 0; part < PARTS; part += 1)
        if (marks.isTouched(part, read[part]!)) read[part] = version;
    };
    const send = (process: (Change | undefined)[]) => {
      const one = joined(process.splice(0));
      if (one) marks.note(one);
      else read.fill(version);
    };
    for (let step = 0; step < 60; step += 1) {
      const does = below(8);
      if (does < 4) {
        version += 1;
        const parts = Array.from({ length: below(3) }, () => below(PARTS));
        for (const part of parts) changed[part] = version;
        // One in ten is lost, one in twenty comes from a process of the version before.
        const fate = below(20);
        if (fate > 1) pending[below(2)]!.push(fate === 2 ? undefined : { versions: [version], parts });
      } else if (does < 6) {
        const process = pending[below(2)]!;
        if (process.length > 0) send(process);
      } else if (does === 6) look();
      else if (marks.missing !== undefined) marks.giveUp();
    }
    for (const process of pending) if (process.length > 0) send(process);
    marks.note({ versions: [], parts: [], newest: version });
    if (marks.missing !== undefined) marks.giveUp();
    look();
    const missed = changed.filter((at, part) => read[part]! < at);
    expect([seed, missed]).toEqual([seed, []]);
  }
});
