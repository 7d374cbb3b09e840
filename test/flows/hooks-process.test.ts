import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Knex } from 'knex';
import { cloneDatabase, type TestDatabase } from '../support/database.js';
import { Caller, type Data } from '../support/http.js';
import {
  DataDir,
  type Program,
  runProgram,
  settingsOn,
  startService,
  superadminOf,
} from '../support/process.js';
import { until } from '../support/wait.js';

// Modules as a deployment has them, in processes of their own.

const ROOT = path.resolve(__dirname, '../..');
let clone: TestDatabase;
let db: Knex;
let dir: DataDir;
const programs: Program[] = [];

beforeAll(async () => {
  clone = await cloneDatabase();
  db = clone.open().knex;
  dir = new DataDir();
  mkdirSync(dir.path);
});
afterEach(async () => {
  await Promise.all(programs.splice(0).map((program) => program.running && program.kill('SIGKILL')));
});
afterAll(async () => {
  await dir.remove();
  await clone.drop();
});

async function start(
  hooks: string,
  more: Record<string, string> = {},
): Promise<{ program: Program; superadmin: Caller; url: string }> {
  const { program, url } = await startService({
    ...settingsOn(clone, dir),
    HOOKS_MODULE: hooks,
    LOG_LEVEL: 'warn',
    ...more,
  });
  programs.push(program);
  return { program, url, superadmin: superadminOf(url) };
}

async function created(answer: Promise<{ status: number; body: Data }>): Promise<Data> {
  const { status, body } = await answer;
  expect([status, body]).toEqual([201, body]);
  return body;
}

function file(name: string, text: string): string {
  const full = path.join(dir.root, name);
  mkdirSync(path.dirname(full), { recursive: true });
  writeFileSync(full, text);
  return full;
}

test('a module is a path or a package, ES or CommonJS, by name or by default; anything else is refused with a sentence', async () => {
  const game = 'preCreateGame() {}';
  const modules: [name: string, text: string, said: string | RegExp][] = [
    ['named.mjs', `export function ${game} export const jobs = { a() {} }`, 'jobs preCreateGame'],
    ['awaiting.mjs', `await null; export const postCreateScore = async () => {}`, 'postCreateScore'],
    ['default.mjs', `export default { ${game} }`, 'preCreateGame'],
    ['plain.cjs', `exports.preCreateGame = () => {}; exports.setUp = () => {}`, 'preCreateGame setUp'],
    ['object.cjs', `module.exports = { ${game} }`, 'preCreateGame'],
    ['computed.cjs', `module.exports = Object.fromEntries([['rateLimit', () => {}]])`, 'rateLimit'],
    [
      'compiled.cjs',
      `Object.defineProperty(exports, '__esModule', { value: true }); exports.default = { ${game} }`,
      'preCreateGame',
    ],
    [
      'misspelt.mjs',
      `export function preCreateGames() {}`,
      /exports preCreateGames, which is not a hook\. .*preCreateGame,/,
    ],
    ['number.mjs', `export const rateLimit = 100`, /exports rateLimit, which must be a function\.$/],
    ['nothing.mjs', ``, /exports no hooks\. Export one or more of setUp, preCreateGame/],
    [
      'jobs.mjs',
      `export const jobs = { 'no name': () => {}, mail: 1 }`,
      /"no name"[^\n]*\n[^\n]*job mail that is not a function\.$/,
    ],
    ['list.mjs', `export const jobs = []`, /jobs, which must be an object of functions\.$/],
    [
      'both.mjs',
      `export function ${game} export default { rateLimit() {} }`,
      /exports preCreateGame as well as a default/,
    ],
    ['broken.mjs', `export const =`, /failed to load \(.*\)\. Fix the module, or unset HOOKS_MODULE\.$/],
    ['throws.cjs', `throw new Error('no configuration')`, /failed to load \(no configuration\)/],
  ];
  for (const [name, text] of modules) file(name, text);
  file('node_modules/our-hooks/package.json', '{"name": "our-hooks", "exports": {"import": "./index.mjs"}}');
  file('node_modules/our-hooks/index.mjs', `export function ${game}`);
  file('node_modules/common-hooks/index.js', `exports.rateLimit = () => {}`);
  const more: [string, string | RegExp][] = [
    ['common-hooks', 'rateLimit'],
    ['no-such-hooks', /^HOOKS_MODULE no-such-hooks failed to load/],
    [
      './no-such.mjs',
      /^HOOKS_MODULE is \.\/no-such\.mjs, but the file .*no-such\.mjs does not exist\. Correct the path, or unset it\.$/,
    ],
    [path.join(ROOT, 'examples/quota.mjs'), 'jobs preCreateScore setUp'],
  ];
  const names = [...modules.map(([name], i) => (i % 2 ? name : `./${name}`)), ...more.map(([name]) => name)];
  const program = await runProgram('test/support/hooks/load-all.ts', {
    MODULES: JSON.stringify(names),
    FROM: dir.root,
  });
  expect(program.stderr).toBe('');
  const said: string[] = JSON.parse(program.stdout);
  const expected = [...modules.map(([, , said]) => said), ...more.map(([, said]) => said)];
  expect(names.map((name, i) => [name, said[i]])).toEqual(
    names.map((name, i) => {
      const wanted = expected[i]!;
      return [name, typeof wanted === 'string' ? wanted : expect.stringMatching(wanted)];
    }),
  );
});

