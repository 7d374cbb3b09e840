import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { EXIT, UsageError } from './output/failure.js';

/** A command on the database itself. It runs on the machine with the service's data and reads its settings. */
interface OperatorCommand {
  name: string;
  /** File in the service's src/operator; default: the name. */
  script?: string;
  description: string;
  words?: { name: string; description: string; optional?: true }[];
  options?: { flags: string; description: string }[];
}

const COMMANDS: OperatorCommand[] = [
  {
    name: 'backup',
    description:
      'back up the embedded database and the secrets in DATA_DIR, even while the service is running',
    words: [{ name: 'folder', description: 'a new folder' }],
  },
  {
    name: 'restore',
    description: 'restore a backup into an empty DATA_DIR and verify it',
    words: [{ name: 'folder', description: 'the folder of a backup' }],
    options: [
      {
        flags: '--erasures <file>',
        description: 'erasures.ndjson of the previous data directory, to repeat later player erasures',
      },
    ],
  },
  {
    name: 'pause-webhooks',
    description:
      'pause all webhook endpoints and hold all prizes of a restored database, before the service starts on it',
  },
  {
    name: 'upgrade-database',
    description: 'upgrade the embedded database to the current Postgres version',
    options: [
      {
        flags: '--old-bin <folder>',
        description: 'bin directory of an installed Postgres of the old version (default: its npm package)',
      },
    ],
  },
  {
    name: 'reset-passkeys',
    description: 'remove the passkeys of a user who lost them, or of all users after a change of CONSOLE_URL',
    words: [{ name: 'email', description: "the user's email address; not with --all", optional: true }],
    options: [{ flags: '--all', description: 'all users of the database, superadmins included' }],
  },
  {
    name: 'cells',
    description:
      'manage the cells of DIRECTORY_URL: list them, add or reopen one, stop new accounts on one, check the names on all',
    words: [
      { name: 'action', description: 'list, add, drain or check' },
      { name: 'cell', description: 'name of the cell, for add and drain', optional: true },
    ],
    options: [
      {
        flags: '--weight <number>',
        description: 'add: relative share of new accounts, 0 to 1000 (default: 1)',
      },
      { flags: '--repair', description: 'check: fix directory errors that have a single right answer' },
      { flags: '--release', description: 'check: release names whose records are on no cell' },
    ],
  },
];

const MOVE: OperatorCommand = {
  name: 'move',
  script: 'move-account',
  description: 'move an account to another cell, or cancel a move',
  words: [
    { name: 'account', description: 'slug in the directory, or id' },
    { name: 'cell', description: 'where to; not with --back or --clean', optional: true },
  ],
  options: [
    { flags: '--back', description: 'cancel a move that has not switched cells yet' },
    { flags: '--clean', description: "delete the account's rows from its former cell after a move" },
  ],
};

/** The service's own programs. They are missing where this package is installed without the service. */
const PROGRAMS = path.join(
  __dirname,
  '../../..',
  path.extname(__filename) === '.ts' ? 'src/operator' : 'dist/src/operator',
);

/** Adds the commands on the database. They are programs of the service: the terminal itself only uses its API. */
export function operatorCommands(program: Command): void {
  addCommands(program, COMMANDS);
}

/** `accounts move` */
export function moveCommand(accounts: Command): void {
  addCommands(accounts, [MOVE]);
}

function addCommands(parent: Command, commands: OperatorCommand[]): void {
  for (const { name, script = name, description, words = [], options: accepted = [] } of commands) {
    const command = parent.command(name).description(`${description} (no API key needed)`);
    for (const word of words)
      command.argument(word.optional ? `[${word.name}]` : `<${word.name}>`, word.description);
    for (const option of accepted) command.option(option.flags, option.description);
    command.action(async () => {
      const options = Object.entries(command.opts()).map(([key, value]) => `--${hyphened(key)}=${value}`);
      process.exitCode = await run(script, [...options, '--', ...command.args]);
    });
  }
}

function hyphened(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** @returns its exit code */
async function run(name: string, args: string[]): Promise<number> {
  const script = path.join(PROGRAMS, name + path.extname(__filename));
  if (!existsSync(script)) {
    throw new UsageError(
      'this command works on the database: run "npx leaderboard" in the folder of the service',
    );
  }
  const child = fork(script, args, { stdio: 'inherit' });
  let interrupted = false;
  // Ctrl-C reaches both processes by itself; the end of this one waits for the other.
  process.on('SIGINT', () => {
    interrupted = true;
  });
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  const [code] = (await once(child, 'exit')) as [number | null];
  return interrupted && code !== 0 ? EXIT.cancelled : (code ?? EXIT.failed);
}
