import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { reasonToSkip, runApart } from './apart.js';

// npm run prove:backup: a restore to a moment with Debian's Postgres, by the commands of the guide.

const PART = 'postgresql-15';

async function prove(): Promise<void> {
  spawnSync(process.execPath, [path.join(__dirname, 'install.cjs')], { stdio: 'inherit' });
  const reason = reasonToSkip(PART);
  if (reason !== undefined) throw new Error(`${PART} cannot be tried here: ${reason}.`);
  console.log(`${PART}:\n${await runApart(PART)}`);
}

prove().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
