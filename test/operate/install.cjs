// Installs Debian's nginx, Caddy, PgBouncer, Prometheus, Postgres, Patroni, etcd and HAProxy for the scenarios of this folder, where this is Debian and the
// user is root. None of them is started. Elsewhere the scenarios that need them are skipped, and say so.
const { execFileSync, spawnSync } = require('node:child_process');
const { existsSync } = require('node:fs');

/** Debian's packages, by the program that shows that they are there. */
const PARTS = {
  nginx: '/usr/sbin/nginx',
  caddy: '/usr/bin/caddy',
  pgbouncer: '/usr/sbin/pgbouncer',
  prometheus: '/usr/bin/prometheus',
  'postgresql-15': '/usr/lib/postgresql/15/bin/postgres',
  patroni: '/usr/bin/patroni',
  'python3-etcd': '/usr/lib/python3/dist-packages/etcd/__init__.py',
  'etcd-server': '/usr/bin/etcd',
  haproxy: '/usr/sbin/haproxy',
};

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
      const options = { stdio: ['ignore', 'ignore', 'inherit'], env };
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

if (require.main === module) install();

module.exports = { PARTS, install };
