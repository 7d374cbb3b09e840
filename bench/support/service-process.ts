import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Disposal } from '../../src/process/shutdown.js';

export interface ServiceProcess {
  pid: number;
  port: number;
  /** Lets it finish accepted requests. */
  stop(): Promise<void>;
}

export interface ServiceSettings {
  connectionString: string;
  jwtSecret: string;
  keySecret: string;
  nonceSeconds?: number;
  workers?: number;
  /** Further settings. */
  env?: Record<string, string>;
}

const ROOT = path.resolve(__dirname, '../../..');
/** A start takes about 3 s of CPU: with twenty busy processes on two cores, more than a minute. */
const START_MS = 300_000;

/** The arguments that `npm start` gives to node (`exec node …`): its options and the script. */
function startArguments(): string[] {
  const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  return scripts.start.split(' ').slice(2);
}

/**
 * The service as `npm start` runs it, on a free port, its log (LOG_LEVEL, by default a line per request as in
 * production) written to a file.
 * @throws Error with its output if it does not start
 */
export async function startService(
  { connectionString, jwtSecret, keySecret, nonceSeconds = 60, workers = 1, env }: ServiceSettings,
  disposal: Disposal,
): Promise<ServiceProcess> {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'leaderboard-bench-'));
  disposal.add(async () => rmSync(dir, { recursive: true, force: true }));
  const logFile = path.join(dir, 'service.log');
  const log = openSync(logFile, 'w', 0o600);
  const { PATH, HOME, LOG_LEVEL = 'info' } = process.env;
  const child = spawn(process.execPath, startArguments(), {
    cwd: ROOT,
    stdio: ['ignore', log, log],
    env: {
      PATH,
      HOME,
      LOG_LEVEL,
      ANONYMOUS_WRITES_PER_MINUTE: 'off',
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: dir,
      DATABASE_URL: connectionString,
      JWT_SECRET: jwtSecret,
      KEY_SECRET: keySecret,
      NONCE_SECONDS: String(nonceSeconds),
      WORKERS: String(workers),
      ...env,
    },
  });
  const running = () => child.exitCode === null && child.signalCode === null;
  const stop = async () => {
    if (!running()) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };
  disposal.add(stop);
  const patience = performance.now() + START_MS;
  for (;;) {
    const said = readFileSync(logFile, 'utf8');
    const port = /REST +http:\/\/127\.0\.0\.1:(\d+)\//.exec(said)?.[1];
    if (port !== undefined) return { pid: child.pid!, port: Number(port), stop };
    if (!running() || performance.now() > patience) throw new Error(`The service did not start: ${said}`);
    await delay(50);
  }
}
