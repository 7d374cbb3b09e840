import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { SetupError } from '../../base/errors.js';

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

/** The system user that Postgres runs as. Empty: the user of this process. */
export interface ServerUser {
  readonly uid?: number;
  readonly gid?: number;
}

/**
 * Returns the user to run Postgres as, which refuses to run as root: the owner of an existing cluster (an ordinary user
 * may have made it), else `postgres`, else `nobody`.
 * @param clusters directories of existing clusters
 * @throws SetupError when this process is root and the system has none of these users
 */
export function serverUser(clusters: string[]): ServerUser {
  if (process.getuid?.() !== 0) return {};
  const owner = clusters.map((dir) => statSync(dir)).find(({ uid }) => uid !== 0);
  if (owner) return { uid: owner.uid, gid: owner.gid };
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const account =
    accounts.find(([name]) => name === 'postgres') ?? accounts.find(([name]) => name === 'nobody');
  if (!account) {
    throw new SetupError(
      'The embedded Postgres cannot run as root, and this system has no user "postgres" or "nobody". Start ' +
        'the service as a regular user, or set DATABASE_URL.',
    );
  }
  return { uid: Number(account[2]), gid: Number(account[3]) };
}

/** Makes the server's user the owner of a file or directory; its parents stay unchanged. */
export function giveTo(target: string, user: ServerUser): void {
  if (user.uid !== undefined && user.gid !== undefined) chownSync(target, user.uid, user.gid);
}

/**
 * Returns the outermost directory on the path to `dir` (itself included) that the server's user may not enter, by mode
 * bits. Always undefined when the server runs as this process' user, whose own access fails visibly.
 */
export function blockedAt(dir: string, user: ServerUser): string | undefined {
  if (user.uid === undefined) return undefined;
  const parent = path.dirname(dir);
  const above = parent === dir ? undefined : blockedAt(parent, user);
  if (above) return above;
  const { mode, uid, gid } = statSync(dir);
  const passable = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
  return (mode & passable) === 0 ? dir : undefined;
}

/**
 * Makes the data directory if it is missing, so that the server's user can reach its cluster in it.
 * @throws SetupError when it cannot be made or written, is not a directory, or is inside one closed to the server's user
 */
export function openDataDirectory(dataDir: string, user: ServerUser): void {
  try {
    const first = mkdirSync(dataDir, { recursive: true });
    // Others may enter it whatever the umask, but only the owner may list it.
    if (first && user.uid !== undefined) {
      for (let dir = dataDir; dir.length >= first.length; dir = path.dirname(dir)) chmodSync(dir, 0o711);
    }
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new SetupError(
      `Cannot use the data directory ${dataDir} (${(error as Error).message}). Choose another one with DATA_DIR, or set DATABASE_URL.`,
    );
  }
  const closed = blockedAt(dataDir, user);
  if (closed) {
    throw new SetupError(
      `When started as root, the embedded Postgres runs as an unprivileged user, which cannot access the data ` +
        `directory ${dataDir} because ${closed} is closed to other users. Choose another one with DATA_DIR, grant access ` +
        `(chmod o+x), or start the service as a regular user.`,
    );
  }
}
