import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { Letter } from './mail.js';

/** Directory of mails that are written to files. */
export function mailFolder(dataDir: string): string {
  return path.join(dataDir, 'mail');
}

/**
 * Writes a mail as an .eml file that only this user may read: it can hold a code. The name is derived from the mail, so
 * that a second try overwrites the file.
 * @returns its path
 */
export function writeMailFile(dataDir: string, { id, kind, date }: Letter, message: Buffer): string {
  const folder = mailFolder(dataDir);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const moment = date.toISOString().replace(/[:.]/g, '-');
  const file = path.join(folder, `${moment}-${kind}-${id.slice(-8)}.eml`);
  const draft = `${file}.${process.pid}.draft`;
  const fd = openSync(draft, 'w', 0o600);
  try {
    writeSync(fd, message);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(draft, file);
  return file;
}
