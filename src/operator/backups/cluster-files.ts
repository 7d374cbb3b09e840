import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { SetupError } from '../../base/errors.js';

/** Directories whose contents a server recreates at startup, or that only describe the running server. */
const EMPTIED = new Set([
  'pg_dynshmem',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
  'pg_wal/archive_status',
  'pg_wal/summaries',
]);

/** Files of the running server, or of an earlier backup that this cluster was restored from. */
const LEFT_OUT = new Set([
  'backup_label',
  'backup_label.old',
  'backup_manifest',
  'current_logfiles',
  'postmaster.opts',
  'postmaster.pid',
  'tablespace_map',
  'tablespace_map.old',
]);

/** Files of temporary tables and of sorts, and a cache. */
const PASSING = /(^|\/)(pgsql_tmp.*|t\d+_\d+(_\w+)?(\.\d+)?|pg_internal\.init.*)$/;

/** Copied on its own, when all others are. */
export const CONTROL_FILE = 'global/pg_control';
/** Its segments are copied at the end, when it is known which are needed. */
export const LOG_DIR = 'pg_wal';

export interface Listing {
  /** Relative, in the order in which they can be made. */
  directories: string[];
  /** Relative. Without the control file and the log. */
  files: string[];
  bytes: number;
}

/**
 * Lists what a backup takes from the directory of a cluster, whose server may run.
 * @throws SetupError for tablespaces, which are stored elsewhere
 */
export async function listCluster(cluster: string): Promise<Listing> {
  const listing: Listing = { directories: [], files: [], bytes: 0 };
  await walk(cluster, '', listing);
  return listing;
}

async function walk(cluster: string, dir: string, listing: Listing): Promise<void> {
  const entries = await readdir(path.join(cluster, dir), { withFileTypes: true }).catch((error) => {
    if (dir !== '' && error.code === 'ENOENT') return [];
    throw error;
  });
  for (const entry of entries) {
    const name = path.posix.join(dir, entry.name);
    const { isDirectory, size } = await kindOf(path.join(cluster, name));
    if (isDirectory === undefined || LEFT_OUT.has(name) || PASSING.test(name) || name === CONTROL_FILE)
      continue;
    if (dir === 'pg_tblspc') {
      throw new SetupError(
        'The database uses tablespaces outside its directory. Move their tables back to pg_default, or back it up with Postgres tools.',
      );
    }
    if (!isDirectory) {
      if (dir === LOG_DIR) continue;
      listing.files.push(name);
      listing.bytes += size;
      continue;
    }
    listing.directories.push(name);
    if (!EMPTIED.has(name)) await walk(cluster, name, listing);
  }
}

/** Follows links: the log may be on a separate disk. */
async function kindOf(file: string): Promise<{ isDirectory: boolean | undefined; size: number }> {
  try {
    const found = await stat(file);
    return { isDirectory: found.isDirectory(), size: found.size };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { isDirectory: undefined, size: 0 };
    throw error;
  }
}

/**
 * Names of the segments of the log from one to another, both included.
 * @param segmentBytes size of a segment
 * @throws Error when they belong to different timelines
 */
export function segmentsBetween(first: string, last: string, segmentBytes: number): string[] {
  const timeline = first.slice(0, 8);
  if (last.slice(0, 8) !== timeline) throw new Error(`the log went from ${first} to ${last}`);
  const inLog = 2 ** 32 / segmentBytes;
  const numberOf = (name: string) =>
    Number.parseInt(name.slice(8, 16), 16) * inLog + Number.parseInt(name.slice(16), 16);
  const hex = (part: number) => part.toString(16).toUpperCase().padStart(8, '0');
  const names: string[] = [];
  for (let number = numberOf(first); number <= numberOf(last); number += 1) {
    names.push(timeline + hex(Math.floor(number / inLog)) + hex(number % inLog));
  }
  return names;
}
