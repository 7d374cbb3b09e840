import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { findBinaries, findInstalled, program } from '../../src/db/embedded/binaries.js';
import type { Caller, Data } from '../support/http.js';
import { patience, until } from '../support/wait.js';

export const ROOT = path.resolve(__dirname, '../..');
export const DEPLOY = path.join(ROOT, 'deploy');

/** The scratch folder of this run, which runApart made and removes. */
export const GROUND = process.env.GROUND ?? '';

const run = (program: string, ...args: string[]) => execFileSync(program, args, { encoding: 'utf8' });

/** Makes the loopback interface of the namespace usable, which is its only one. */
export function bringUpLoopback(): void {
  run('ip', 'link', 'set', 'lo', 'up');
}

/** Covers a folder of the machine with an empty one, within the namespace, and fills it. */
export function cover(dir: string, files: Record<string, { from: string } | { text: string }> = {}): void {
  run('mount', '-t', 'tmpfs', '-o', 'mode=0755', 'tmpfs', dir);
  for (const [name, file] of Object.entries(files)) {
    const place = path.join(dir, name);
    mkdirSync(path.dirname(place), { recursive: true });
    if ('from' in file) copyFileSync(path.join(DEPLOY, file.from), place);
    else writeFileSync(place, file.text);
  }
}

/** A part that runs in the foreground. */
export class Daemon {
  output = '';
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;

  constructor(
    readonly name: string,
    program: string,
    args: string[],
    options: { uid?: number; gid?: number; env?: NodeJS.ProcessEnv; cwd?: string } = {},
  ) {
    this.child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.on('data', (text) => {
        this.output += text;
      });
    }
    this.ended = once(this.child, 'close');
  }

  /** Waits until it accepts connections. */
  async listens(port: number): Promise<this> {
    await until(
      () => {
        if (this.child.exitCode !== null) throw new Error(`${this.name} ended: ${this.output}`);
        return accepts(port);
      },
      20,
      `${this.name} on port ${port}`,
    );
    return this;
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.child.kill(signal);
    await this.ended;
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** User and group of a user of the system. */
export function userOf(name: string): { uid: number; gid: number } {
  return { uid: Number(run('id', '-u', name)), gid: Number(run('id', '-g', name)) };
}

export const PASSWORD = 'a-password-of-the-test';
export const DIRECT_URL = `postgres://leaderboard:${PASSWORD}@127.0.0.1:5432/leaderboard`;

/**
 * Starts a Postgres as operators have one: on 127.0.0.1:5432, with a password, and a user that owns its database.
 * @param binDir programs of an installed Postgres; default: the one that comes along
 */
export async function startPostgres(binDir?: string): Promise<Daemon> {
  const user = userOf('nobody');
  const programs = await (binDir === undefined
    ? findBinaries(undefined, GROUND, user)
    : findInstalled(binDir, user));
  const data = path.join(GROUND, 'data');
  mkdirSync(data);
  chownSync(data, user.uid, user.gid);
  const passwords = path.join(GROUND, 'password');
  writeFileSync(passwords, PASSWORD);
  const making = ['-D', data, '-U', 'postgres', '-A', 'scram-sha-256', '--pwfile', passwords, '-N'];
  execFileSync(program(programs, 'initdb'), [...making, '-E', 'UTF8', '--locale', 'C'], {
    ...user,
    stdio: 'pipe',
  });
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'fsync=off',
    'max_connections=100',
  ];
  const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])];
  const server = await new Daemon('Postgres', program(programs, 'postgres'), args, user).listens(5432);
  const admin = await asPostgres('postgres');
  await admin.query(`create role leaderboard login password '${PASSWORD}'`);
  await admin.query('create database leaderboard owner leaderboard');
  await admin.end();
  return server;
}

/** A session of the server's superuser. */
export async function asPostgres(database: string): Promise<pg.Client> {
  const inTime = patience('a session of Postgres');
  for (;;) {
    inTime();
    const client = new pg.Client(`postgres://postgres:${PASSWORD}@127.0.0.1:5432/${database}`);
    try {
      await client.connect();
      return client;
    } catch (error) {
      // It accepts connections before it serves them.
      if ((error as { code?: string }).code !== '57P03') throw error;
      await delay(20);
    }
  }
}

export interface Studio {
  accountId: string;
  game: Data;
  board: Data;
}

/** A game with a board, made over REST. */
export async function makeStudio(admin: Caller): Promise<Studio> {
  const created = async (place: string, body: Data): Promise<Data> => {
    const answer = await admin.post(place, body);
    if (answer.status !== 201) throw new Error(`${place}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const account = await created('/v1/accounts', { name: `Operated ${randomUUID()}` });
  const owner = { account_id: account.id };
  const game = await created('/v1/games', {
    ...owner,
    name: `Game ${randomUUID()}`,
    anti_cheat_enabled: false,
  });
  const rules = { ...owner, game_id: game.id, name: 'Board', keep_strategy: 'best', is_published: true };
  return { accountId: account.id, game, board: await created('/v1/boards', rules) };
}
