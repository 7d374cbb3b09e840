import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Knex } from 'knex';
import type { Config } from '../config.js';
import { SetupError } from '../setup-error.js';
import { keepSecret, readText } from './files.js';

export interface Secrets {
  jwtSecret: string;
  keySecret: string;
}

type Given = Pick<Config, 'dataDir' | 'jwtSecret' | 'keySecret'>;

const BYTES = 32;

/**
 * The secrets of the settings, or those kept in the data directory, where they are generated once.
 * @throws SetupError when API keys exist that were made with another KEY_SECRET: all of them would be void unnoticed
 */
export async function openSecrets(config: Given, db: Knex): Promise<Secrets> {
  const { jwtSecret, keySecret, dataDir } = config;
  const file = path.join(dataDir, 'key-secret');
  const kept = readText(file);
  if (keySecret !== undefined && kept !== undefined && keySecret !== kept) {
    throw new SetupError(
      `KEY_SECRET is not the one in ${file}, with which the stored API keys were made: unset it, or delete that file if all of them shall be void.`,
    );
  }
  if (keySecret === undefined && kept === undefined && (await db('api_keys').first('id'))) {
    throw new SetupError(
      `The stored API keys were made with a KEY_SECRET that is neither set nor in ${file}: set it to what it was.`,
    );
  }
  return {
    jwtSecret: jwtSecret ?? generated(path.join(dataDir, 'jwt-secret')),
    keySecret: keySecret ?? kept ?? generated(file),
  };
}

function generated(file: string): string {
  return readText(file) ?? keepSecret(file, randomBytes(BYTES).toString('base64url'));
}
