import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { reasonToSkipCluster, runApart } from './apart.js';

// npm run prove:ha [-- <kind of event> ...]: the primary of a cluster fails ten times under load, with the deployed times.
// TEST_LOG=1 shows each line when it comes.

async function prove(kinds: string[]): Promise<void> {
  spawnSync(process.execPath, [path.join(__dirname, 'install.cjs')], { stdio: 'inherit' });
  const reason = reasonToSkipCluster();
  if (reason !== undefined) throw new Error(`A failover cannot be tried here: ${reason}.`);
  console.log(await runApart('failover', 'thorough', ...kinds));
}

prove(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
