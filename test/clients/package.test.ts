import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const PACKAGE = path.resolve(__dirname, '../../clients/typescript');

test('compressed, the client has at most 8 kB for submissions and reads, 12 kB with live boards', () => {
  const printed = execFileSync('node', [path.join(PACKAGE, 'size.mjs')], { encoding: 'utf8' });
  const sizes = JSON.parse(printed) as Record<string, number>;
  expect(sizes['submit and read']).toBeLessThanOrEqual(8_000);
  expect(sizes['and live']).toBeLessThanOrEqual(12_000);
  expect(sizes['and live']).toBeGreaterThan(sizes['submit and read']!);
});

test('the package has every file that it exports, no dependency, and no code of the server', () => {
  const manifest = JSON.parse(readFileSync(path.join(PACKAGE, 'package.json'), 'utf8')) as {
    exports: Record<string, string | Record<string, string>>;
    dependencies?: object;
  };
  const files = Object.values(manifest.exports).flatMap((entry) =>
    typeof entry === 'string' ? [entry] : Object.values(entry),
  );
  expect(files.length).toBeGreaterThan(8);
  expect(files.filter((file) => !existsSync(path.join(PACKAGE, file)))).toEqual([]);
  expect(manifest.dependencies).toBeUndefined();
  const imported = readdirSync(path.join(PACKAGE, 'src'))
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [...readFileSync(path.join(PACKAGE, 'src', file), 'utf8').matchAll(/from '([^']+)'/g)])
    .map(([, name]) => name!);
  const others = new Set(imported.filter((name) => !/^\.\/[\w./-]+$/.test(name)));
  expect([...others].sort()).toEqual(['node:fs/promises', 'node:path', 'react']);
});
