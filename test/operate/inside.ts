import { withArchive } from './archive.js';
import { composed } from './compose.js';
import { failsOver } from './failover.js';
import { bringUpLoopback } from './ground.js';
import { fromImage } from './image.js';
import { behindPooler } from './pooler.js';
import { behindCaddy, behindNginx } from './proxies.js';
import { replacedUnderLoad } from './rolling.js';
import { watched } from './watch.js';

// Runs one scenario in the namespaces that apart.ts has made.

const SCENARIOS: Record<string, (thorough: boolean, ...more: string[]) => Promise<void>> = {
  nginx: behindNginx,
  caddy: behindCaddy,
  compose: composed,
  pgbouncer: behindPooler,
  prometheus: watched,
  'postgresql-15': withArchive,
  rolling: replacedUnderLoad,
  image: fromImage,
  failover: failsOver,
};

const [name = '', thoroughness, ...more] = process.argv.slice(2);
const scenario = SCENARIOS[name];
if (!scenario) throw new Error(`There is no scenario "${name}"`);
bringUpLoopback();
scenario(thoroughness === 'thorough', ...more).then(
  // Processes that still run end with the namespace, whose first process ends after this one.
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
