import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { SetupError } from '../../base/errors.js';
import { unhurriedConfig } from '../../db/pool.js';
import { CONTROL_FILE, type Listing, LOG_DIR, listCluster, segmentsBetween } from './cluster-files.js';
import type { CopiedFile, Copier } from './copy.js';

/** The server whose cluster is copied. */
interface RunningCluster {
  /** Of its superuser. */
  connectionString: string;
  dir: string;
}

interface ClusterCopy {
  /** Relative to the copy. */
  directories: string[];
  systemIdentifier: string;
  /** Positions of the log between which the files were copied; the copy is the state at `end`. */
  begin: string;
  end: string;
}

type Record = (name: string, file: CopiedFile) => Promise<void>;

/** From 15 on the functions have other names and no exclusive mode. */
const FUNCTIONS = {
  new: {
    start: `select lsn::text, pg_walfile_name(lsn) as segment from pg_backup_start('leaderboard backup', true) as lsn`,
    stop: 'select lsn::text, pg_walfile_name(lsn) as segment, labelfile from pg_backup_stop(false)',
  },
  old: {
    start: `select lsn::text, pg_walfile_name(lsn) as segment from pg_start_backup('leaderboard backup', true, false) as lsn`,
    stop: 'select lsn::text, pg_walfile_name(lsn) as segment, labelfile from pg_stop_backup(false, false)',
  },
};

/**
 * Copies a cluster while its server runs and writes: Postgres' own online backup. The files are those of different
 * moments; the log between begin and end, which a temporary slot keeps, makes them one state.
 * @param target an empty directory
 * @param begun gets what will be copied, the log left out
 * @param record is called for each file that was copied, with its path relative to `target`
 * @throws SetupError when the server cannot be backed up, or stops in the meantime
 */
export async function copyRunning(
  { connectionString, dir }: RunningCluster,
  target: string,
  copier: Copier,
  begun: (listing: Listing) => void,
  record: Record,
): Promise<ClusterCopy> {
  const client = new pg.Client(unhurriedConfig(connectionString, 'leaderboard backup'));
  client.on('error', () => undefined); // the next statement fails
  await client.connect();
  try {
    const server = await inspect(client);
    const functions = server.version >= 150_000 ? FUNCTIONS.new : FUNCTIONS.old;
    // It ends with the session, and until then the server keeps every segment from here on.
    await client.query('select pg_create_physical_replication_slot($1, true, true)', [
      `leaderboard_backup_${process.pid}`,
    ]);
    const start = (await client.query(functions.start)).rows[0] as Position;
    const listing = await listCluster(dir);
    begun(listing);
    const copy = async (name: string) => {
      const copied = await copier.file(path.join(dir, name), path.join(target, name));
      if (copied) await record(name, copied);
      return copied !== undefined;
    };
    for (const name of listing.directories) await copier.directory(path.join(target, name));
    for (const name of listing.files) await copy(name);
    const control = await readControl(path.join(dir, CONTROL_FILE));
    await record(CONTROL_FILE, await copier.text(path.join(target, CONTROL_FILE), control));
    const stop = (await client.query(functions.stop)).rows[0] as Position & { labelfile: string };
    await record('backup_label', await copier.text(path.join(target, 'backup_label'), stop.labelfile));
    const histories = (await readdir(path.join(dir, LOG_DIR))).filter((name) => name.endsWith('.history'));
    const segments = segmentsBetween(start.segment, stop.segment, server.segmentBytes);
    for (const name of [...histories, ...segments]) {
      const found = await copy(path.posix.join(LOG_DIR, name));
      if (!found) throw new Error(`the server no longer has the segment ${name} of its log`);
    }
    return {
      directories: listing.directories,
      systemIdentifier: server.systemIdentifier,
      begin: start.lsn,
      end: stop.lsn,
    };
  } catch (error) {
    if (!/^(57P0.|08...|E(CONN|PIPE).*)$/.test((error as { code?: string }).code ?? '')) throw error;
    throw new SetupError(
      `The database stopped during the backup (${(error as Error).message}). Run the backup again while the ` +
        `service is running, or while it is stopped.`,
    );
  } finally {
    await client.end().catch(() => undefined);
  }
}

interface Position {
  lsn: string;
  segment: string;
}

async function inspect(client: pg.Client) {
  const { rows } = await client.query<{ version: number; level: string; bytes: number; id: string }>(
    `select current_setting('server_version_num')::int as version, current_setting('wal_level') as level,
       (select setting::int from pg_settings where name = 'wal_segment_size') as bytes,
       (select system_identifier::text from pg_control_system()) as id`,
  );
  const { version, level, bytes, id } = rows[0]!;
  if (level === 'minimal') {
    throw new SetupError(
      'wal_level is minimal, which is not enough for a backup. Remove that setting from postgresql.conf and restart the service.',
    );
  }
  return { version, segmentBytes: bytes, systemIdentifier: id };
}

const CONTROL_ATTEMPTS = 100;

/** Reads until two readings agree: the server may be writing the file. */
async function readControl(file: string): Promise<Buffer> {
  let former = await readFile(file);
  for (let attempt = 0; attempt < CONTROL_ATTEMPTS; attempt += 1) {
    await delay(5);
    const next = await readFile(file);
    if (next.equals(former)) return next;
    former = next;
  }
  throw new Error(`${file} keeps changing`);
}
