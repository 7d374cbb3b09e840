import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { SetupError } from '../../base/errors.js';
import { packageVersion } from '../../base/package.js';
import { Copier } from './copy.js';
import { type BackupFacts, FACTS_FILE, factsText, SUMS_FILE, SumsWriter } from './manifest.js';
import { copyRunning } from './online.js';
import { BackupProgress } from './progress.js';

/** Entries of the data directory that are recreated at startup, or that are the database itself. */
const NOT_KEPT = /^(postgres-.*|postgres\.log.*|\..*)$/;

interface BackupSource {
  /** Of the running server's superuser. */
  connectionString: string;
  dataDir: string;
  /** `<dataDir>/postgres-<major>` */
  cluster: string;
}

/**
 * Makes a folder with the database of a running embedded server and the other files of its data directory (secrets,
 * mails). It has its name only when it is complete and on disk.
 * @param target must not exist
 * @throws SetupError when it exists or cannot be made, or the database cannot be backed up
 */
export async function makeBackup(
  source: BackupSource,
  target: string,
  signal: AbortSignal,
): Promise<BackupFacts> {
  if (existsSync(target)) {
    throw new SetupError(
      `${target} already exists, and a backup does not overwrite anything. Choose a new folder.`,
    );
  }
  const draft = await makeDraft(target);
  const progress = new BackupProgress('copied');
  try {
    const text = await fillDraft(source, draft, signal, progress);
    await syncDirectories(draft);
    await rename(draft, target);
    await syncDirectory(path.dirname(target));
    return JSON.parse(text) as BackupFacts;
  } catch (error) {
    await rm(draft, { recursive: true, force: true, maxRetries: 3 });
    if (!/^E[A-Z]+$/.test((error as { code?: string }).code ?? '')) throw error;
    throw new SetupError(`Failed to create a backup in ${target} (${(error as Error).message}).`);
  } finally {
    progress.end();
  }
}

async function makeDraft(target: string): Promise<string> {
  try {
    await mkdir(path.dirname(target), { recursive: true });
    return await mkdtemp(`${target}.partial-`);
  } catch (error) {
    throw new SetupError(`Cannot create a backup in ${target} (${(error as Error).message}).`);
  }
}

async function fillDraft(source: BackupSource, draft: string, signal: AbortSignal, progress: BackupProgress) {
  const copier = new Copier(signal, progress.add);
  const begunAt = new Date();
  const cluster = path.basename(source.cluster);
  const sums = new SumsWriter(path.join(draft, SUMS_FILE));
  try {
    await copyOthers(source.dataDir, draft, copier, sums);
    await copier.directory(path.join(draft, cluster));
    const copy = await copyRunning(
      { connectionString: source.connectionString, dir: source.cluster },
      path.join(draft, cluster),
      copier,
      ({ bytes }) => progress.begin(bytes),
      (name, file) => sums.add(path.posix.join(cluster, name), file),
    );
    await sums.close();
    const text = factsText({
      version: packageVersion,
      postgres: Number(cluster.slice(cluster.lastIndexOf('-') + 1)),
      system_identifier: copy.systemIdentifier,
      begun_at: begunAt.toISOString(),
      finished_at: new Date().toISOString(),
      begin_lsn: copy.begin,
      end_lsn: copy.end,
      files: sums.files,
      bytes: sums.bytes,
      // A line for each file of the database: some hundred kilobytes.
      sums_sha256: createHash('sha256')
        .update(await readFile(path.join(draft, SUMS_FILE)))
        .digest('hex'),
      directories: copy.directories.map((name) => path.posix.join(cluster, name)),
    });
    await copier.text(path.join(draft, FACTS_FILE), text);
    return text;
  } catch (error) {
    await sums.close().catch(() => undefined);
    throw error;
  }
}

/** Copies the files of the data directory that are not part of the database. */
async function copyOthers(dataDir: string, draft: string, copier: Copier, sums: SumsWriter): Promise<void> {
  const copyFolder = async (folder: string): Promise<void> => {
    for (const entry of await readdir(path.join(dataDir, folder), { withFileTypes: true })) {
      const name = path.posix.join(folder, entry.name);
      if (folder === '' && NOT_KEPT.test(name)) continue;
      if (entry.isDirectory()) {
        await copier.directory(path.join(draft, name));
        await copyFolder(name);
      } else if (entry.isFile()) {
        const copied = await copier.file(path.join(dataDir, name), path.join(draft, name));
        if (copied) await sums.add(name, copied);
      }
    }
  };
  await copyFolder('');
}

async function syncDirectories(dir: string): Promise<void> {
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    if (entry.isDirectory()) await syncDirectories(path.join(dir, entry.name));
  }
  await syncDirectory(dir);
}

/** Makes names in a directory outlive a power cut. */
export async function syncDirectory(dir: string): Promise<void> {
  if (process.platform === 'win32') return; // directories cannot be opened there
  const handle = await open(dir, 'r');
  await handle.sync().finally(() => handle.close());
}
