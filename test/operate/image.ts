import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { superadminOf } from '../support/process.js';
import { until } from '../support/wait.js';
import { Daemon, DIRECT_URL, GROUND, makeStudio, startPostgres } from './ground.js';

const SECRET = 'thirty-two-characters-or-more-it-is';
const URL = 'http://127.0.0.1:3000';
const SETTINGS = [
  `DATABASE_URL=${DIRECT_URL}`,
  `JWT_SECRET=${SECRET}`,
  `KEY_SECRET=${SECRET}`,
  'SUPERADMIN_API_KEY=a-key-that-was-chosen-before-the-start',
  'ANONYMOUS_WRITES_PER_MINUTE=off',
];

interface Image {
  root: string;
  config: {
    User: string;
    Env: string[];
    Entrypoint: string[];
    Cmd: string[];
    WorkingDir: string;
    Healthcheck: { Test: string[] };
  };
}

/** Runs the image's entry point and its health check as compose.yaml has them, by crun, on a real Postgres. */
export async function fromImage(_thorough: boolean, built = ''): Promise<void> {
  const image: Image = JSON.parse(built);
  // crun refuses a machine with both versions of control groups, and uses none here. The namespace has its own mounts.
  spawnSync('umount', ['/sys/fs/cgroup/unified'], { stdio: 'ignore' });
  const postgres = await startPostgres();
  const migration = contain(image, 'migrate', ['dist/src/operator/migrate.js']);
  const { status, stdout, stderr } = spawnSync('crun', runArgs('migrate', migration), { encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, /is the newest/);

  const bundle = contain(image, 'service', image.config.Cmd);
  const service = await new Daemon('the container', 'crun', runArgs('service', bundle)).listens(3000);
  await until(() => healthy(image));
  const { board } = await makeStudio(superadminOf(URL));
  console.log(`the image serves: ${board.id}`);
  const inside = (...args: string[]) =>
    spawnSync('crun', [...CRUN, 'exec', '--user', image.config.User, 'service', ...args], {
      encoding: 'utf8',
    });
  const first = inside('node', '-p', "fs.readFileSync('/proc/1/status', 'utf8')").stdout;
  assert.match(first, /^Uid:\s10001\s10001\s10001\s/m);
  assert.match(first, /^CapEff:\s0+$/m);
  for (const place of ['/srv/leaderboard/x', '/x', '/usr/x']) {
    assert.match(inside('node', '-e', `fs.writeFileSync('${place}', '')`).stderr, /EROFS/, place);
  }
  assert.equal(inside('node', '-e', "fs.writeFileSync('/tmp/x', '')").status, 0);
  const figures = await (await fetch('http://127.0.0.1:9464/metrics')).text();
  assert.match(figures, /http_requests_total/);

  // Without its database it lives, and is not healthy.
  await postgres.stop('SIGQUIT');
  await until(() => !healthy(image));
  assert.equal((await fetch(`${URL}/health/live`)).status, 200);
  const asked = performance.now();
  execFileSync('crun', [...CRUN, 'kill', 'service', 'TERM']);
  await service.ended;
  const seconds = (performance.now() - asked) / 1_000;
  assert.equal(service.child.exitCode, 0, service.output);
  assert.ok(seconds < 15, `${seconds} s`);
  console.log(
    `SIGTERM to process 1 ends it with 0 after ${seconds.toFixed(1)} s; it ran as 10001 on a read-only root`,
  );
}

const CRUN = ['--cgroup-manager', 'disabled', '--root', path.join(GROUND, 'crun')];
const runArgs = (name: string, bundle: string) => [...CRUN, 'run', '--bundle', bundle, name];

function healthy({ config }: Image): boolean {
  const [, ...check] = config.Healthcheck.Test;
  return (
    spawnSync('crun', [...CRUN, 'exec', '--user', config.User, 'service', ...check], { stdio: 'ignore' })
      .status === 0
  );
}

/** Writes the bundle of a container: no capabilities, a read-only root, /tmp and the volume writable. @returns its folder */
function contain({ root, config }: Image, name: string, cmd: string[]): string {
  const bundle = path.join(GROUND, name);
  const volume = path.join(GROUND, `${name}-volume`);
  for (const dir of [bundle, volume]) mkdirSync(dir);
  const [uid, gid] = config.User.split(':').map(Number) as [number, number];
  chownSync(volume, uid, gid);
  const none = { bounding: [], effective: [], inheritable: [], permitted: [], ambient: [] };
  const spec = {
    ociVersion: '1.0.2',
    process: {
      terminal: false,
      user: { uid, gid },
      args: [...config.Entrypoint, ...cmd],
      env: [...config.Env, ...SETTINGS],
      cwd: config.WorkingDir,
      capabilities: none,
      noNewPrivileges: true,
    },
    root: { path: root, readonly: true },
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc' },
      { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'mode=755'] },
      { destination: '/tmp', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'nodev', 'mode=1777'] },
      { destination: '/var/lib/leaderboard', type: 'bind', source: volume, options: ['rbind', 'rw'] },
    ],
    linux: { namespaces: ['mount', 'pid', 'ipc', 'uts'].map((type) => ({ type })) },
  };
  writeFileSync(path.join(bundle, 'config.json'), JSON.stringify(spec));
  return bundle;
}
