import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SetupError } from '../../src/base/errors.js';
import { packageRoot } from '../../src/base/package.js';
import type { Disposal } from '../../src/process/shutdown.js';

export interface Nginx {
  pid: number;
  port: number;
  stop(): Promise<void>;
}

const START_MS = 30_000;

/** A port that is currently free. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = net.createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

/** The deployed configuration for processes on these ports, without TLS and without a log of requests. */
function configurationFor(ports: readonly number[], port: number): string {
  const deployed = readFileSync(path.join(packageRoot, 'deploy/nginx/leaderboard.conf'), 'utf8');
  const site = deployed
    .replace('server 127.0.0.1:3000;', ports.map((one) => `server 127.0.0.1:${one} max_fails=0;`).join(' '))
    .replace(/^server \{\n {2}listen 80;.*?^\}\n/ms, '')
    .replace('listen 443 ssl http2;', `listen 127.0.0.1:${port};`)
    .replace(/^ *(listen \[::\]:|ssl_).*$/gm, '');
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${name};`,
  );
  // The load's clients do not reopen connections after a thousand requests, nginx's default.
  const http = ['access_log off;', 'keepalive_requests 100000000;', ...folders, site].join('\n');
  return `daemon off;\npid nginx.pid;\nworker_processes auto;\nevents { worker_connections 4096; }\nhttp {\n${http}}\n`;
}

/** nginx on a free port, in front of processes of the service, used in turn. @throws SetupError without nginx */
export async function startNginx(ports: readonly number[], disposal: Disposal): Promise<Nginx> {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'leaderboard-bench-nginx-'));
  disposal.add(async () => rmSync(dir, { recursive: true, force: true }));
  const port = await freePort();
  const file = path.join(dir, 'nginx.conf');
  writeFileSync(file, configurationFor(ports, port));
  const child = spawn('nginx', ['-p', dir, '-e', 'stderr', '-c', file], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (text) => {
    said += text;
  });
  child.on('error', (error) => {
    said += error.message;
  });
  const running = () => child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  const stop = async () => {
    if (!running()) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };
  disposal.add(stop);
  const patience = performance.now() + START_MS;
  while (!(await accepts(port))) {
    if (!running() || performance.now() > patience) throw new SetupError(`nginx did not start: ${said}`);
    await delay(20);
  }
  return { pid: child.pid!, port, stop };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
