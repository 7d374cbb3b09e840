import { Gathering } from '../../src/submissions/queue/gathering.js';

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
