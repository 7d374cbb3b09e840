import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { SetupError } from '../../src/base/errors.js';
import {
  type EmbeddedOptions,
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/db/embedded/embedded.js';
import { isRunning, readPidFile } from '../../src/db/embedded/server-process.js';
import type { OwnerReport } from './embedded-owner.js';
import { until } from './wait.js';

/** Data directories and servers of one test file; whatever a test leaves running is stopped after it. */
export function embeddedServers() {
  // The prefix is the one whose leftovers cluster-up.ts removes after a test run that was killed.
  const root = mkdtempSync(path.join(os.tmpdir(), `leaderboard-test-${process.pid}-`));
  // The cluster is created once, which takes most of a second. Tests that only need a server use it one after
  // another.
  const made = path.join(root, 'below', 'that');
  let first: EmbeddedPostgres | undefined;
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

  async function start(dataDir: string, options: EmbeddedOptions = {}): Promise<EmbeddedPostgres> {
    const postgres = await startEmbeddedPostgres(dataDir, {
      ...options,
      settings: { fsync: 'off', ...options.settings },
    });
    running.push(postgres);
    return postgres;
  }

  /** A separate process, leader of its group, that owns the directory's Postgres until it is killed. */
  function owner(
    dataDir: string,
    env: NodeJS.ProcessEnv = {},
  ): { child: ChildProcess; report: Promise<OwnerReport> } {
    const child = fork(path.join(__dirname, 'embedded-owner.ts'), [dataDir], {
      execArgv: ['-r', path.join(__dirname, 'ts-require.cjs')],
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

  return {
    root,
    made,
    /** The server that created the cluster, now stopped. */
    first: () => first!,
    start,
    owner,
    connect,
    ask,
    emptyDirectory,
    /** Ended after the test. */
    ends: (child: ChildProcess) => void children.push(child),
  };
}

export function clusterOf(dataDir: string): string {
  const name = readdirSync(dataDir).find((entry) => /^postgres-\d+$/.test(entry));
  return path.join(dataDir, name ?? 'none');
}

export async function refusal(attempt: Promise<unknown>): Promise<string> {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(SetupError);
  return (error as SetupError).message;
}

/** Ends a server's process as a power cut would. */
export async function kill(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL');
  await until(() => !isRunning(pid));
}

export const socketDir = (connectionString: string) =>
  new URL(connectionString).searchParams.get('host') ?? '';
