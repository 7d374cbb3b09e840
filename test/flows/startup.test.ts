import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:net';
import path from 'node:path';
import pg from 'pg';
import { cloneDatabase } from '../support/database.js';
import { Caller, send } from '../support/http.js';
import {
  acceptedRequest,
  DataDir,
  type Ended,
  PRELOADS,
  type Program,
  runProgram,
  type Start,
  startService,
} from '../support/process.js';
import { TestSocket } from '../support/socket.js';
import { until, within } from '../support/wait.js';

// The whole process, as `npm start` runs it: each start takes seconds.

const SECRET = 'thirty-two-characters-or-more-it-is';

let dataDir: DataDir;
const programs: Program[] = [];
const dirs: DataDir[] = [];

beforeAll(() => {
  dataDir = newDir();
});

afterEach(async () => {
  await Promise.all(programs.splice(0).map((program) => program.running && program.kill('SIGKILL')));
});

afterAll(async () => {
  await Promise.all(dirs.map((dir) => dir.remove()));
});

function newDir(): DataDir {
  const dir = new DataDir();
  dirs.push(dir);
  return dir;
}

/**
 * Uses the package's own scripts, in a separate process group, so that a signal only reaches npm. Its program ends
 * with its input, which ends with the test.
 * @param dir a folder for the package that npm sees
 */
