import { bringUpLoopback } from './ground.js';
import { behindPooler } from './pooler.js';
import { behindCaddy, behindNginx } from './proxies.js';
import { watched } from './watch.js';

// Runs one scenario in the namespaces that apart.ts has made.

const SCENARIOS: Record<string, (thorough: boolean) => Promise<void>> = {
  nginx: behindNginx,
  caddy: behindCaddy,
  pgbouncer: behindPooler,
  prometheus: watched,
};

const [name = '', thoroughness] = process.argv.slice(2);
const scenario = SCENARIOS[name];
if (!scenario) throw new Error(`There is no scenario "${name}"`);
bringUpLoopback();
scenario(thoroughness === 'thorough').then(
  // Processes that still run end with the namespace, whose first process this is.
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
