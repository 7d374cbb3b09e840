import { readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';

/** The facts that a running server writes into its cluster. The file remains after a kill. */
export interface PidFile {
  readonly pid: number;
  readonly port: number;
  /** Empty during the start, and for a server on TCP only. */
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

/** True if a process with this id runs, of any user. False for an ended process that was not yet waited for. */
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
 * Removes a postmaster.pid whose process id now belongs to another program. Postgres refuses to start while a process
 * of its own user has that id, which is common in a restarted container. A server's working directory is its cluster: a
 * process elsewhere is not the server. If the working directory cannot be read, the file stays and so does Postgres's
 * refusal.
 * @returns true if the file was removed
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
