const { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } = require('node:fs');
const path = require('node:path');

const TICKS_PER_SECOND = 100;

/**
 * CPU seconds of this process and everything it started: workers, Postgres, programs, browsers. From /proc, so only
 * on Linux.
 */
function cpuSeconds() {
  const stats = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
        const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
        // Its own and those of children it has waited for, user and system.
        const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
        return [{ pid: Number(pid), parent: Number(fields[1]), ticks }];
      } catch {
        return []; // It has ended.
      }
    });
  const ours = new Set([process.pid]);
  for (let before = 0; before < ours.size; ) {
    before = ours.size;
    for (const { pid, parent } of stats) if (ours.has(parent)) ours.add(pid);
  }
  return (
    stats.filter(({ pid }) => ours.has(pid)).reduce((sum, { ticks }) => sum + ticks, 0) / TICKS_PER_SECOND
  );
}

/**
 * Seconds by file, written into the folder TEST_FIGURES for tools/test-figures.mjs. They are only right in a run
 * with one worker, where everything that happens belongs to one file.
 */
class FiguresReporter {
  #files = {};
  #cpu = 0;
  #wall = 0;

  onRunStart() {
    // Building pages and starting the cluster, before any file.
    this.#take('start');
  }

  onTestResult({ path: file }) {
    this.#take(path.relative(path.resolve(__dirname, '../test'), file).replace('.test.ts', ''));
    this.#keep();
  }

  /** Kept with the figures of other files from earlier runs. */
  #keep() {
    const folder = process.env.TEST_FIGURES;
    mkdirSync(folder, { recursive: true });
    const kept = path.join(folder, `${process.env.LANE ?? 'postgres-14'}.json`);
    const before = existsSync(kept) ? JSON.parse(readFileSync(kept, 'utf8')) : {};
    writeFileSync(kept, JSON.stringify({ ...before, ...this.#files }));
  }

  #take(file) {
    const [cpu, wall] = [cpuSeconds(), performance.now() / 1_000];
    this.#files[file] = { cpu: cpu - this.#cpu, wall: wall - this.#wall };
    [this.#cpu, this.#wall] = [cpu, wall];
  }
}

module.exports = FiguresReporter;
