import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Debian's release of the images and guides. */
export const DEBIAN = 'bookworm';

/** Runs a program, whose output goes to ours. @throws when it fails */
export function run(program: string, ...args: string[]): void {
  execFileSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
}

/**
 * Makes the smallest Debian in a folder, with the certificates and sources of packages that this machine uses.
 * BARE_ROOT names one that was made before: it is copied.
 */
export function makeBareRoot(root: string): void {
  const made = process.env.BARE_ROOT;
  if (made !== undefined) run('cp', '-a', `${made}/.`, root);
  else run('debootstrap', '--variant=minbase', '--include=ca-certificates', DEBIAN, root);
  // It does not outlive the run: hundreds of packages, each synced to disk, take minutes.
  writeFileSync(path.join(root, 'etc/dpkg/dpkg.cfg.d/unsafe-io'), 'force-unsafe-io\n');
  cpSync('/etc/ssl/certs/ca-certificates.crt', path.join(root, 'etc/ssl/certs/ca-certificates.crt'));
}

/** Puts Node of a major version with npm into the folder, from the packages of the registry. */
export function addNode(root: string, major: string): void {
  const dir = mkdtempSync(path.join(root, 'tmp/node-'));
  const platform = `node-linux-${process.arch}`;
  const install = ['install', '--prefix', dir, '--no-save', '--no-audit', '--no-fund'];
  execFileSync('npm', [...install, `${platform}@^${major}`, 'npm@^11'], {
    cwd: dir,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const local = path.join(root, 'usr/local');
  cpSync(path.join(dir, 'node_modules', platform, 'bin/node'), path.join(local, 'bin/node'));
  mkdirSync(path.join(local, 'lib/node_modules'), { recursive: true });
  run('cp', '-a', path.join(dir, 'node_modules/npm'), path.join(local, 'lib/node_modules/npm'));
  for (const name of ['npm', 'npx']) {
    run('ln', '-sf', `../lib/node_modules/npm/bin/${name}-cli.js`, path.join(local, 'bin', name));
  }
  mkdirSync(path.join(local, 'etc'), { recursive: true });
  writeFileSync(path.join(local, 'etc/npmrc'), 'cafile=/etc/ssl/certs/ca-certificates.crt\n');
  rmSync(dir, { recursive: true });
}