test('a module that cannot be used stops the start before a database is made', async () => {
  const settings = { DATA_DIR: path.join(dir.root, 'unmade'), HOST: '127.0.0.1', PORT: '0' };
  const bad = await runProgram('src/main.ts', {
    ...settings,
    HOOKS_MODULE: file('bad.mjs', 'export const onStart = 1'),
  });
  expect([bad.code, bad.stdout]).toEqual([1, '']);
  expect(bad.stderr).toMatch(/^HOOKS_MODULE \S+bad\.mjs exports onStart, which is not a hook\. [^\n]+\.\n$/);
  const failing = file('failing.mjs', `export const setUp = ({ query }) => query('select from nowhere')`);
  const failed = await runProgram('src/main.ts', {
    ...settingsOn(clone, dir),
    ...settings,
    LOG_LEVEL: 'fatal',
    HOOKS_MODULE: failing,
  });
  expect(failed.code).toBe(1);
  expect(failed.stderr).toMatch(
    /^setUp of HOOKS_MODULE failed \(relation "nowhere" does not exist\)\. .*\n$/,
  );
});

test('two services with the example module accept exactly 100 scores of a player in a day', async () => {
  const quota = path.join(ROOT, 'examples/quota.mjs');
  const [first, second] = await Promise.all([start(quota), start(quota, { WORKERS: '2' })]);
  const { id: account_id } = await created(first.superadmin.post('/v1/accounts', { name: 'Quota' }));
  const owned = { account_id, anti_cheat_enabled: false };
  const { id: game_id } = await created(first.superadmin.post('/v1/games', { ...owned, name: 'Quota' }));
  const { id: board_id } = await created(
    first.superadmin.post('/v1/boards', { account_id, game_id, name: 'Quota', keep_strategy: 'all' }),
  );
  const session = { game_id, client_fingerprint: 'quota' };
  const { access_token: token } = await created(new Caller(first.url).post('/v1/client/sessions', session));
  const submit = async (n: number) => {
    const client = new Caller([first, second][n % 2]!.url, { authorization: `Bearer ${token}` });
    const { body: nonce } = await client.get('/v1/client/nonce');
    const sending = client.with({ 'service-client-nonce': nonce.nonce_value });
    return sending.post('/v1/client/scores', { board_id, player_name: 'Ann', value: n });
  };
  const answers: Awaited<ReturnType<typeof submit>>[] = [];
  for (let n = 0; n < 120; n += 20) {
    answers.push(...(await Promise.all(Array.from({ length: 20 }, (_, i) => submit(n + i)))));
  }
  const refused = answers.filter(({ status }) => status !== 201);
  expect([answers.length - refused.length, refused.length]).toEqual([100, 20]);
  for (const { status, headers, body } of refused) {
    expect([status, body.code]).toEqual([429, 'RATE_LIMITED']);
    const seconds = Number(headers.get('retry-after'));
    expect(seconds > 0 && seconds <= 86_400).toBe(true);
  }
  expect(refused[0]!.body.error).toContain('all 100 scores');
  // Test scores are free, and yesterday's count is another one.
  await db('quota.days').update({ day: db.raw(`day - 1`) });
  expect((await submit(1)).status).toBe(201);
  expect(await db('quota.days').where('used', 1)).toHaveLength(1);
  for (const { program } of [first, second]) {
    expect(await program.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(program.stderr).toBe('');
  }
});

const JOURNAL = `
import { setTimeout as delay } from 'node:timers/promises';
export async function setUp({ query }) {
  await query('select pg_advisory_xact_lock(77); create table if not exists journal (pid integer, what text)');
}
export async function postCreateGame({ name }, _caller, { schedule }) {
  await schedule('write', { name });
}
export const jobs = {
  async write({ name }, { query, signal }) {
    const [{ count }] = await query('select count(*) from journal');
    await query('insert into journal values ($1, $2)', [process.pid, name]);
    // The first one never comes to its end.
    if (count === 0) await delay(600_000, undefined, { signal });
  },
};
`;

test('scheduled work survives the process that had it in hand', async () => {
  const module = file('journal.mjs', JOURNAL);
  const first = await start(module);
  const { id: account_id } = await created(first.superadmin.post('/v1/accounts', { name: 'Journal' }));
  await created(first.superadmin.post('/v1/games', { account_id, name: 'Survivor' }));
  const rows = () => db('journal').select('*');
  await until(async () => (await rows()).length >= 1);
  expect(await first.program.kill('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
  await start(module);
  await until(async () => (await rows()).length >= 2, 50);
  const [one, two] = await rows();
  expect([one.what, two.what]).toEqual(['Survivor', 'Survivor']);
  expect(one.pid).not.toBe(two.pid);
  const left = `select from graphile_worker.jobs where task_identifier = 'hook-write'`;
  await until(async () => (await db.raw(left)).rows.length === 0);
});
