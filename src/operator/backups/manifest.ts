import { createReadStream } from 'node:fs';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { SetupError } from '../../base/errors.js';

/** Facts about a backup. It is written last: a folder without it is no backup. */
export const FACTS_FILE = 'backup.json';
/** A line for each file, as `sha256sum --check` reads it. */
export const SUMS_FILE = 'SHA256SUMS';

const FORMAT = 1;

const facts = z.object({
  format: z.literal(FORMAT),
  /** Of the service that made the backup. */
  version: z.string(),
  postgres: z.number().int(),
  system_identifier: z.string(),
  begun_at: z.string(),
  finished_at: z.string(),
  begin_lsn: z.string(),
  end_lsn: z.string(),
  files: z.number().int(),
  bytes: z.number().int(),
  /** Of the list of files, which thereby is checked, too. */
  sums_sha256: z.string(),
  /** Of the cluster, relative: a store of files alone would lose the empty ones. */
  directories: z.array(z.string()),
});

export type BackupFacts = z.infer<typeof facts>;

export function factsText(given: Omit<BackupFacts, 'format'>): string {
  return `${JSON.stringify({ format: FORMAT, ...given }, null, 2)}\n`;
}

/** @throws SetupError when the folder is no complete backup, or one of another format */
export async function readBackupFacts(backup: string): Promise<BackupFacts> {
  let text: string;
  try {
    text = await readFile(path.join(backup, FACTS_FILE), 'utf8');
  } catch (error) {
    throw new SetupError(
      `${backup} is not a complete backup (${(error as Error).message}). Choose a folder created by "leaderboard backup".`,
    );
  }
  try {
    const read = facts.parse(JSON.parse(text));
    if (read.directories.every(isInside)) return read;
  } catch {
    // as below
  }
  throw new SetupError(
    `${path.join(backup, FACTS_FILE)} cannot be read by this version. Restore the backup with the version that created it.`,
  );
}

/** The list of files while a backup is made. */
export class SumsWriter {
  files = 0;
  bytes = 0;
  readonly #file: Promise<FileHandle>;

  constructor(file: string) {
    this.#file = open(file, 'wx', 0o600);
    this.#file.catch(() => undefined);
  }

  async add(name: string, { bytes, sha256 }: { bytes: number; sha256: string }): Promise<void> {
    this.files += 1;
    this.bytes += bytes;
    await (await this.#file).write(`${sha256}  ${name}\n`);
  }

  async close(): Promise<void> {
    const file = await this.#file;
    await file.sync().finally(() => file.close());
  }
}

/** The files of a backup. @throws SetupError when a line is none of ours */
export async function* readSums(file: string): AsyncGenerator<{ name: string; sha256: string }> {
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    const [, sha256, name] = /^([0-9a-f]{64}) {2}(.+)$/.exec(line) ?? [];
    if (sha256 === undefined || name === undefined || !isInside(name)) {
      throw new SetupError(`${file} contains an unexpected line: ${line.slice(0, 100)}.`);
    }
    yield { name, sha256 };
  }
}

function isInside(name: string): boolean {
  return !path.posix.isAbsolute(name) && !name.includes('\\') && !name.split('/').includes('..');
}
