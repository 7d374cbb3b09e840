import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { Knex } from 'knex';
import { SetupError } from '../base/errors.js';
import type { Config } from '../config/table.js';
import { runStatement } from '../db/pool.js';

export interface Secrets {
  jwtSecret: string;
  keySecret: string;
}

type Given = Pick<Config, 'dataDir' | 'jwtSecret' | 'keySecret'>;

const SECRET_BYTES = 32;
/** A service and a command that start on new data at the same moment must get the same secrets. */
const SECRETS_LOCK = 0x6c62_7365;

/**
 * The secrets of the settings, or those of the data directory, where they are generated once.
 * @throws SetupError when API keys exist that were made with another KEY_SECRET: all of them would become void
 * unnoticed
 */
export function openSecrets(config: Given, db: Knex): Promise<Secrets> {
  const jwtFile = path.join(config.dataDir, 'jwt-secret');
  const keyFile = path.join(config.dataDir, 'key-secret');
  return db.transaction(async (trx) => {
    await runStatement(trx, 'select pg_advisory_xact_lock(?)', [SECRETS_LOCK]);
    const stored = readText(keyFile);
    if (config.keySecret !== undefined && stored !== undefined && config.keySecret !== stored) {
      throw new SetupError(
        `KEY_SECRET differs from the one in ${keyFile} that the stored API keys were created with. Unset it, or ` +
          `delete that file to invalidate all keys.`,
      );
    }
    if (config.keySecret === undefined && stored === undefined && (await trx('api_keys').first('id'))) {
      throw new SetupError(
        `The stored API keys were created with a KEY_SECRET that is neither set nor in ${keyFile}. Set KEY_SECRET to that value.`,
      );
    }
    return {
      jwtSecret: config.jwtSecret ?? readText(jwtFile) ?? generated(jwtFile),
      keySecret: config.keySecret ?? stored ?? generated(keyFile),
    };
  });
}

function generated(file: string): string {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  keepSecret(file, secret);
  return secret;
}

/** The text of a file, trimmed; undefined when there is none. */
export function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes a secret that only this user may read. The file is written completely and durably, or not at all. */
export function keepSecret(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  const fd = openSync(draft, 'w', 0o600);
  try {
    writeSync(fd, `${text}\n`);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(draft, file);
}
