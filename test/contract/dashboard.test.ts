import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');
const OPTIONS = [
  '--ignoreConfig',
  '--noEmit',
  '--strict',
  '--skipLibCheck',
  '--module',
  'esnext',
  '--target',
  'es2022',
];

/** Grafana's schema is published as types: texts of enumerations are written as such in the file. */
const HEAD = `import type { Dashboard } from '@grafana/schema';
type Plain<T> = T extends string ? \`\${T}\` : T extends readonly (infer I)[] ? Plain<I>[]
  : T extends object ? { [K in keyof T]: Plain<T[K]> } : T;
export const dashboard: Plain<Dashboard> = `;

function faultsOf(dashboard: string): string {
  // Below the packages, where the compiler finds the types.
  mkdirSync(path.join(ROOT, 'node_modules/.cache'), { recursive: true });
  const dir = mkdtempSync(path.join(ROOT, 'node_modules/.cache/dashboard-'));
  try {
    const file = path.join(dir, 'dashboard.ts');
    writeFileSync(file, `${HEAD}${dashboard};\n`);
    const program = path.join(ROOT, 'node_modules/.bin/tsc');
    return spawnSync(program, [...OPTIONS, '--moduleResolution', 'bundler', '--types', '', file], {
      encoding: 'utf8',
    }).stdout;
  } finally {
    rmSync(dir, { recursive: true });
  }
}

test("the dashboard keeps to Grafana's schema", () => {
  const dashboard = readFileSync(path.join(ROOT, 'deploy/grafana/leaderboard.json'), 'utf8');
  expect(faultsOf(dashboard)).toBe('');
  const wrong = dashboard.replace('"fieldConfig"', '"fieldConfiguration"');
  expect(faultsOf(wrong)).toMatch(/fieldConfiguration/);
});
