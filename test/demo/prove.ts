import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { patience } from '../support/wait.js';
import { Demo, type Sprint } from './demo.js';

// npm run prove:demo: the sprint of the demo ends within three minutes, has a successor, and the simulated players go on
// in it; once more after the demo was ended and started again.

const SPRINT_MS = 180_000;
const LATE_MS = 30_000;

async function waitFor(demo: Demo, what: string, holds: (sprint: Sprint) => boolean): Promise<Sprint> {
  const inTime = patience(what, SPRINT_MS + LATE_MS);
  for (;;) {
    const sprint = await demo.presentSprint();
    if (sprint && holds(sprint)) return sprint;
    inTime();
    await delay(250);
  }
}

async function prove(): Promise<void> {
  const demo = new Demo();
  try {
    let last = 0;
    for (const start of ['the first start', 'the second start']) {
      await demo.start();
      const first = await waitFor(demo, 'a sprint', ({ number }) => number > last);
      assert.ok(Date.parse(first.endsAt) - Date.now() <= SPRINT_MS);
      const next = await waitFor(demo, 'a successor', ({ number }) => number > first.number);
      await waitFor(demo, 'players', ({ number, entryCount }) => number >= next.number && entryCount > 0);
      console.log(`${start}: sprint ${first.number} has ended, sprint ${next.number} is played`);
      last = next.number - 1;
      assert.deepEqual(await demo.program.kill('SIGINT'), { code: 0, signal: null });
      assert.equal(demo.program.stderr, '');
    }
  } finally {
    await demo.remove();
  }
}

prove().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
