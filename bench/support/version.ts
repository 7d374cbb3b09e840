import { existsSync } from 'node:fs';
import path from 'node:path';
import { Nonces } from '../../src/players/sessions/nonce.js';
import { Tokens } from '../../src/players/sessions/tokens.js';
import { makeNewcomers, openHttpData, readSeats } from './http-data.js';
import { openScratch } from './scratch.js';
import { startService } from './service-process.js';

/** Everything requests and data need from one version of the service: schema, credentials, start. */
export interface Version {
  Tokens: typeof Tokens;
  Nonces: typeof Nonces;
  openScratch: typeof openScratch;
  openHttpData: typeof openHttpData;
  readSeats: typeof readSeats;
  makeNewcomers: typeof makeNewcomers;
  startService: typeof startService;
}

export const thisVersion: Version = {
  Tokens,
  Nonces,
  openScratch,
  openHttpData,
  readSeats,
  makeNewcomers,
  startService,
};

/** Compiled modules in dist/, with their paths in earlier versions of November 2026. */
const PLACES: Record<keyof Version, string[]> = {
  Tokens: ['src/players/sessions/tokens.js', 'src/players/tokens.js'],
  Nonces: ['src/players/sessions/nonce.js', 'src/players/nonce.js'],
  openScratch: ['bench/support/scratch.js'],
  openHttpData: ['bench/support/http-data.js'],
  readSeats: ['bench/support/http-data.js'],
  makeNewcomers: ['bench/support/http-data.js'],
  startService: ['bench/support/service-process.js'],
};

/**
 * The version of a checkout that is installed and compiled. Cases, generators and measurement are those of this
 * one.
 * @throws Error if the checkout is not compiled, or its version is unknown
 */
export function versionOf(root: string): Version {
  return partsOf<Version>(root, PLACES);
}

/**
 * Parts of a compiled checkout by their names, from the first place that is there: a file, with the name that a part
 * has in it where that is another.
 */
export function partsOf<T extends object>(root: string, places: Record<keyof T & string, string[]>): T {
  const parts = Object.entries<string[]>(places).map(([name, all]) => {
    const found = all
      .map((place) => place.split(' ') as [string, string?])
      .find(([file]) => existsSync(path.join(root, 'dist', file)));
    if (found === undefined) throw new Error(`${root} has no compiled ${all.join(' or ')}`);
    return [name, (require(path.join(root, 'dist', found[0])) as Record<string, unknown>)[found[1] ?? name]];
  });
  return Object.fromEntries(parts) as T;
}
