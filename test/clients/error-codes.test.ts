import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { scenarios } from '../../clients/conformance/scenario.js';
import { statusOf } from '../../src/base/errors.js';

// Behaviour with each code is the scenario `error-codes`, which every client passes. Here: the names that games write.

const ROOT = path.resolve(__dirname, '../..');
const CODES = Object.keys(statusOf);
/** Codes of the clients themselves; a client lacks the one for which its language has a way of its own. */
const OWN = ['NETWORK', 'TIMEOUT', 'NOT_THE_SERVICE', 'CANCELLED', 'CLOSED', 'QUEUE_FULL', 'STORAGE'];

const without = (...names: string[]) => [...OWN, ...CODES].filter((name) => !names.includes(name)).sort();

test('the scenario of error codes has every code of the service with its status', () => {
  const { steps } = scenarios().find(({ name }) => name === 'error-codes')!;
  const [refusals] = steps.flatMap((step) => ('refusals' in step ? [step.refusals] : []));
  expect(refusals!.codes).toEqual(statusOf);
});

test('the error type of TypeScript has exactly the codes of the service and its own', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'leaderboard-codes-'));
  const declarations = path.join(ROOT, 'clients/typescript/dist/client.js');
  // A missing code and one too many are errors of the compiler.
  const record = without().map((code) => `${code}: true`);
  writeFileSync(
    path.join(folder, 'codes.ts'),
    `import type { ErrorCode } from '${declarations}';
export const codes: Record<ErrorCode, true> = { ${record.join(', ')} };`,
  );
  const flags = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--module', 'nodenext'];
  execFileSync(path.join(ROOT, 'node_modules/.bin/tsc'), [...flags, 'codes.ts'], { cwd: folder });
  rmSync(folder, { recursive: true });
});

test.each([
  ['C#', 'csharp/Runtime/ErrorCodes.cs', /const string (\w+) = "(\w+)"/g, ['CANCELLED']],
  ['Lua', 'lua/leaderboard/codes.lua', /^ {2}(\w+) = "(\w+)"/gm, ['CLOSED']],
  ['GDScript', 'godot/addons/leaderboard_client/codes.gd', /^const (\w+) := "(\w+)"/gm, ['CLOSED']],
])('%s has a constant for each code', (language, file, pattern, lacking) => {
  const source = readFileSync(path.join(ROOT, 'clients', file), 'utf8');
  const constants = [...source.matchAll(pattern)].map(([, name, code]) => ({ name: name!, code: code! }));
  expect(constants.map(({ code }) => code).sort()).toEqual(without(...lacking));
  const pascal = (code: string) =>
    code.toLowerCase().replace(/(?:^|_)(\w)/g, (_all, letter) => letter.toUpperCase());
  for (const { name, code } of constants) expect(name).toBe(language === 'C#' ? pascal(code) : code);
});
