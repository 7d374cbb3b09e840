import { strict as assert } from 'node:assert';
import { Course } from './course.js';
import { clashWithNonces } from './nonces.js';

// npm run prove:writes [-- <part of a stage's name>]: submissions, one and many in a request, while the service and its
// Postgres are killed again and again.

const KILLS = 5;
/** Acknowledged submissions between two kills. */
const ENOUGH = 1_500;

type Stage = (course: Course) => Promise<string[]>;

const STAGES: Record<string, Stage> = {
  'two workers write to the same boards': async (course) => {
    course.play();
    await course.more(3 * ENOUGH);
    await course.settle();
    return [await course.check(), await course.checkAnswers()];
  },
  'one nonce is sent twice at once to two boards': async (course) => [await clashWithNonces(course)],
  'the service is killed under load': async (course) => {
    for (let kill = 0; kill < KILLS; kill += 1) {
      course.play();
      await course.more(ENOUGH);
      const { postgres } = course.dataDir;
      await course.program.kill('SIGKILL');
      await course.start();
      assert.equal(course.dataDir.postgres, postgres);
      await course.settle();
      await course.check();
    }
    return [`killed ${KILLS} times`, await course.check(), await course.checkAnswers()];
  },
  'Postgres is killed under load': async (course) => {
    for (let kill = 0; kill < KILLS; kill += 1) {
      course.play();
      await course.more(ENOUGH);
      const { postgres } = course.dataDir;
      await course.disconnect();
      process.kill(postgres!, 'SIGKILL');
      const isNew = () => course.dataDir.postgres !== undefined && course.dataDir.postgres !== postgres;
      await course.until(isNew, 'another Postgres');
      await course.until(() => course.ready(), 'the service to be ready');
      await course.reconnect();
      await course.more(ENOUGH / 5);
      await course.settle();
      await course.check();
    }
    // An answer whose commit was lost is the one that was stored with its key.
    return [`killed ${KILLS} times`, await course.check(), await course.checkAnswers()];
  },
};

async function prove(): Promise<void> {
  const course = new Course();
  try {
    await course.open();
    const wanted = new RegExp(process.argv[2] ?? '.');
    for (const [name, stage] of Object.entries(STAGES).filter(([title]) => wanted.test(title))) {
      const started = performance.now();
      const lines = await stage(course);
      const seconds = ((performance.now() - started) / 1_000).toFixed(0);
      console.log(`${name} (${seconds} s):\n${lines.map((line) => `  ${line}`).join('\n')}`);
    }
  } finally {
    await course.close();
  }
}

prove().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
