import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { Context } from 'koa';

// Preferred first.
const TWINS = [
  { encoding: 'br', suffix: '.br' },
  { encoding: 'gzip', suffix: '.gz' },
];

/** For files whose name carries a hash of their content. */
export const FOR_EVER = 'public, max-age=31536000, immutable';

/**
 * Answers with a file of the build, or with the twin that the build compressed.
 * @param headers are set when the file is there
 * @returns false when the file is not there
 */
export async function sendBuilt(
  ctx: Context,
  file: string,
  headers: Record<string, string>,
): Promise<boolean> {
  const twins = /\.(js|css)$/.test(file)
    ? TWINS.filter(({ encoding }) => ctx.acceptsEncodings(encoding))
    : [];
  for (const { encoding, suffix } of [...twins, { encoding: '', suffix: '' }]) {
    const content = await readIfThere(file + suffix);
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

/** The whole file (at most 3 MB): a visitor who leaves while a stream is sent would be reported as a server error. */
async function readIfThere(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw fault;
  }
}
