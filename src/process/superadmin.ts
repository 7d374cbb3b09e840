import 'reflect-metadata';
import { existsSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { KeyAuthenticator } from '../accounts/authenticate.js';
import { bootstrap } from '../accounts/bootstrap.js';
import { generateKey } from '../accounts/key-text.js';
import { systemClock } from '../clock.js';
import type { Config } from '../config.js';
import type { Database, Queryable } from '../db/pool.js';
import type { Log } from '../log.js';
import { keepSecret, readText } from './files.js';
import type { Secrets } from './secrets.js';

/** Where people find the superadmin's key. */
export interface SuperadminKey {
  /** The file it is kept in; undefined: it is in none. */
  file: string | undefined;
  /** The key itself, when it was generated just now. */
  generated: string | undefined;
}

type Settings = Pick<Config, 'dataDir' | 'keyPrefix' | 'superadminApiKey' | 'superadminEmail'> & Secrets;

/**
 * Makes the superadmin when there is none. A generated key is in a file before it is in the database, so that a kill in
 * between loses nothing: it waits as a draft until it is known to be the one.
 * @throws SetupError when SUPERADMIN_API_KEY is not fit for a key
 */
export async function openSuperadmin(
  { knex, pool }: Database,
  settings: Settings,
  log: Log,
): Promise<SuperadminKey> {
  const { superadminApiKey, superadminEmail: email, keyPrefix, keySecret, dataDir } = settings;
  const file = path.join(dataDir, 'superadmin-key');
  const draft = `${file}.draft`;
  let generated: string | undefined;
  const superadmin = {
    email,
    /** Asked for only when there is no superadmin, and under the lock of whoever makes one. */
    get key(): string {
      if (superadminApiKey !== undefined) return superadminApiKey;
      generated ??= keepDraft(draft, generateKey(keyPrefix), log);
      return generated;
    },
  };
  await bootstrap(knex, settings, superadmin, new Date(systemClock()));
  const waiting = readText(draft);
  if (waiting !== undefined) {
    if (waiting === generated || (await isKey(pool, keySecret, waiting, log))) renameSync(draft, file);
    else rmSync(draft);
  }
  return { file: existsSync(file) ? file : undefined, generated };
}

/** Where nothing can be written, the key is shown on the console all the same. */
function keepDraft(draft: string, key: string, log: Log): string {
  try {
    keepSecret(draft, key);
  } catch (error) {
    log.warn({ err: error }, 'the key of the superadmin cannot be kept in the data directory');
  }
  return key;
}

/** Whether the draft of a start that was killed had become the key. */
async function isKey(pool: Queryable, keySecret: string, key: string, log: Log): Promise<boolean> {
  const authenticator = new KeyAuthenticator(pool, systemClock, log, keySecret);
  try {
    return (await authenticator.authenticate(key)).superAdmin;
  } catch {
    return false;
  } finally {
    await authenticator.close();
  }
}
