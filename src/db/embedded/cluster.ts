import { execFile } from 'node:child_process';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { SetupError } from '../../base/errors.js';
import { type Binaries, findBinaries, findInstalled, program, serverEnvironment } from './binaries.js';
import { makePassword, SERVER_ROLE } from './endpoint.js';
import { giveTo, isRunning, openDataDirectory, type ServerUser, serverUser } from './server-process.js';
import { EMBEDDED_SETTINGS } from './settings.js';

const runInitdb = promisify(execFile);

/** A database directory on disk and the programs and user to run it. */
export interface Cluster {
  readonly dataDir: string;
  /** `<dataDir>/postgres-<major>` */
  readonly dir: string;
  readonly logFile: string;
  readonly binaries: Binaries;
  readonly user: ServerUser;
  readonly settings: Readonly<Record<string, string>>;
  /** Password of the superuser, for a cluster on the loopback address instead of a socket. */
  readonly password: string | undefined;
}

export interface ClusterOptions {
  /** Directory that holds bin/postgres; default: the npm package of this platform. */
  binaries?: string;
  /** Folder with the programs of a Postgres that is installed on this system, instead of the package. */
  installedBin?: string;
  /** Settings for postgresql.conf; they override those of embedded/settings.ts. */
  settings?: Record<string, string>;
  /** Chosen when the cluster is made. `loopback`: TCP on 127.0.0.1 with a password, where sockets are not available. */
  transport?: 'socket' | 'loopback';
}

/** Inside the cluster, so that both exist together. */
const PASSWORD_FILE = 'service-password';

/**
 * Finds the data directory's cluster of the programs' major version, or makes it.
 * @throws SetupError when the directory cannot be used, contains only a cluster of another major version, or Postgres
 * does not run here
 */
export async function openCluster(dataDir: string, options: ClusterOptions): Promise<Cluster> {
  const found = existingClusters(dataDir);
  const { user, binaries } = await findPrograms(dataDir, options);
  const { installedBin } = options;
  const dir = path.join(dataDir, `postgres-${binaries.major}`);
  const settings = { ...EMBEDDED_SETTINGS, ...options.settings };
  if (found.includes(binaries.major)) {
    refuseForeign(dir, binaries.major, installedBin);
  } else {
    const [other] = found;
    if (other !== undefined)
      throw new SetupError(
        otherMajor(path.join(dataDir, `postgres-${other}`), other, binaries.major, installedBin),
      );
    const transport = options.transport ?? (process.platform === 'win32' ? 'loopback' : 'socket');
    await makeCluster(dir, {
      binaries,
      user,
      settings,
      password: transport === 'loopback' ? makePassword() : undefined,
    });
  }
  const passwordFile = path.join(dir, PASSWORD_FILE);
  return {
    dataDir,
    dir,
    logFile: path.join(dataDir, 'postgres.log'),
    binaries,
    user,
    settings,
    password: existsSync(passwordFile) ? readFileSync(passwordFile, 'utf8') : undefined,
  };
}

/**
 * Finds the programs for a data directory, and the user that runs them; makes the directory if it is missing.
 * @throws SetupError when the directory cannot be used, or Postgres does not run here
 */
export async function findPrograms(
  dataDir: string,
  { installedBin, binaries }: Pick<ClusterOptions, 'installedBin' | 'binaries'>,
): Promise<Pick<Cluster, 'user' | 'binaries'>> {
  const user = serverUser(existingClusters(dataDir).map((major) => path.join(dataDir, `postgres-${major}`)));
  openDataDirectory(dataDir, user);
  const found = await (installedBin === undefined
    ? findBinaries(binaries, dataDir, user)
    : findInstalled(installedBin, user));
  return { user, binaries: found };
}

/** Returns the major versions of the clusters in a data directory, newest first; none if it cannot be read. */
export function existingClusters(dataDir: string): number[] {
  try {
    return readdirSync(dataDir)
      .map((name) => Number(/^postgres-(\d+)$/.exec(name)?.[1]))
      .filter((major) => !Number.isNaN(major))
      .sort((a, b) => b - a);
  } catch {
    return []; // not there yet; openDataDirectory reports other faults
  }
}

