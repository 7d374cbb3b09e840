import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');

/** Folders that the service reads when it runs, beside its compiled code. */
const READ = ['migrations', 'schema', 'web/docs'];

test('everything that is read when it runs is packed', () => {
  const printed = execFileSync('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ files }] = JSON.parse(printed) as [{ files: { path: string }[] }];
  const packed = new Set(files.map((file) => file.path));
  const needed = READ.flatMap((dir) => readdirSync(path.join(ROOT, dir)).map((name) => `${dir}/${name}`));
  expect(needed.length).toBeGreaterThan(20);
  expect(needed.filter((file) => !packed.has(file))).toEqual([]);
  // Only for work on the code.
  expect([...packed].filter((file) => /^(test|bench|dist\/bench)\//.test(file))).toEqual([]);
});
