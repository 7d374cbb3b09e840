import { existsSync, readFileSync, statfsSync } from 'node:fs';
import os from 'node:os';

const MEMORY = '/dev/shm';
const GIBIBYTE = 2 ** 30;
/** A whole run has about three of them in use at the same time, and other processes need some, too. */
const ENOUGH = 8 * GIBIBYTE;

/** True if programs can be started from there, which containers often forbid. */
function runsPrograms(): boolean {
  const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n');
  const options = mounts.map((line) => line.split(' ')).findLast(([, place]) => place === MEMORY)?.[3];
  return options !== undefined && !options.split(',').includes('noexec');
}

function isRoomy(): boolean {
  if (!existsSync(MEMORY) || !existsSync('/proc/self/mounts') || !runsPrograms()) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return Math.min(bavail * bsize, os.freemem()) >= ENOUGH;
}

/** Where leftovers of a test run may be. */
export const PLACES = [...new Set([os.tmpdir(), MEMORY])].filter(existsSync);

/**
 * For short-lived databases: memory if there is plenty, otherwise the system's temporary directory. A cloned
 * database is several hundred files, which take several times as long on a disk.
 */
export const SCRATCH = isRoomy() ? MEMORY : os.tmpdir();
