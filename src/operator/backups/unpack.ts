import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import path from 'node:path';
import { SetupError } from '../../base/errors.js';
import { giveTo, isRunning, type ServerUser } from '../../db/embedded/server-process.js';
import { Copier } from './copy.js';
import { syncDirectory } from './make.js';
import { type BackupFacts, readSums, SUMS_FILE } from './manifest.js';
import { BackupProgress } from './progress.js';

const DRAFT = '.restoring-';

/**
 * Names in the way of a restore. Those of a restore that was killed are not, nor a mount point's own, nor programs that
 * were copied for the server's user.
 */
export function inTheWay(dataDir: string): string[] {
  try {
    return readdirSync(dataDir).filter(
      (name) => !/^(\.restoring-.*|lost\+found|postgres-binaries-.*)$/.test(name),
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new SetupError(
      `Cannot use the data directory ${dataDir} (${(error as Error).message}). Choose another one with DATA_DIR.`,
    );
  }
}

/**
 * Copies a backup into an empty data directory, and compares every file with its checksum on the way. The database has
 * its name only when all are right.
 * @param user owner of the database's files
 * @throws SetupError when a file is missing or is not the one that was backed up; nothing remains then
 */
export async function unpack(
  backup: string,
  facts: BackupFacts,
  dataDir: string,
  user: ServerUser,
  signal: AbortSignal,
): Promise<void> {
  removeAbandoned(dataDir);
  const cluster = `postgres-${facts.postgres}`;
  const draft = mkdtempSync(path.join(dataDir, `${DRAFT}${process.pid}-`));
  const progress = new BackupProgress('restored');
  progress.begin(facts.bytes);
  const own = new Copier(signal, progress.add);
  const servers = new Copier(signal, progress.add, user);
  try {
    await refuseOtherList(backup, facts);
    for (const name of ['', ...facts.directories]) {
      await servers.directory(path.join(draft, name || cluster));
    }
    let files = 0;
    for await (const { name, sha256 } of readSums(path.join(backup, SUMS_FILE))) {
      const copier = name.startsWith(`${cluster}/`) ? servers : own;
      await copier.directory(path.dirname(path.join(draft, name)));
      const copied = await copier.file(path.join(backup, name), path.join(draft, name));
      if (copied?.sha256 !== sha256) throw damaged(path.join(backup, name), copied ? 'changed' : 'missing');
      files += 1;
    }
    if (files !== facts.files) throw damaged(path.join(backup, SUMS_FILE), 'cut off');
    giveTo(path.join(draft, cluster), user);
    // The database comes last: only with it does the directory count as a data directory.
    const names = readdirSync(draft).sort((a, b) => Number(a === cluster) - Number(b === cluster));
    for (const name of names) await rename(path.join(draft, name), path.join(dataDir, name));
    await syncDirectory(dataDir);
  } finally {
    progress.end();
    rmSync(draft, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function refuseOtherList(backup: string, facts: BackupFacts): Promise<void> {
  const file = path.join(backup, SUMS_FILE);
  let list: Buffer;
  try {
    list = readFileSync(file);
  } catch {
    throw damaged(file, 'missing');
  }
  if (createHash('sha256').update(list).digest('hex') !== facts.sums_sha256) throw damaged(file, 'changed');
}

function damaged(file: string, how: string): SetupError {
  return new SetupError(
    `The backup is damaged: ${file} is ${how}. Nothing was restored. Use another backup, or another copy of this one.`,
  );
}

function removeAbandoned(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    if (!name.startsWith(DRAFT)) continue;
    const maker = Number.parseInt(name.slice(DRAFT.length), 10);
    if (!isRunning(maker)) rmSync(path.join(dataDir, name), { recursive: true, force: true });
  }
}
