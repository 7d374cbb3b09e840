import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { SCRATCH } from '../support/scratch.js';

const ROOT = path.resolve(__dirname, '../..');

/** Runs the build's own step on one operation. */
function generate(operation: string): { status: number | null; output: string } {
  const place = mkdtempSync(path.join(SCRATCH, `leaderboard-test-${process.pid}-`));
  const web = path.join(place, 'web/console');
  mkdirSync(web, { recursive: true });
  mkdirSync(path.join(place, 'schema'));
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(place, 'node_modules'));
  copyFileSync(path.join(ROOT, 'web/console/codegen.mjs'), path.join(web, 'codegen.mjs'));
  copyFileSync(path.join(ROOT, 'schema/schema.graphql'), path.join(place, 'schema/schema.graphql'));
  writeFileSync(path.join(web, 'screen.ts'), `export const Text = graphql(\`${operation}\`);\n`);
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(web, 'codegen.mjs')], {
    encoding: 'utf8',
  });
  rmSync(place, { recursive: true });
  return { status, output: stdout + stderr };
}

test('an operation of the console that the schema no longer has fails the build', () => {
  const drifted = generate('query A($id: ID!) { board(by: { id: $id }) { histogram } }');
  expect(drifted.status).toBe(1);
  expect(drifted.output).toContain('Cannot query field "histogram" on type "Board"');
  const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  expect(scripts['build:web']).toMatch(/npm run codegen && vite build --config web\/console/);
  expect(scripts.build).toContain('npm run build:web');
  expect(scripts.typecheck).toMatch(/npm run codegen && tsc --noEmit -p web\/console/);
});

test('operations are texts in the code of the console, each with its screen', () => {
  const assets = path.join(ROOT, 'dist/console/assets');
  const chunks = readdirSync(assets).filter((name) => name.endsWith('.js'));
  const texts = chunks.map((name) => readFileSync(path.join(assets, name), 'utf8'));
  expect(texts.filter((text) => text.includes('query LiveBoards'))).toHaveLength(1);
  expect(texts.filter((text) => /kind:\W?Document\W?,definitions:\[\{kind/.test(text))).toEqual([]);
});

test('the first view of the console is at most 150 kB compressed, in few files', () => {
  const dist = path.join(ROOT, 'dist/console');
  const page = readFileSync(path.join(dist, 'index.html'), 'utf8');
  const waiting = [...page.matchAll(/(?:src|href)="[^"]*(assets\/[^"]+\.(?:js|css))"/g)].map(
    ([, file]) => file!,
  );
  const files = new Set<string>();
  for (const file of waiting) {
    if (files.has(file)) continue;
    files.add(file);
    const text = readFileSync(path.join(dist, file), 'utf8');
    for (const [, name] of text.matchAll(/(?:\bfrom|\bimport)\s*"\.\/([^"]+\.js)"/g))
      waiting.push(`assets/${name}`);
  }
  let bytes = gzipSync(page, { level: 9 }).length;
  for (const file of files) bytes += gzipSync(readFileSync(path.join(dist, file)), { level: 9 }).length;
  expect(files.size).toBeGreaterThan(2);
  expect(files.size).toBeLessThan(7);
  expect(bytes).toBeLessThan(150_000);
});
