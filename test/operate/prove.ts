import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { PARTS, type Part, reasonToSkip, runApart } from './apart.js';

// npm run prove:operate: every scenario in full, then a part of the suite whose reads and records go through PgBouncer.
// npm run prove:operate prometheus: that scenario alone; slow-readers: peers that read slowly or not at all, for six minutes.

const ROOT = path.resolve(__dirname, '../..');
const SCENARIOS: Part[] = ['nginx', 'caddy', 'pgbouncer', 'prometheus'];
const POOLED =
  'test/flows/(leaderboard|boards|around|list-orders|live|sessions|accounts|ratio-boards|removals|states|graphql-pages|registration|review-.*|jobs|submit)[.]test';

async function prove(only: string[]): Promise<number> {
  spawnSync(process.execPath, [path.join(__dirname, 'install.cjs')], { stdio: 'inherit' });
  for (const part of SCENARIOS.filter((name) => only.length === 0 || only.includes(name))) {
    const reason = reasonToSkip(part);
    if (reason !== undefined) throw new Error(`${part} (${PARTS[part]}) cannot be tried here: ${reason}.`);
    console.log(`${part}:\n${await runApart(part, 'thorough')}`);
  }
  if (only.length === 0 || only.includes('slow-readers')) {
    const script = ['-r', './test/support/ts-require.cjs', 'test/operate/slow-readers.ts'];
    const { status } = spawnSync(process.execPath, script, { cwd: ROOT, stdio: 'inherit' });
    if (status !== 0) return status ?? 1;
  }
  if (only.length > 0) return 0;
  const jest = path.join(ROOT, 'node_modules/jest/bin/jest.js');
  const env = { ...process.env, TEST_POOLER: '1' };
  return spawnSync(process.execPath, [jest, POOLED], { cwd: ROOT, env, stdio: 'inherit' }).status ?? 1;
}

prove(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  },
);
