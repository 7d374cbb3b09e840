import { existsSync, readFileSync, statfsSync } from 'node:fs';
import os from 'node:os';

const MEMORY = '/dev/shm';
const GIBIBYTE = 2 ** 30;
/** A whole run has about three of them in use at the same time; the processes beside it want some, too. */
const ENOUGH = 8 * GIBIBYTE;

/** True if programs may be started from there: containers often forbid it. */
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

/** Where what a test run leaves behind may lie. */
export const PLACES = [...new Set([os.tmpdir(), MEMORY])].filter(existsSync);

/**
 * For databases that nothing outlives: memory where there is plenty of it, otherwise the system's temporary directory. A
 * cloned database is some hundred files, which take a disk's file system several times as long.
 */
export const SCRATCH = isRoomy() ? MEMORY : os.tmpdir();
