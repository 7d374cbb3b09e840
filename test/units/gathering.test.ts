import { Gathering } from '../../src/submissions/queue/gathering.js';
import { type Arrivals, type BatchCost, simulate } from '../support/simulated-queue.js';

/** Longer than the test. */
const ENDLESS_MS = 60_000;

/** A board whose newest batch had so many players and ended at 0. */
function after(players: number, patienceMs = ENDLESS_MS) {
  const gathering = new Gathering(patienceMs);
  gathering.ended(players, 0);
  let waiting = 0;
  let advance: () => void = () => undefined;
  const advanced = () =>
    new Promise<void>((resolve) => {
      advance = resolve;
    });
  const holds = (found: number, at = 1) => {
    waiting = found;
    return gathering.holds(
      () => waiting,
      at,
      () => advance(),
    );
  };
  const come = (more: number) => {
    waiting += more;
  };
  return { gathering, holds, come, advanced };
}

test('a batch waits for most of the players who have just been answered, not for all', () => {
  const { holds } = after(8);
  expect([1, 2, 5, 6].map((found) => holds(found))).toEqual([true, true, true, false]);
});

test('no more than sixteen are waited for', () => {
  const { holds } = after(200);
  expect([15, 16].map((found) => holds(found))).toEqual([true, false]);
});

test('a single player, a new board and an idle one wait for nobody', () => {
  expect(after(1).holds(1)).toBe(false);
  expect(after(8).holds(1, 21)).toBe(false);
  const board = new Gathering();
  const never = () => {
    throw new Error('It waited');
  };
  expect(board.holds(() => 1, 0, never)).toBe(false);
});

test('what came is written after the patience, and waiting in vain is tried less and less often', async () => {
  const { gathering, holds, advanced } = after(8, 1);
  const attempts: number[] = [];
  for (let batch = 0; batch < 1_200; batch += 1) {
    const due = advanced();
    if (holds(1)) {
      attempts.push(batch);
      await due;
      expect(holds(1)).toBe(false);
    }
    gathering.ended(8, 0);
  }
  expect(attempts).toEqual([0, 4, 12, 28, 60, 124, 252, 508, 764, 1_020]);
});

test('a wait in which the submissions double has paid', async () => {
  const { gathering, holds, come, advanced } = after(8, 1);
  for (let batch = 0; batch < 3; batch += 1) {
    const due = advanced();
    expect(holds(2)).toBe(true);
    come(2);
    await due;
    expect(holds(4)).toBe(false);
    gathering.ended(8, 0);
  }
});

describe('in simulated time, compared with a queue that does not wait', () => {
  /** A quiet machine's database, and a slow one. */
  const costs: BatchCost[] = [
    { fixed: 1.5, each: 0.25 },
    { fixed: 3, each: 0.4 },
  ];
  const timers: Parameters<typeof simulate>[3] = {};

  beforeEach(() => {
    jest
      .spyOn(globalThis, 'setTimeout')
      .mockImplementation(((run: () => void, ms: number) => timers.set!(run, ms)) as never);
    jest
      .spyOn(globalThis, 'clearTimeout')
      .mockImplementation(((event: never) => timers.clear!(event)) as never);
  });
  afterEach(() => jest.restoreAllMocks());

  const ratios = (arrivals: Arrivals, cost: BatchCost) => {
    const [without, waiting] = [false, true].map((gathers) => simulate(arrivals, cost, gathers, timers));
    const ratio = (of: 'p50' | 'p99' | 'cost' | 'perSecond') => waiting![of] / without![of];
    return { p50: ratio('p50'), p99: ratio('p99'), cost: ratio('cost'), perSecond: ratio('perSecond') };
  };

  test('players who come by themselves never wait longer for nothing: batches cost less, or responses are as fast', () => {
    for (const cost of costs) {
      const capacity = 16_000 / (cost.fixed + 16 * cost.each);
      for (const share of [0.02, 0.05, 0.2, 0.5, 0.8]) {
        const { p50, cost: each } = ratios({ rate: share * capacity }, cost);
        expect([share, p50 <= 1.03 || each <= 0.97]).toEqual([share, true]);
        expect(each).toBeLessThan(1.01);
        expect(p50).toBeLessThan(1.25);
      }
      expect(ratios({ rate: 0.02 * capacity }, cost).p50).toBeLessThan(1.01);
    }
  });

  test('players who come back cost the database less, and a single one waits for nobody', () => {
    for (const cost of costs) {
      const of = (players: number) => ratios({ players, thinkMs: () => 0.8 }, cost);
      expect(of(1)).toEqual({ p50: 1, p99: 1, cost: 1, perSecond: 1 });
      for (const players of [2, 4, 16]) {
        const { cost: each, p50, perSecond } = of(players);
        expect(each).toBeLessThan(0.9);
        expect(p50).toBeLessThan(0.9);
        expect(perSecond).toBeGreaterThan(0.95);
      }
      for (const players of [64, 256]) {
        const { p50, perSecond } = of(players);
        expect(p50).toBeLessThan(1.02);
        expect(perSecond).toBeGreaterThan(0.98);
      }
    }
  });

  test('players who stall delay nobody', () => {
    for (const cost of costs) {
      for (const stalled of [1, 4, 8, 15]) {
        const thinkMs = (player: number) => (player < stalled ? 5_000 : 0.8);
        const { p50, perSecond } = ratios({ players: 16, thinkMs }, cost);
        expect(p50).toBeLessThan(1.05);
        expect(perSecond).toBeGreaterThan(0.93);
      }
    }
  });
});
