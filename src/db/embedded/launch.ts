import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { program, serverEnvironment } from './binaries.js';
import type { Cluster } from './cluster.js';
import { type Endpoint, endpointSettings, prepareEndpoint } from './endpoint.js';
import { giveTo, isRunning, readPidFile, removeStrangersPidFile } from './server-process.js';

const run = promisify(execFile);

/** Reason of a failed launch. `occupied`: another server, or the rest of one, still uses the cluster; it may end. */
export interface LaunchFailure {
  readonly kind: 'occupied' | 'failed';
  readonly reason: string;
}

/** Poll interval for a starting or stopping server; a start takes about 40 ms. */
const POLL_MS = 10;
const LOG_LIMIT_BYTES = 16 * 1024 * 1024;
/**
 * After this time the fast shutdown, which writes a last checkpoint, becomes one that leaves recovery to the next
 * start.
 */
const FAST_SHUTDOWN_MS = 60_000;

/**
 * Starts the server at `endpoint` and waits until it accepts connections, which after a crash includes recovery. It
 * runs in a session of its own and logs to a file: neither the end of this process nor Ctrl-C reaches it.
 * @param signal aborts: a server that is still starting is stopped again
 */
export async function launch(
  cluster: Cluster,
  endpoint: Endpoint,
  signal: AbortSignal,
): Promise<LaunchFailure | undefined> {
  prepareEndpoint(endpoint, cluster.user);
  const failure = await launchOnce(cluster, endpoint, signal);
  const again = failure?.kind === 'occupied' && !signal.aborted && removeStrangersPidFile(cluster.dir);
  return again ? launchOnce(cluster, endpoint, signal) : failure;
}

async function launchOnce(
  cluster: Cluster,
  endpoint: Endpoint,
  signal: AbortSignal,
): Promise<LaunchFailure | undefined> {
  const log = openLog(cluster);
  const { size: start } = fstatSync(log);
  try {
    const started = process.platform === 'win32' ? startByControl : startDirectly;
    const problem = await started(cluster, endpoint, log, signal);
    if (problem === undefined) return undefined;
    const reason = problem || lastWords(cluster.logFile, start);
    const occupied = /pre-existing shared memory block|lock file ".*" already exists/.test(reason);
    return { kind: occupied ? 'occupied' : 'failed', reason };
  } finally {
    closeSync(log);
  }
}

/** @returns undefined when the server is ready, otherwise the problem, or '' if it is in the log */
async function startDirectly(
  cluster: Cluster,
  endpoint: Endpoint,
  log: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  const args = Object.entries({ ...cluster.settings, ...endpointSettings(endpoint) });
  const child = spawn(
    program(cluster.binaries, 'postgres'),
    ['-D', cluster.dir, ...args.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { ...cluster.user, env: serverEnvironment(), cwd: '/', detached: true, stdio: ['ignore', log, log] },
  );
  child.unref();
  let ended: string | undefined;
  child.once('error', (error) => {
    ended = error.message;
  });
  child.once('exit', () => {
    ended ??= '';
  });
  for (;;) {
    if (ended !== undefined) return ended;
    const file = readPidFile(cluster.dir);
    if (file && file.pid === child.pid && file.status === 'ready') return undefined;
    if (signal.aborted) {
      child.ref();
      child.kill('SIGINT');
      if (ended === undefined) await once(child, 'exit');
      return 'the start was aborted';
    }
    await delay(POLL_MS);
  }
}

/**
 * Starts through pg_ctl, which Windows needs: it drops administrators' rights, with which Postgres refuses to run, and
 * detaches.
 */
async function startByControl(cluster: Cluster, endpoint: Endpoint): Promise<string | undefined> {
  const settings = Object.entries({ ...cluster.settings, ...endpointSettings(endpoint) });
  const options = settings.map(([name, value]) => `-c "${name}=${value}"`).join(' ');
  const child = spawn(
    program(cluster.binaries, 'pg_ctl'),
    ['start', '-D', cluster.dir, '-l', cluster.logFile, '-w', '-s', '-t', '3600', '-o', options],
    // No pipes: the server would inherit them, and they would never close.
    { env: serverEnvironment(), cwd: path.parse(cluster.dir).root, stdio: 'ignore' },
  );
  const [code] = await once(child, 'exit');
  return code === 0 ? undefined : '';
}

/** Disconnects all sessions, writes a checkpoint and waits until the server's process has ended. */
export async function shutDown(cluster: Cluster, pid: number): Promise<void> {
  if (process.platform === 'win32') {
    const args = ['stop', '-D', cluster.dir, '-m', 'fast', '-w', '-s', '-t', String(FAST_SHUTDOWN_MS / 1000)];
    await run(program(cluster.binaries, 'pg_ctl'), args, { env: serverEnvironment() });
    return;
  }
  let patience = Date.now() + FAST_SHUTDOWN_MS;
  sendSignal(pid, 'SIGINT');
  while (isRunning(pid)) {
    if (Date.now() > patience) {
      patience = Number.POSITIVE_INFINITY;
      sendSignal(pid, 'SIGQUIT');
    }
    await delay(POLL_MS);
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it ended by itself meanwhile
  }
}

/** Opens the log as the server's user, who may start the service next time. One older generation is kept. */
function openLog({ logFile, user }: Cluster): number {
  if ((statSync(logFile, { throwIfNoEntry: false })?.size ?? 0) > LOG_LIMIT_BYTES)
    renameSync(logFile, `${logFile}.1`);
  const fd = openSync(logFile, 'a', 0o600);
  giveTo(logFile, user);
  return fd;
}

/**
 * Returns the reason of the server's end from the log since byte `start`: its last FATAL or PANIC, otherwise its last
 * lines.
 */
function lastWords(logFile: string, start: number): string {
  const fd = openSync(logFile, 'r');
  try {
    const from = Math.max(start, fstatSync(fd).size - 16_384);
    const buffer = Buffer.alloc(16_384);
    const lines = buffer
      .toString('utf8', 0, readSync(fd, buffer, 0, buffer.length, from))
      .trim()
      .split('\n');
    const fatal = lines.findLast((line) => /(FATAL|PANIC): /.test(line));
    const words = fatal?.replace(/^.*(FATAL|PANIC): +/, '') ?? lines.slice(-3).join(' ').trim();
    return words || 'Postgres exited without a message';
  } finally {
    closeSync(fd);
  }
}
