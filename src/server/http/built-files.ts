import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Context } from 'koa';

// In order of preference.
const TWINS = [
  { encoding: 'br', suffix: '.br' },
  { encoding: 'gzip', suffix: '.gz' },
];

const COMPRESSED = /\.(js|css|json)$/;

/** For files with a hash of the content in their name. */
export const FOR_EVER = 'public, max-age=31536000, immutable';

/** The headers of a page of the build and its files. */
export function builtHeaders(contentSecurityPolicy: string, cacheControl: string): Record<string, string> {
  return {
    'cache-control': cacheControl,
    'content-security-policy': contentSecurityPolicy,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
}

/**
 * Responds with a file of the build, or with its precompressed twin; large files have no other.
 * @param headers set if the file exists
 * @returns false if the file does not exist
 */
export async function sendBuilt(
  ctx: Context,
  file: string,
  headers: Record<string, string>,
): Promise<boolean> {
  const twins = COMPRESSED.test(file) ? TWINS.filter(({ encoding }) => ctx.acceptsEncodings(encoding)) : [];
  for (const { encoding, suffix } of [...twins, { encoding: '', suffix: '' }]) {
    const content = encoding ? await readIfThere(file + suffix) : await plainOf(file);
    if (!content) continue;
    ctx.set(headers);
    ctx.vary('accept-encoding');
    if (encoding) ctx.set('content-encoding', encoding);
    ctx.type = extname(file);
    ctx.body = content;
    return true;
  }
  return false;
}

/** The file itself, which hardly any client asks for where only its twin is kept. */
async function plainOf(file: string): Promise<Buffer | undefined> {
  const plain = await readIfThere(file);
  if (plain || !COMPRESSED.test(file)) return plain;
  const twin = await readIfThere(`${file}.gz`);
  return twin && promisify(gunzip)(twin);
}

/**
 * Reads the whole file (at most 3 MB): with a stream, a visitor who leaves early would be reported as a server error.
 */
async function readIfThere(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw fault;
  }
}