function refuseForeign(dir: string, major: number, installedBin: string | undefined): void {
  let version: string;
  try {
    version = readFileSync(path.join(dir, 'PG_VERSION'), 'utf8').trim();
  } catch (error) {
    throw new SetupError(
      (error as NodeJS.ErrnoException).code === 'EACCES'
        ? `The database in ${dir} belongs to another system user. Start the service as the owner of that ` +
            `directory, or choose another directory with DATA_DIR.`
        : `The directory ${dir} exists but is not a database (no PG_VERSION). Move it elsewhere, or choose ` +
            `another data directory with DATA_DIR.`,
    );
  }
  if (version !== String(major)) throw new SetupError(otherMajor(dir, Number(version), major, installedBin));
}

function otherMajor(dir: string, found: number, major: number, installedBin: string | undefined): string {
  const [which, way] =
    installedBin === undefined
      ? [`the bundled Postgres ${major}`, 'set POSTGRES_BIN_DIR to']
      : [`Postgres ${major} in ${installedBin}`, 'change POSTGRES_BIN_DIR to'];
  const move =
    found < major
      ? `To move the data to Postgres ${major}, run "npx leaderboard upgrade-database"`
      : `To move the data, start that Postgres (postgres -D ${dir}), dump it with its pg_dump, and load the dump ` +
        `into your own Postgres (DATABASE_URL) or into the embedded one of a new DATA_DIR`;
  return (
    `${dir} was created by Postgres ${found}, which ${which} cannot open. To keep using it, ${way} the bin ` +
    `directory of a Postgres ${found}${installedBin === undefined ? '' : ', or unset it if that was the bundled one'}. ${move}.`
  );
}

/**
 * Makes a cluster. initdb works in a temporary folder, and the finished cluster is renamed into place: after a kill the
 * next start removes the folder, and a half-made cluster never has the final name.
 */
async function makeCluster(
  dir: string,
  { binaries, user, settings, password }: Pick<Cluster, 'binaries' | 'user' | 'settings' | 'password'>,
): Promise<void> {
  removeUnfinished(dir);
  const draft = mkdtempSync(`${dir}.initdb-${process.pid}-`);
  try {
    giveTo(draft, user);
    const passwordFile = path.join(draft, PASSWORD_FILE);
    if (password !== undefined) {
      writeFileSync(passwordFile, password, { mode: 0o600 });
      giveTo(passwordFile, user);
    }
    const cluster = path.join(draft, 'cluster');
    const args = ['-D', cluster, '-U', SERVER_ROLE, '--encoding=UTF8', '--locale=C', '--no-instructions'];
    // Code point order in either case; from 17 on with letter case beyond ASCII and the same on every system.
    if (binaries.major >= 17) args.push('--locale-provider=builtin', '--builtin-locale=C.UTF-8');
    if (password === undefined) args.push('--auth-local=trust', '--auth-host=reject');
    else args.push('--auth=scram-sha-256', `--pwfile=${passwordFile}`);
    if (settings.fsync === 'off') args.push('--no-sync');
    await runInitdb(program(binaries, 'initdb'), args, {
      ...user,
      env: serverEnvironment(),
      cwd: path.parse(dir).root,
    });
    if (password !== undefined) renameSync(passwordFile, path.join(cluster, PASSWORD_FILE));
    renameSync(cluster, dir);
    syncDirectory(path.dirname(dir));
  } catch (error) {
    // Another process that started at the same moment may have made its cluster first: that one is used then.
    if (!existsSync(path.join(dir, 'PG_VERSION'))) {
      const { stderr, message } = error as Error & { stderr?: string };
      throw new SetupError(
        `Failed to create a database in ${dir} (${(stderr || message).trim()}). Fix that, choose another ` +
          `DATA_DIR, or set DATABASE_URL to your own Postgres.`,
      );
    }
  } finally {
    rmSync(draft, { recursive: true, force: true, maxRetries: 3 });
  }
}

/**
 * Removes the drafts of ended processes; one older than 10 min is abandoned, even if its process id is in use again.
 */
function removeUnfinished(dir: string): void {
  const prefix = `${path.basename(dir)}.initdb-`;
  for (const name of readdirSync(path.dirname(dir))) {
    if (!name.startsWith(prefix)) continue;
    const draft = path.join(path.dirname(dir), name);
    const maker = Number.parseInt(name.slice(prefix.length), 10);
    const age = Date.now() - statSync(draft).mtimeMs;
    if (maker !== process.pid && isRunning(maker) && age < 600_000) continue;
    rmSync(draft, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Makes the rename durable: without it a power cut could undo the cluster's name after commits were acknowledged. */
function syncDirectory(dir: string): void {
  if (process.platform === 'win32') return; // directories cannot be opened there
  const fd = openSync(dir, 'r');
  fsyncSync(fd);
  closeSync(fd);
}
