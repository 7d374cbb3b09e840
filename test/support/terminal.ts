import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Data } from './http.js';
import { patience } from './wait.js';

const ROOT = path.resolve(__dirname, '../..');
const PROGRAM = [
  process.execPath,
  '-r',
  path.join(__dirname, 'ts-require.cjs'),
  path.join(ROOT, 'clients/terminal/src/main.ts'),
];

/** The output of one command, and its end. */
export interface Run {
  code: number | null;
  stdout: string;
  stderr: string;
}

type Env = Record<string, string | undefined>;

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

async function ended(child: ChildProcessWithoutNullStreams): Promise<Run> {
  const run: Run = { code: null, stdout: '', stderr: '' };
  child.stdout.on('data', (text) => {
    run.stdout += text;
  });
  child.stderr.on('data', (text) => {
    run.stderr += text;
  });
  [run.code] = await once(child, 'close');
  return run;
}

/** The `leaderboard` command with its own home directory, as people or scripts use it. */
export class Terminal {
  // The prefix is the one whose leftovers cluster-up.ts removes after a test run that was killed.
  readonly home = mkdtempSync(path.join(os.tmpdir(), `leaderboard-test-${process.pid}-terminal-`));

  /** @param env the only environment variables, e.g. `LEADERBOARD_API` */
  constructor(private readonly env: Env) {}

  get profilesFile(): string {
    return path.join(this.home, '.config', 'leaderboard', 'profiles.json');
  }

  profiles(): Data {
    return JSON.parse(readFileSync(this.profilesFile, 'utf8')).profiles;
  }

  #spawn(command: string, args: string[], env: Env): ChildProcessWithoutNullStreams {
    const { PATH } = process.env;
    const all = { PATH, HOME: this.home, TERM: 'xterm-256color', ...this.env, ...env };
    return spawn(command, args, { env: all as NodeJS.ProcessEnv, cwd: this.home });
  }

  /** Starts a command that the test ends. */
  start(args: string[]): ChildProcessWithoutNullStreams {
    return this.#spawn(PROGRAM[0]!, [...PROGRAM.slice(1), ...args], {});
  }

  /** Runs a command as a script would, without a terminal. */
  async run(args: string[], { input = '', env = {} }: { input?: string; env?: Env } = {}): Promise<Run> {
    const child = this.#spawn(PROGRAM[0]!, [...PROGRAM.slice(1), ...args], env);
    // A command that reads no input may end before the input is written.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    return ended(child);
  }

  /** Standard output of a command that must succeed. */
  async out(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(args);
    if (code !== 0 || stderr !== '')
      throw new Error(`leaderboard ${args.join(' ')}: ${code} ${stderr}${stdout}`);
    return stdout;
  }

  async json(...args: string[]): Promise<Data> {
    return JSON.parse(await this.out(...args, '--json'));
  }

  /** Runs a line of a shell in which `leaderboard` is the command. */
  async shell(line: string): Promise<Run> {
    const program = PROGRAM.map(quoted).join(' ');
    return ended(this.#spawn('bash', ['-c', line.replaceAll('leaderboard', program)], {}));
  }

  /** Starts a command at a terminal of 80 columns. */
  at(args: string[], env: Env = {}): Screen {
    const line = ['exec', ...[...PROGRAM, ...args].map(quoted)].join(' ');
    return new Screen(
      this.#spawn('script', ['-qec', `stty cols 80 rows 40; ${line}`, '/dev/null'], {
        SHELL: '/bin/sh',
        ...env,
      }),
    );
  }

  close(): void {
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** A terminal in which a command runs. */
class Screen {
  /** Everything written to it. */
  text = '';
  readonly ended: Promise<number | null>;
  #ended = false;

  constructor(private readonly child: ChildProcessWithoutNullStreams) {
    child.stdout.on('data', (text) => {
      this.text += text;
    });
    this.ended = once(child, 'close').then(([code]) => {
      this.#ended = true;
      return code;
    });
  }

  /** Waits until the screen has shown this. */
  async shows(pattern: RegExp | string): Promise<void> {
    const found = () => (typeof pattern === 'string' ? this.text.includes(pattern) : pattern.test(this.text));
    const inTime = patience(`the screen to show ${pattern}`);
    while (!found()) {
      inTime();
      if (this.#ended) throw new Error(`The command ended with: ${this.text}`);
      await delay(10);
    }
  }

  type(keys: string): void {
    this.child.stdin.write(keys);
  }

  /** The lines of a command that needs no keys, as the terminal received them. */
  async lines(): Promise<string[]> {
    const code = await this.ended;
    if (code !== 0) throw new Error(`The command ended with ${code}: ${this.text}`);
    return this.text.replaceAll('\r', '').trimEnd().split('\n');
  }
}
