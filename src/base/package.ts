import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Returns the directory of package.json: above both the compiled code and the sources. */
function findRoot(): string {
  let dir = __dirname;
  while (!existsSync(path.join(dir, 'package.json')) && path.dirname(dir) !== dir) dir = path.dirname(dir);
  return dir;
}

export const packageRoot = findRoot();

const manifest = JSON.parse(readFileSync(path.join(packageRoot, 'package.json'), 'utf8'));

export const packageVersion: string = manifest.version;

/** The publisher of the release; undefined while package.json has placeholders (`tools/release.mjs`). */
export function packageContact(): { name: string; url: string; email: string } | undefined {
  const { author, repository } = manifest;
  const contact = {
    name: author.name,
    url: repository.url.replace(/^git\+|\.git$/g, ''),
    email: author.email,
  };
  return /OWNER|CONTACT@example/.test(JSON.stringify(contact)) ? undefined : contact;
}

/** Version of the library whose schema holds the job queue. */
export const queueVersion: string = manifest.dependencies['graphile-worker'];

/** Directory of the numbered SQL files. */
export const migrationsDir = path.join(packageRoot, 'migrations');
