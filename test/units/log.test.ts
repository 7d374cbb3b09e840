import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { readableLine } from '../../src/base/log.js';

const REQUIRE = path.resolve(__dirname, '../support/ts-require.cjs');
const LOG = path.resolve(__dirname, '../../src/base/log.ts');

/** The output of a shell about a program that writes so many lines and ends at once, with `to` as its redirection. */
async function logged(lines: number, to: string, line = "log.info('Zürich ' + i)"): Promise<string> {
  const program = `const log = require('${LOG}').makeLog('info');
    setTimeout(() => { for (let i = 0; i < ${lines}; i += 1) ${line}; process.exit(7); }, 200);`;
  const { stdout } = await promisify(execFile)('bash', [
    '-c',
    `"$0" -r "$1" -e "$2" ${to}`,
    process.execPath,
    REQUIRE,
    program,
  ]);
  return stdout.trim();
}

test('lines of a process that ends are written, once each, also to a slow reader', async () => {
  expect(await logged(1, '; true')).toMatch(/^\{"level":"info","time":"[^"]+","msg":"Zürich 0"\}$/);
  const messages = await logged(20_000, '| (sleep 0.3; tail -n 1; echo "$?")');
  expect(messages).toMatch(/"msg":"Zürich 19999"\}\n0$/);
  expect(await logged(20_000, '| (sleep 0.3; sort -u | wc -l)')).toBe('20000');
});

test('at a terminal lines are for people: migrations are a count, errors have their stack', () => {
  const at = '2026-11-29T12:00:00.000Z';
  const line = (more: object) => readableLine(JSON.stringify({ level: 'info', time: at, ...more }));
  const time = new Date(at).toTimeString().slice(0, 8);
  expect(
    line({ applied: Array.from({ length: 133 }, (_, n) => `${n}.sql`), msg: 'migrated the schema' }),
  ).toBe(`  ${time}  Migrated the schema (applied: 133)\n`);
  expect(line({ level: 'warn', newer: ['a', 'b'], msg: 'a later release' })).toBe(
    `  ${time}  Warning: a later release (newer: a, b)\n`,
  );
  expect(
    line({ level: 'error', err: { message: 'gone', stack: 'Error: gone\n  at x' }, msg: 'failed' }),
  ).toBe(`  ${time}  Error: failed\n    Error: gone\n      at x\n`);
});

test('lines before a crash are written', async () => {
  const line = await logged(1, '2>/dev/null; true', "{ log.info('Zürich'); throw new Error('a bug'); }");
  expect(JSON.parse(line)).toMatchObject({ msg: 'Zürich' });
});

test('lines for a slow reader are buffered up to a limit', async () => {
  const bytes = Number(await logged(300_000, '| (sleep 0.3; wc -c)'));
  expect(bytes).toBeGreaterThan(4 * 1_024 * 1_024);
  expect(bytes).toBeLessThan(10 * 1_024 * 1_024);
});

test('a process ends though its lines have no reader or the disk is full', async () => {
  expect(await logged(3, '| true; echo "$PIPESTATUS"')).toBe('7');
  expect(await logged(3, '> /dev/full; echo "$?"')).toBe('7');
});

test("Postgres's detail of a refused row is left out", async () => {
  const fault = `Object.assign(new Error('duplicate key'), { code: '23505', detail: 'Key (email)=(ann@example.com)' })`;
  const line = await logged(1, '; true', `log.error({ err: ${fault} }, 'refused')`);
  expect(JSON.parse(line)).toMatchObject({
    msg: 'refused',
    err: { message: 'duplicate key', code: '23505' },
  });
  expect(line).not.toContain('ann@example.com');
});
