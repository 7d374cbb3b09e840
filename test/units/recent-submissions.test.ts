import fc from 'fast-check';
import { RecentSubmissions } from '../../src/submissions/facts/recent-submissions.js';
import { runsOf } from '../support/lane.js';

const RUNS = runsOf(300, 100);
const HOUR = 3_600_000;
const MOST = 100;

interface Play {
  at: number;
  amount: number;
}

interface Version {
  recent: RecentSubmissions;
  model: Play[];
}

/** Not older than an hour, a hundred at most. */
function after(model: Play[], play: Play): Play[] {
  return [...model.filter(({ at }) => at > play.at - HOUR), play].slice(-MOST);
}

function stored(recent: RecentSubmissions): Play[] {
  return Array.from({ length: recent.size }, (_, i) => ({
    at: recent.timeAt(i),
    amount: recent.amountAt(i),
  }));
}

/** As the database returns it. */
function newestFirst(model: Play[]): number[] {
  return model.toReversed().flatMap(({ at, amount }) => [at, amount]);
}

const step = fc.record({
  /** Which of the versions so far goes on: mostly the newest, often one that others went on from already. */
  back: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.nat({ max: 5 })),
  // Few moments and amounts, so that two successors of one are often the same.
  pause: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 3 }) },
    fc.integer({ min: 0, max: 2 * HOUR }),
  ),
  amount: fc.oneof(fc.integer({ min: 0, max: 2 }), fc.double({ noNaN: true })),
  read: fc.oneof({ weight: 20, arbitrary: fc.constant(false) }, fc.constant(true)),
});

test('every version of the recent submissions stays as it was when others are derived from it', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400, size: 'max' }), (steps) => {
      const versions: Version[] = [{ recent: RecentSubmissions.NONE, model: [] }];
      for (const { back, pause, amount, read } of steps) {
        const { recent, model } = versions.at(-1 - Math.min(back, versions.length - 1))!;
        const play = { at: (model.at(-1)?.at ?? 0) + pause, amount: amount + 0 };
        const next = after(model, play);
        const grown = recent.with(play.at, play.amount);
        versions.push({ recent: read ? RecentSubmissions.of(newestFirst(next)) : grown, model: next });
      }
      for (const { recent, model } of versions) expect(stored(recent)).toEqual(model);
    }),
    { numRuns: Math.ceil(RUNS / 6) },
  );
});
