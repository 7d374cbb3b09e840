// Installs Debian's nginx, Caddy, PgBouncer, Prometheus, Postgres, etcd and HAProxy, and the Patroni that deploy/ha
// pins, for the scenarios of this folder, where this is Debian and the user is root. None of them is started. Elsewhere
// the scenarios that need them are skipped, and say so.
const { execFileSync, spawnSync } = require('node:child_process');
const { existsSync, readFileSync } = require('node:fs');
const path = require('node:path');

const QUIET = { stdio: ['ignore', 'ignore', 'inherit'] };

/** Debian's packages, by the program that shows that they are there. */
const PARTS = {
  nginx: '/usr/sbin/nginx',
  caddy: '/usr/bin/caddy',
  pgbouncer: '/usr/sbin/pgbouncer',
  prometheus: '/usr/bin/prometheus',
  'postgresql-15': '/usr/lib/postgresql/15/bin/postgres',
  'python3-venv': '/usr/share/doc/python3-venv',
  'etcd-server': '/usr/bin/etcd',
  haproxy: '/usr/sbin/haproxy',
};

/** As docs/operations/high-availability.md installs it. */
const PATRONI = '/opt/patroni/bin/patroni';
const PINNED = path.join(__dirname, '../../deploy/ha/patroni.txt');

function installPatroni() {
  const pinned = /==(\S+)/.exec(readFileSync(PINNED, 'utf8'))[1];
  const installed = spawnSync(PATRONI, ['--version'], { encoding: 'utf8' }).stdout;
  if (installed?.trim().endsWith(` ${pinned}`) || process.getuid?.() !== 0) return;
  process.stdout.write(`Installing Patroni ${pinned} …\n`);
  try {
    execFileSync('/usr/bin/python3', ['-m', 'venv', '/opt/patroni'], QUIET);
    execFileSync(
      '/opt/patroni/bin/pip',
      ['install', '-q', '--disable-pip-version-check', '-r', PINNED],
      QUIET,
    );
  } catch {
    process.stdout.write('Tests with Patroni are skipped: it cannot be installed.\n');
  }
}

/** @param parts packages, by a file that shows that they are there */
function install(parts = PARTS) {
  const missing = Object.keys(parts).filter((name) => !existsSync(parts[name]));
  if (missing.length > 0) {
    if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) {
      process.stdout.write(`Tests with ${missing.join(', ')} are skipped: not Debian, or not root.\n`);
    } else {
      process.stdout.write(`Installing ${missing.join(', ')} …\n`);
      // Their services must not start here, where their ports may be in use.
      const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
      const options = { ...QUIET, env };
      try {
        execFileSync('apt-get', ['update', '-qq'], options);
        execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...missing], options);
      } catch {
        process.stdout.write(
          `Tests with ${missing.join(', ')} are skipped: the packages cannot be installed.\n`,
        );
      }
    }
  }
}

if (require.main === module) {
  install();
  installPatroni();
}

module.exports = { PARTS: { ...PARTS, patroni: PATRONI }, install };
