import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { SCRATCH } from '../support/scratch.js';

export type Part =
  | 'nginx'
  | 'caddy'
  | 'pgbouncer'
  | 'prometheus'
  | 'postgresql-15'
  | 'patroni'
  | 'etcd-server'
  | 'haproxy';

/** Programs of the parts, by name. */
export const { PARTS } = require('./install.cjs') as { PARTS: Record<Part, string> };

/** Returns why scenarios with a part cannot run on this machine; undefined: they can. */
export function reasonToSkip(part: Part): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    return 'network and mount namespaces need root on Linux';
  }
  try {
    execFileSync('unshare', ['--net', '--mount', 'true'], { stdio: 'ignore' });
  } catch {
    return 'this machine allows no network and mount namespaces';
  }
  return existsSync(PARTS[part]) ? undefined : `${part} is not installed: node test/operate/install.cjs`;
}

/** The same for a cluster, whose machines are namespaces with cables between them. */
export function reasonToSkipCluster(): string | undefined {
  const parts: Part[] = ['patroni', 'etcd-server', 'haproxy', 'postgresql-15'];
  const reason = parts.map(reasonToSkip).find((found) => found !== undefined);
  if (reason !== undefined) return reason;
  const cable = ['ip', 'link', 'add', 'one', 'type', 'veth', 'peer', 'name', 'other'];
  const { status } = spawnSync('unshare', ['--net', ...cable], { stdio: 'ignore' });
  return status === 0 ? undefined : 'this machine makes no network cables between namespaces (veth)';
}

/**
 * Runs a scenario in namespaces of its own: configurations are used as they stand, at their own paths and ports, and the
 * machine sees nothing of them. All that the scenario started ends with it.
 * @returns its output; rejects with it when it fails
 */
export function runApart(scenario: string, ...args: string[]): Promise<string> {
  const inside = path.join(__dirname, 'inside.ts');
  const loader = path.join(__dirname, '../support/ts-require.cjs');
  // The shell, as the first process of the namespace, waits for what others leave behind; Node would keep it as defunct.
  const shell = ['sh', '-c', '"$@"; exit $?', 'sh'];
  const program = [...shell, process.execPath, '-r', loader, inside, scenario, ...args];
  const { PATH, HOME, TMPDIR, TEST_LOG } = process.env;
  const ground = mkdtempSync(path.join(SCRATCH, `leaderboard-test-${process.pid}-`));
  // For the users of the parts.
  chmodSync(ground, 0o755);
  const child: ChildProcess = spawn(
    'unshare',
    ['--net', '--mount', '--pid', '--fork', '--mount-proc', '--kill-child', ...program],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH, HOME, TMPDIR, TEST_LOG, GROUND: ground } },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (text) => {
      output += text;
      if (TEST_LOG) process.stderr.write(text);
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      rmSync(ground, { recursive: true, force: true, maxRetries: 5 });
      if (code === 0) resolve(output);
      else reject(new Error(`The scenario ${scenario} failed:\n${output}`));
    });
  });
}