function byNpm(dir: string): Start {
  return (script, env) => {
    const { scripts } = JSON.parse(readFileSync(path.resolve(__dirname, '../../package.json'), 'utf8'));
    const main = path.join(dir, 'dist/src/main.js');
    mkdirSync(path.dirname(main), { recursive: true });
    writeFileSync(path.join(dir, 'package.json'), JSON.stringify({ name: 'as-installed', scripts }));
    writeFileSync(
      main,
      `process.stdin.on('end', () => process.exit(1)).resume().unref();
for (const file of ${JSON.stringify([PRELOADS[0], script])}) require(file);`,
    );
    return spawn('npm', ['start'], {
      cwd: dir,
      env: { ...env, HOME: dir, npm_config_update_notifier: 'false' },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
  };
}

async function start(settings: Record<string, string>, npmDir?: string) {
  const service = await startService(settings, npmDir === undefined ? undefined : byNpm(npmDir));
  programs.push(service.program);
  return service;
}

/** A program that refuses to start. @returns what it says */
async function refusal(settings: Record<string, string>, script = 'src/main.ts'): Promise<string> {
  const { code, stdout, stderr } = await runProgram(script, { HOST: '127.0.0.1', PORT: '0', ...settings });
  expect({ code, output: stdout.replaceAll(/^\{.*\}\n/gm, '') }).toEqual({ code: 1, output: '' });
  expect(stderr).toMatch(/^[^\n]+\.\n$/);
  return stderr.trim();
}

function modeOf(file: string): string {
  return (statSync(file).mode & 0o777).toString(8);
}

async function refusesConnections(url: string): Promise<void> {
  await until(async () => !(await send(url).catch(() => undefined)), 10);
}

const STOPPED: Ended = { code: 0, signal: null };

/** True if neither Postgres' environment nor its log holds foreign secrets. */
async function expectDiscretion(superadmin: Caller, accountId: string) {
  const user = { account_id: accountId, email: 'ann@example.com', display_name: 'Ann' };
  expect((await superadmin.post('/v1/users', user)).status).toBe(201);
  expect((await superadmin.post('/v1/users', user)).status).toBe(409);
  const log = dataDir.read('postgres.log');
  expect(log).toContain('duplicate key value');
  expect(log).not.toMatch(/ann@example|DETAIL|STATEMENT/);
  if (process.platform !== 'linux') return;
  const inherited = readFileSync(`/proc/${dataDir.postgres}/environ`, 'utf8');
  expect(inherited).toContain('LC_ALL=C');
  expect(inherited).not.toMatch(/hidden|DATA_DIR|HOME=/);
}

/** True if the signal, sent to npm alone, ends all that npm has started. */
async function expectToStop({ program, url }: { program: Program; url: string }, signal: NodeJS.Signals) {
  expect([signal, await within(program.kill(signal), `the end by ${signal}`)]).toEqual([signal, STOPPED]);
  await expect(send(url)).rejects.toThrow();
  expect(dataDir.postgres).toBeUndefined();
}

test('the first npm start makes everything, a second one finds it again; a signal to npm stops all of it', async () => {
  const first = await start({ DATA_DIR: dataDir.path, ANY_PASSWORD: 'hidden' }, dataDir.root);
  const key = dataDir.read('superadmin-key');
  expect(key).toMatch(/^svc_[\w-]{43}$/);
  // A log that is kept must not have it: only its file is named.
  expect(first.program.stdout).not.toContain(key);
  expect(first.program.stdout).toContain(dataDir.file('superadmin-key'));
  for (const line of [`${first.url}/graphql`, `${first.url}/explorer`, dataDir.path]) {
    expect(first.program.stdout).toContain(line);
  }
  for (const file of ['superadmin-key', 'jwt-secret', 'key-secret']) {
    expect([file, modeOf(dataDir.file(file))]).toEqual([file, '600']);
  }
  const created = await dataDir.superadmin(first.url).post('/v1/accounts', { name: 'Kept Games' });
  expect(created.status).toBe(201);
  await expectDiscretion(dataDir.superadmin(first.url), created.body.id);
  await expectToStop(first, 'SIGTERM');
  expect(first.program.stderr).toBe('');

  const second = await start({ DATA_DIR: dataDir.path }, dataDir.root);
  expect(second.program.stdout).not.toContain(key);
  expect(second.program.stdout).toContain(dataDir.file('superadmin-key'));
  const found = await dataDir.superadmin(second.url).get(`/v1/accounts/${created.body.id}`);
  expect(found).toMatchObject({ status: 200, body: { name: 'Kept Games' } });
  await expectToStop(second, 'SIGINT');
});

test('a second process on the same data is refused; commands work beside the service', async () => {
  const { program, url } = await start({ DATA_DIR: dataDir.path });
  const here = { DATA_DIR: dataDir.path, LOG_LEVEL: 'warn' };
  const [sentence, migrated, verified] = await Promise.all([
    refusal(here),
    runProgram('src/operator/migrate.ts', here),
    runProgram('src/operator/verify-ranks.ts', here),
  ]);
  expect(sentence).toContain(`in use by another instance of the service`);
  expect([migrated.code, migrated.stderr]).toEqual([0, '']);
  expect([verified.code, verified.stderr]).toEqual([0, '']);
  expect((await send(`${url}/health/ready`)).status).toBe(200);
  expect(await program.kill('SIGTERM')).toEqual(STOPPED);
});

test('at the end, accepted requests are answered and sockets are closed with the reason', async () => {
  const { program, url } = await start({ DATA_DIR: dataDir.path });
  const superadmin = dataDir.superadmin(url);
  const socket = await TestSocket.connect(url);
  const body = JSON.stringify({ name: 'In Time Games' });
  const accepted = await acceptedRequest(url, superadmin, body);

  const ended = program.kill('SIGTERM');
  expect(await socket.closed).toMatchObject({ code: 1012 });
  await refusesConnections(url);
  accepted.end(body);
  const [answer] = (await once(accepted, 'response')) as [IncomingMessage];
  expect(answer.statusCode).toBe(201);
  answer.resume();
  expect(await ended).toEqual(STOPPED);
  expect(dataDir.postgres).toBeUndefined();
});

test('a second signal ends the process at once, and the next start adopts the database', async () => {
  const { program, url } = await start({ DATA_DIR: dataDir.path });
  const accepted = await acceptedRequest(url, dataDir.superadmin(url), '{}');
  void program.kill('SIGTERM');
  await refusesConnections(url);
  await until(() => !program.running || !program.child.kill('SIGTERM'));
  expect(await program.ended).toEqual({ code: 143, signal: null });
  accepted.destroy();
  const left = dataDir.postgres;
  expect(left).toBeDefined();

  const next = await start({ DATA_DIR: dataDir.path });
  expect(dataDir.postgres).toBe(left);
  expect((await dataDir.superadmin(next.url).get('/v1/accounts')).status).toBe(200);
  expect(await next.program.kill('SIGTERM')).toEqual(STOPPED);
  expect(dataDir.postgres).toBeUndefined();
});

test('every fault that stops the start is named in a sentence, before anything is made', async () => {
  const blocker = createServer().listen(0, '127.0.0.1');
  await once(blocker, 'listening');
  const { port } = blocker.address() as { port: number };
  const unmade = newDir();
  const external = { JWT_SECRET: SECRET, KEY_SECRET: SECRET };
  const here = { DATA_DIR: unmade.path };
  const nowhere = 'postgres://someone:hidden@127.0.0.1:1/boards';
  const [taken, foreign, malformed, unreachable, empty] = await Promise.all([
    refusal({ ...here, PORT: String(port) }),
    refusal({ ...here, HOST: '192.0.2.1' }),
    refusal({ ...here, LOG_LEVEL: 'loud' }),
    refusal({ ...here, ...external, DATABASE_URL: nowhere }),
    refusal(here, 'src/operator/verify-ranks.ts'),
  ]);
  blocker.close();
  expect(taken).toContain(`Port ${port} on 127.0.0.1 is already in use`);
  expect(foreign).toContain('not an address of this machine. Correct HOST');
  expect(malformed).toMatch(/^LOG_LEVEL is "loud": it must be/);
  expect(unreachable).toMatch(/Postgres at 127\.0\.0\.1:1\/boards \(.*ECONNREFUSED.*\)/);
  expect(unreachable).not.toContain('hidden');
  expect(empty).toContain('There is no database in');
  expect(existsSync(unmade.path)).toBe(false);
});

test('stored keys are not made void unnoticed', async () => {
  const changed = await refusal({ DATA_DIR: dataDir.path, KEY_SECRET: SECRET });
  expect(changed).toContain(`KEY_SECRET differs from the one in ${dataDir.file('key-secret')}`);
  const secret = dataDir.read('key-secret');
  rmSync(dataDir.file('key-secret'));
  expect(await refusal({ DATA_DIR: dataDir.path })).toContain('Set KEY_SECRET to that value');
  expect(dataDir.postgres).toBeUndefined();

  const { program, url } = await start({ DATA_DIR: dataDir.path, KEY_SECRET: secret });
  expect((await dataDir.superadmin(url).get('/v1/accounts')).status).toBe(200);
  expect(await program.kill('SIGTERM')).toEqual(STOPPED);
});

test('an external database is used and left running', async () => {
  const clone = await cloneDatabase();
  const dir = newDir();
  const superadminKey = 'a-key-that-was-chosen-before-the-start';
  const settings = {
    DATA_DIR: dir.path,
    DATABASE_URL: clone.connectionString,
    JWT_SECRET: SECRET,
    KEY_SECRET: SECRET,
    SUPERADMIN_API_KEY: superadminKey,
  };
  const missing = clone.connectionString.replace(/test_\w+/, 'not_there');
  const [{ program, url }, sentence] = await Promise.all([
    start(settings),
    refusal({ ...settings, DATABASE_URL: missing }),
  ]);
  expect(sentence).toMatch(
    /^The database \S+\/not_there does not exist\. Create it, or correct DATABASE_URL\.$/,
  );
  expect(program.stdout).not.toContain(superadminKey);
  const superadmin = new Caller(url, { 'service-api-key': superadminKey });
  expect((await superadmin.get('/v1/accounts')).status).toBe(200);
  expect(await program.kill('SIGTERM')).toEqual(STOPPED);
  expect(existsSync(dir.path) ? readdirSync(dir.path) : []).toEqual([]);

  const client = new pg.Client({ connectionString: clone.connectionString });
  await client.connect();
  const { rows } = await client.query(
    `select count(*) from pg_stat_activity where datname = current_database()`,
  );
  expect(rows).toEqual([{ count: 1 }]);
  await client.end();
  await clone.drop();
});
