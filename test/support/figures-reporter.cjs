const { readdirSync, readFileSync, writeFileSync } = require('node:fs');
const path = require('node:path');

const TICKS_PER_SECOND = 100;

/** Seconds of CPU that this process and all that it started have taken: Postgres, programs, browsers. Linux alone tells. */
function cpuSeconds() {
  const stats = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
        const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
        const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
        return [{ pid: Number(pid), parent: Number(fields[1]), ticks }];
      } catch {
        return []; // It ended in between.
      }
    });
  const ours = new Set([process.pid]);
  for (let before = 0; before < ours.size; ) {
    before = ours.size;
    for (const { pid, parent } of stats) if (ours.has(parent)) ours.add(pid);
  }
  return stats.filter(({ pid }) => ours.has(pid)).reduce((sum, { ticks }) => sum + ticks, 0) / TICKS_PER_SECOND;
}

/** Seconds by file, for tools/test-figures.mjs: right in a run of one worker, where all that happens belongs to one file. */
class FiguresReporter {
  #files = [];
  #before = 0;
  #since = 0;

  /** What came before: building the pages, the cluster. */
  onRunStart() {
    this.#take('start');
  }

  onTestResult({ path: file }) {
    this.#take(path.relative(path.resolve(__dirname, '..'), file));
    writeFileSync(process.env.TEST_FIGURES, JSON.stringify(this.#files));
  }

  #take(file) {
    const cpu = cpuSeconds();
    const now = performance.now();
    this.#files.push({ file, cpu: cpu - this.#before, wall: (now - this.#since) / 1_000 });
    this.#before = cpu;
    this.#since = now;
  }
}

module.exports = FiguresReporter;
