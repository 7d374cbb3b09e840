import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { until } from '../support/wait.js';
import { makeBareRoot } from './bare-root.js';

// npm run prove:walk: every command of docs/operations/first-server.md as it stands, on a bare Debian of debootstrap. Commands
// that fetch packages run in it by chroot; from "The service" on, it is booted by systemd, with a network of its own that
// leads nowhere. Some fifteen minutes, 2 GB. BARE_ROOT names a Debian that was made before.

const ROOT = path.resolve(__dirname, '../..');
const GUIDE = path.join(ROOT, 'docs/operations/first-server.md');
const BOOTED_FROM = 'The service';
const TOOLS = ['debootstrap', 'systemd-container'];
/** For a block, in milliseconds. */
const PATIENCE = 20 * 60_000;

interface Block {
  heading: string;
  commands: string;
}

function blocksOf(text: string): Block[] {
  let heading = '';
  const blocks: Block[] = [];
  for (const [, title, commands] of text.matchAll(/^## (.*)$|^```sh\n([\s\S]*?)^```$/gm)) {
    if (title !== undefined) heading = title;
    else if (commands !== undefined) blocks.push({ heading, commands });
  }
  return blocks;
}

function install(): void {
  if (spawnSync('dpkg', ['--status', ...TOOLS], { stdio: 'ignore' }).status === 0) return;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const options = { stdio: ['ignore', 'ignore', 'inherit'] as ('ignore' | 'inherit')[], env };
  execFileSync('apt-get', ['update', '-qq'], options);
  execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...TOOLS], options);
}

/** The bare root, with systemd, as an installed Debian has it; the release's archive; this machine's way to the registries. */
function prepare(root: string): void {
  makeBareRoot(root);
  cpSync('/etc/resolv.conf', path.join(root, 'etc/resolv.conf'));
  execFileSync('sh', ['-c', `cp /etc/apt/apt.conf.d/99* ${root}/etc/apt/apt.conf.d/ || true`], {
    stdio: 'ignore',
  });
  writeFileSync(path.join(root, 'root/.npmrc'), 'cafile=/etc/ssl/certs/ca-certificates.crt\n');
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: ROOT });
  const archive = path.join(root, 'root/leaderboard.tar.gz');
  const pack = [
    '--create',
    '--gzip',
    '--file',
    archive,
    '--null',
    '--files-from',
    '-',
    '--ignore-failed-read',
  ];
  execFileSync('tar', pack, { cwd: ROOT, input: files, stdio: ['pipe', 'ignore', 'inherit'] });
  mkdirSync(path.join(root, 'proc'), { recursive: true });
}

const ENV = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/root',
  LANG: 'C.UTF-8',
  DEBIAN_FRONTEND: 'noninteractive',
  NODE_EXTRA_CA_CERTS: '/etc/ssl/certs/ca-certificates.crt',
};

function perform({ heading, commands }: Block, program: string, ...args: string[]): void {
  const started = performance.now();
  const script = `set -e -o pipefail; cd /root\n${commands}`;
  const { status, signal, stdout, stderr, error } = spawnSync(program, [...args, '/bin/bash', '-c', script], {
    encoding: 'utf8',
    env: ENV,
    timeout: PATIENCE,
    maxBuffer: 64 * 1024 * 1024,
  });
  const seconds = ((performance.now() - started) / 1_000).toFixed(0);
  const shown = (stdout ?? '').trim().split('\n').slice(-4).join('\n    ');
  console.log(`${heading} (${seconds} s):\n    ${shown}`);
  if (status !== 0)
    throw new Error(
      `"${heading}" failed: ${error ?? signal ?? `exit status ${status}`}\n${stdout}\n${stderr}`,
    );
}

/** A Debian that systemd booted. */
class Booted {
  output = '';
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  constructor(root: string) {
    const args = [
      '--register=no',
      '--keep-unit',
      '--private-network',
      '--console=pipe',
      '--directory',
      root,
      '--boot',
    ];
    this.#child = spawn('systemd-nspawn', args, { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (text) => {
        this.output += text;
      });
    }
    this.#ended = once(this.#child, 'close');
  }

  /** Process id of its systemd, seen from outside. */
  get #init(): string {
    const { pid } = this.#child;
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]!;
  }

  get entry(): string[] {
    return ['--target', this.#init, '--mount', '--uts', '--ipc', '--net', '--pid', '--root', '--wd=/', '--'];
  }

  async ready(): Promise<void> {
    await until(() => {
      if (this.#child.exitCode !== null) throw new Error(`Debian did not start: ${this.output}`);
      const { status } = spawnSync('nsenter', [...this.entry, '/bin/systemctl', 'is-system-running'], {
        env: ENV,
      });
      // Degraded: a unit of the machine that a container has no use for has failed.
      return status === 0 || /startup finished|multi-user\.target/i.test(this.output);
    }, 200);
  }

  async close(): Promise<void> {
    // SIGRTMIN+4 of systemd: power off.
    this.#child.kill('SIGTERM');
    await Promise.race([this.#ended, new Promise((resolve) => setTimeout(resolve, 60_000).unref())]);
    if (this.#child.exitCode === null) this.#child.kill('SIGKILL');
  }
}

async function prove(): Promise<void> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    throw new Error('The walk needs root on Linux.');
  install();
  const blocks = blocksOf(readFileSync(GUIDE, 'utf8'));
  const boot = blocks.findIndex(({ heading }) => heading === BOOTED_FROM);
  assert.ok(boot > 0 && blocks.length >= 7, 'the guide has other headings');
  const dir = mkdtempSync(path.join(os.tmpdir(), 'leaderboard-walk-'));
  const root = path.join(dir, 'root');
  mkdirSync(root);
  let debian: Booted | undefined;
  try {
    prepare(root);
    // A machine has these before anything is installed on it.
    const system: Block = {
      heading: 'Debian',
      commands:
        'apt-get update -qq && apt-get install -y -qq --no-install-recommends systemd systemd-sysv dbus',
    };
    for (const block of [system, ...blocks.slice(0, boot)])
      perform(block, 'unshare', '--mount', '--pid', '--fork', '--kill-child', ...inRoot(root));
    debian = new Booted(root);
    await debian.ready();
    for (const block of blocks.slice(boot)) perform(block, 'nsenter', ...debian.entry);
    // Prometheus (9090), figures (9464) and service (3000) listen on loopback: nginx alone is for other machines.
    const state: Block = {
      heading: 'afterwards',
      commands: `systemctl is-active leaderboard nginx prometheus leaderboard-backup.timer
! cat /proc/net/tcp /proc/net/tcp6 | grep --extended-regexp ' (0{8}|0{32}):(2382|24F8|0BB8) '
systemctl stop leaderboard
systemctl show --property=Result,ExecMainStatus leaderboard
test -z "$(pgrep -u leaderboard)"`,
    };
    perform(state, 'nsenter', ...debian.entry);
  } finally {
    await debian?.close();
    if (process.env.KEEP === undefined) rmSync(dir, { recursive: true, force: true });
    else console.log(`kept: ${dir}`);
  }
}

/** Programs in the folder, with its own /proc and /dev, which end with the namespace. */
function inRoot(root: string): string[] {
  const mounts = `mount -t proc proc ${root}/proc && mount --rbind /dev ${root}/dev && exec chroot ${root} "$@"`;
  return ['/bin/sh', '-c', mounts, 'sh'];
}

prove().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
