import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { startApp, type TestApp } from '../support/app.js';
import type { Data } from '../support/http.js';
import { makeGame, makeStudio } from '../support/make.js';

// Commands of guides, line by line in one shell, with the functions of the README's tour.

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const ROOT = path.resolve(__dirname, '../..');
const blocksOf = (file: string): string =>
  [...readFileSync(path.join(ROOT, file), 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    .map(([, block]) => block)
    .join('');

test('the guide to views: every command answers, and the answers are those that it describes', async () => {
  const studio = await makeStudio(app);
  const game = await makeGame(studio);
  const tour = blocksOf('README.md').split('\n');
  const functions = tour.filter((line) => /^(field|admin|session|client|nonce)\(\)/.test(line));
  const script = ['set -eu -o pipefail', ...functions, 'trap "echo" DEBUG', blocksOf('docs/guides/views.md')];
  const env = {
    ...process.env,
    BASE: app.url,
    KEY: studio.admin.headers['service-api-key'],
    ACCOUNT: studio.accountId,
    GAME: game.id,
  };
  const { stdout } = await promisify(execFile)('bash', ['-c', script.join('\n')], { env });
  const answers: Data[] = stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
  expect(answers.filter(({ code }) => code !== undefined)).toEqual([]);
  expect(answers).toHaveLength(21);
  const names = answers.map(({ data }) => data?.map((row: Data) => [row.view, row.player_name, row.value]));
  expect(names[2]).toEqual([
    ['daily', 'Bob', 1500],
    ['daily', 'Ann', 1200],
  ]);
  expect(names[10]).toEqual([['track', 'Ann', 91.5]]);
  expect(names[15]).toEqual([['guild', 'Ann', 700]]);
  expect(names[19]).toEqual([['puzzle', 'Ann', 61]]);
});

test('the tour of the README, run twice, stops at the name that is taken and says so', async () => {
  const lines = blocksOf('README.md').split('\n');
  const functions = lines.filter((line) => /^(field|admin)\(\)/.test(line));
  const studio = lines.filter((line) => /^(ACCOUNT|GAME|BOARD)=/.test(line));
  expect([functions.length, studio.length]).toEqual([2, 3]);
  const script = [...functions, ...studio, 'echo "$ACCOUNT $GAME $BOARD"'].join('\n');
  const env = { ...process.env, BASE: app.url, KEY: app.superadmin.headers['service-api-key'] };
  const tour = () => promisify(execFile)('bash', ['-c', script], { env });
  const first = await tour();
  expect([first.stdout, first.stderr]).toEqual([expect.stringMatching(/^acc_\S+ gam_\S+ brd_\S+\n$/), '']);
  const again = await tour();
  expect(again.stdout.trim()).toBe('');
  expect(again.stderr).toMatch(/^The tour stops here: .*name[^\n]*\n$/);
});
