import { readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';

/** What a running server writes about itself into its cluster. Left behind when it is killed. */
export interface PidFile {
  readonly pid: number;
  readonly port: number;
  /** Empty while it starts, and when it answers on TCP only. */
  readonly socketDir: string;
  readonly status: string;
}

/** Lines of postmaster.pid: pid, directory, start time, port, socket directory, address, shared memory, status. */
export function readPidFile(clusterDir: string): PidFile | undefined {
  try {
    const lines = readFileSync(path.join(clusterDir, 'postmaster.pid'), 'utf8').split('\n');
    return {
      pid: Number(lines[0]),
      port: Number(lines[3]),
      socketDir: lines[4] ?? '',
      status: lines[7]?.trim() ?? '',
    };
  } catch {
    return undefined;
  }
}

/** Whether a process with this id lives, whoever owns it. One that ended and was not yet waited for is not alive. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat[stat.lastIndexOf(')') + 2] !== 'Z';
  } catch {
    return true; // no /proc on this system
  }
}

/**
 * Removes a postmaster.pid whose process id now belongs to somebody else. Postgres refuses to start while a process of
 * its own user has that id, and in a container that restarts, one often has. A server works in its cluster's directory:
 * a process that works elsewhere is not it. Where that cannot be seen, the file stays and Postgres's refusal stands.
 * @returns whether the file was removed.
 */
export function removeStrangersPidFile(clusterDir: string): boolean {
  const file = readPidFile(clusterDir);
  if (!file) return false;
  if (isRunning(file.pid)) {
    try {
      const works = statSync(`/proc/${file.pid}/cwd`);
      const cluster = statSync(clusterDir);
      if (works.dev === cluster.dev && works.ino === cluster.ino) return false;
    } catch {
      return false;
    }
  }
  rmSync(path.join(clusterDir, 'postmaster.pid'), { force: true });
  return true;
}
