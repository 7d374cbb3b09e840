import 'reflect-metadata';
import { renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { generateKey } from '../accounts/keys/api-key.js';
import { bootstrap, SHORTEST_KEY } from '../accounts/keys/bootstrap.js';
import { isSuperadminKey } from '../accounts/keys/superadmin-key.js';
import { systemClock } from '../base/clock.js';
import type { Log } from '../base/log.js';
import type { Config } from '../config/table.js';
import type { Database } from '../db/pool.js';
import { keepSecret, readText, type Secrets } from './secrets.js';

/** Location of the superadmin's key. */
export interface SuperadminKey {
  /** The file that holds it; undefined: none. */
  file: string | undefined;
  /** The key, if it was generated just now. */
  generated: string | undefined;
  /**
   * State of SUPERADMIN_API_KEY: `works` as a superadmin's key, or unused, since there is another; undefined: not set.
   */
  given: 'works' | 'unused' | undefined;
}

type Settings = Pick<Config, 'dataDir' | 'keyPrefix' | 'superadminApiKey' | 'superadminEmail'> & Secrets;

/**
 * Creates the superadmin if no superadmin has a key. A generated key is written to a file before the database, so that
 * a kill in between loses nothing: it stays a draft until it is known to be the stored one.
 * @throws SetupError when SUPERADMIN_API_KEY is not fit for a key
 */
export async function openSuperadmin(
  { knex }: Database,
  settings: Settings,
  log: Log,
): Promise<SuperadminKey> {
  const { superadminApiKey, superadminEmail: email, keyPrefix, keySecret, dataDir } = settings;
  const file = path.join(dataDir, 'superadmin-key');
  const draft = `${file}.draft`;
  let generated: string | undefined;
  const superadmin = {
    email,
    /** Called only if there is no superadmin's key, under the lock of the process that makes one. */
    get key(): string {
      if (superadminApiKey !== undefined) return superadminApiKey;
      generated ??= keepDraft(draft, generateKey(keyPrefix), log);
      return generated;
    },
  };
  await bootstrap(knex, settings, superadmin, new Date(systemClock()));
  const works = (key: string) => isSuperadminKey(knex, keySecret, key);
  const waiting = readText(draft);
  if (waiting !== undefined) {
    if (waiting === generated || (await works(waiting))) renameSync(draft, file);
    else rmSync(draft);
  }
  const stored = readText(file);
  const given =
    superadminApiKey === undefined ? undefined : (await works(superadminApiKey)) ? 'works' : 'unused';
  if (superadminApiKey !== undefined) warnOfShort(superadminApiKey, given === 'works', log);
  return { file: stored !== undefined && (await works(stored)) ? file : undefined, generated, given };
}

/** Installations older than this minimum length still start. */
function warnOfShort(key: string, works: boolean, log: Log): void {
  if (key.length >= SHORTEST_KEY) return;
  const advice = works
    ? 'use it to create another key, then revoke it and unset the variable'
    : 'unset the variable';
  log.warn(
    `SUPERADMIN_API_KEY is shorter than ${SHORTEST_KEY} characters, and the first 14 of them are public: ${advice}`,
  );
}

/** If no file can be written, the key is still shown on the console. */
function keepDraft(draft: string, key: string, log: Log): string {
  try {
    keepSecret(draft, key);
  } catch (error) {
    log.warn({ err: error }, 'failed to store the superadmin key in the data directory');
  }
  return key;
}
