import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { type ClientRequest, request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connectionString, dropEndpoint, endpointOf } from '../../src/db/embedded/endpoint.js';
import { isRunning, readPidFile } from '../../src/db/embedded/server-process.js';
import type { TestDatabase } from './database.js';
import { Caller } from './http.js';
import { SCRATCH } from './scratch.js';
import { patience, patienceMs, until } from './wait.js';

const ROOT = path.resolve(__dirname, '../..');

/**
 * A start loads hundreds of files and may make a database: with many of them on two cores, it is the longest wait
 * of all.
 */
const startMs = () => 3 * patienceMs();

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export type Start = (script: string, env: NodeJS.ProcessEnv) => ChildProcess;

export const PRELOADS = ['ts-require.cjs', 'orphan-guard.cjs'].map((file) => path.join(__dirname, file));

const byNode: Start = (script, env) =>
  spawn(process.execPath, [...PRELOADS.flatMap((file) => ['-r', file]), script], {
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });

/** One of our programs in its own process, with only the given settings in its environment. */
export class Program {
  stdout = '';
  stderr = '';
  readonly child: ChildProcess;
  /** Resolves once the process has ended and its output is read. */
  readonly ended: Promise<Ended>;

  constructor(script: string, settings: Record<string, string>, start: Start = byNode) {
    const { PATH, HOME, TMPDIR } = process.env;
    this.child = start(path.resolve(ROOT, script), { PATH, HOME, TMPDIR, ...settings });
    this.child.stdout?.on('data', (text) => {
      this.stdout += text;
    });
    this.child.stderr?.on('data', (text) => {
      this.stderr += text;
    });
    this.ended = once(this.child, 'close').then(([code, signal]) => ({ code, signal }));
  }

  get running(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  kill(signal: NodeJS.Signals): Promise<Ended> {
    this.child.kill(signal);
    return this.ended;
  }

  /** Waits until a line of its output matches. Fails if the program ends first, or after `millis`. */
  async says(pattern: RegExp, millis = startMs()): Promise<RegExpExecArray> {
    const inTime = patience(`a program to say ${pattern}`, millis);
    for (;;) {
      inTime();
      const match = pattern.exec(this.stdout);
      if (match) return match;
      if (!this.running) throw new Error(`The program ended: ${this.stderr || this.stdout}`);
      await delay(10);
    }
  }
}

/** Runs a program until it ends. */
export async function runProgram(script: string, settings: Record<string, string>): Promise<Program & Ended> {
  const program = new Program(script, settings);
  return Object.assign(program, await program.ended);
}

/** The service on a free port of the loopback address, ready. */
export async function startService(
  settings: Record<string, string>,
  start?: Start,
): Promise<{ program: Program; url: string }> {
  const program = new Program(
    'src/main.ts',
    { HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'info', ANONYMOUS_WRITES_PER_MINUTE: 'off', ...settings },
    start,
  );
  const [, url = ''] = await program.says(/REST +(http\S+)\/v1\s/).catch(async (error) => {
    await program.kill('SIGKILL');
    throw error;
  });
  return { program, url };
}

const SECRET = 'thirty-two-characters-or-more-it-is';
const SUPERADMIN_KEY = 'a-key-that-was-chosen-before-the-start';

/** Settings of a service on a database of the run's own cluster, which is available immediately and outlives it. */
export function settingsOn({ connectionString }: TestDatabase, { path }: DataDir): Record<string, string> {
  return {
    DATA_DIR: path,
    DATABASE_URL: connectionString,
    JWT_SECRET: SECRET,
    KEY_SECRET: SECRET,
    SUPERADMIN_API_KEY: SUPERADMIN_KEY,
  };
}

/** The superadmin of a service with {@link settingsOn}. */
export function superadminOf(url: string): Caller {
  return new Caller(url, { 'service-api-key': SUPERADMIN_KEY });
}

/** An accepted request: the service has read its head and waits for its body. */
export async function acceptedRequest(url: string, caller: Caller, body: string): Promise<ClientRequest> {
  const accepted = request(`${url}/v1/accounts`, {
    method: 'POST',
    headers: {
      ...caller.headers,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      expect: '100-continue',
    },
  });
  accepted.on('error', () => undefined);
  accepted.flushHeaders();
  await once(accepted, 'continue');
  return accepted;
}

/** A data directory that the embedded server's user can access; `remove` stops a server left running there. */
export class DataDir {
  // The prefix is the one whose leftovers cluster-up.ts removes after a test run that was killed.
  readonly root = mkdtempSync(path.join(SCRATCH, `leaderboard-test-${process.pid}-`));
  readonly path = path.join(this.root, 'data');

  constructor() {
    chmodSync(this.root, 0o711);
  }

  file(name: string): string {
    return path.join(this.path, name);
  }

  read(name: string): string {
    return readFileSync(this.file(name), 'utf8').trim();
  }

  /** Endpoint of the embedded server. */
  get cluster(): string {
    const names = existsSync(this.path) ? readdirSync(this.path) : [];
    const name = names.find((entry) => /^postgres-\d+$/.test(entry));
    return this.file(name ?? 'postgres');
  }

  /** Process id of the embedded server, as long as one runs. */
  get postgres(): number | undefined {
    const pid = readPidFile(this.cluster)?.pid;
    return pid !== undefined && isRunning(pid) ? pid : undefined;
  }

  /** Connection string of the database, while the embedded server runs. */
  get connectionString(): string {
    const endpoint = endpointOf(readPidFile(this.cluster), undefined);
    if (!endpoint) throw new Error('no embedded server runs');
    return connectionString(endpoint, 'leaderboard');
  }

  /** The superadmin, with the key the service stored here. */
  superadmin(url: string): Caller {
    return new Caller(url, { 'service-api-key': this.read('superadmin-key') });
  }

  async remove(): Promise<void> {
    const { postgres } = this;
    if (postgres !== undefined) {
      const file = readPidFile(this.cluster);
      process.kill(postgres, 'SIGQUIT');
      await until(() => !isRunning(postgres), 10, 'the end of an embedded server');
      if (file) dropEndpoint({ host: file.socketDir, port: file.port });
    }
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
