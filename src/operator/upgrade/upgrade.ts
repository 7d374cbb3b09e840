import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import path from 'node:path';
import { SetupError } from '../../base/errors.js';
import type { Log } from '../../base/log.js';
import type { Config } from '../../config/table.js';
import type { ClusterOptions } from '../../db/embedded/cluster.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../db/embedded/embedded.js';
import { isRunning, serverUser } from '../../db/embedded/server-process.js';
import { openMigrated, programsOf } from '../../process/database.js';
import type { Disposal } from '../../process/shutdown.js';
import { Copier } from '../backups/copy.js';
import { syncDirectory } from '../backups/make.js';
import { copyRunning } from '../backups/online.js';
import { BackupProgress } from '../backups/progress.js';
import { verifyAll } from '../verification.js';
import { copyTables } from './tables.js';

const DRAFT = '.upgrading-';

type OldPrograms = Pick<ClusterOptions, 'installedBin' | 'binaries'>;

/**
 * A folder in the data directory for all that is not to remain.
 * @returns its path; the disposal removes it
 */
export function makeDraft(dataDir: string, disposal: Disposal): string {
  for (const name of readdirSync(dataDir)) {
    if (!name.startsWith(DRAFT) || isRunning(Number.parseInt(name.slice(DRAFT.length), 10))) continue;
    rmSync(path.join(dataDir, name), { recursive: true, force: true, maxRetries: 3 });
  }
  const draft = mkdtempSync(path.join(dataDir, `${DRAFT}${process.pid}-`));
  chmodSync(draft, 0o711); // for the server's user
  disposal.add(async () => rmSync(draft, { recursive: true, force: true, maxRetries: 3 }));
  return draft;
}

/**
 * Moves the embedded database from one major version of Postgres to another. The old server stays the owner of the data
 * directory until the end, so that no service can start; a copy of its cluster is brought to the newest schema and read;
 * the new cluster gets its name when it has the same rows and every rank is right. The old cluster stays as it was.
 * @throws SetupError when the data directory is in use, or the copy has a fault
 */
export async function upgradeCluster(
  config: Config,
  [from, to]: [number, number],
  old: OldPrograms,
  draft: string,
  { log, disposal, signal }: { log: Log; disposal: Disposal; signal: AbortSignal },
): Promise<void> {
  const { dataDir } = config;
  const open = async (dir: string, options: ClusterOptions): Promise<EmbeddedPostgres> => {
    signal.throwIfAborted();
    const server = await startEmbeddedPostgres(dir, { ...options, log: (line) => log.info(line) });
    disposal.add(() => server.stop());
    return server;
  };
  const owned = await open(dataDir, old);
  const oldDir = path.join(draft, 'old');
  await copyCluster(owned, dataDir, oldDir, signal);
  // Its rows are read once.
  const copy = await open(oldDir, { ...old, settings: { fsync: 'off', full_page_writes: 'off' } });
  const fresh = await open(path.join(draft, 'new'), programsOf(config));
  for (const server of [copy, fresh]) {
    const connectionString = server.connectionString();
    const place = server.dir;
    const none = { route: { preparedStatements: true }, close: async () => undefined };
    const { close } = await openMigrated({ connectionString, place, ...none });
    await close();
  }
  let [tables, rows] = [0, 0];
  await copyTables(copy.connectionString(), fresh.connectionString(), signal, (_table, count) => {
    tables += 1;
    rows += count;
  });
  process.stdout.write(`${tables} tables with ${rows} rows copied from Postgres ${from} to ${to}.\n`);
  if ((await verifyAll(fresh.connectionString())) > 0) {
    throw new SetupError('The copy has errors and was discarded. The data directory is unchanged.');
  }
  signal.throwIfAborted();
  await fresh.stop();
  await rename(fresh.dir, path.join(dataDir, path.basename(fresh.dir)));
  await syncDirectory(dataDir);
}

async function copyCluster(
  server: EmbeddedPostgres,
  dataDir: string,
  copyDir: string,
  signal: AbortSignal,
): Promise<void> {
  const progress = new BackupProgress('copied');
  const copier = new Copier(signal, progress.add, serverUser([server.dir]));
  const cluster = path.join(copyDir, path.basename(server.dir));
  await copier.directory(cluster);
  const source = {
    connectionString: server.connectionString(),
    dir: path.join(dataDir, path.basename(server.dir)),
  };
  await copyRunning(
    source,
    cluster,
    copier,
    ({ bytes }) => progress.begin(bytes),
    async () => undefined,
  );
  progress.end();
}
