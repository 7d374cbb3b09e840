import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Command } from 'commander';
import { EXIT } from './output/failure.js';

/** A command on the database itself, which runs where the service's data lie and reads its settings. */
interface OperatorCommand {
  name: string;
  /** File in src/operator; default: the name. */
  script?: string;
  description: string;
  words?: { name: string; description: string; optional?: true }[];
  options?: { flags: string; description: string }[];
}

const COMMANDS: OperatorCommand[] = [
  {
    name: 'backup',
    description: 'copy the embedded database and the secrets of DATA_DIR, also while the service runs',
    words: [{ name: 'folder', description: 'a new folder' }],
  },
  {
    name: 'restore',
    description: 'fill an empty DATA_DIR from a backup, and verify it',
    words: [{ name: 'folder', description: 'the folder of a backup' }],
    options: [
      {
        flags: '--erasures <file>',
        description:
          'erasures.ndjson of the data directory that was in use: later erasures of players are repeated',
      },
    ],
  },
  {
    name: 'upgrade-database',
    description: 'move the embedded database to the Postgres that a start uses',
    options: [
      {
        flags: '--old-bin <folder>',
        description: 'programs of an installed Postgres of the old version; default: its npm package',
      },
    ],
  },
  {
    name: 'cells',
    description:
      'the cells of DIRECTORY_URL: list them, add one or open it again, drain one of new accounts, check the names of all',
    words: [
      { name: 'action', description: 'list, add, drain or check' },
      { name: 'cell', description: 'its name, for add and drain', optional: true },
    ],
    options: [
      { flags: '--weight <number>', description: 'add: share of new accounts, 0 to 1000; default: 1' },
      { flags: '--repair', description: 'check: mend in the directory what has one right end' },
      { flags: '--release', description: 'check: free names whose records no cell has' },
    ],
  },
];

const MOVE: OperatorCommand = {
  name: 'move',
  script: 'move-account',
  description: 'move an account to another cell of the directory, or take a move back',
  words: [
    { name: 'account', description: 'slug in the directory, or id' },
    { name: 'cell', description: 'where to; not with --back or --clean', optional: true },
  ],
  options: [
    { flags: '--back', description: 'take back a move that has not turned the account over' },
    { flags: '--clean', description: 'delete the rows that a move has left on the former cell' },
  ],
};

/** Adds the commands of src/operator. They are programs of their own: this one knows the service by its API alone. */
export function operatorCommands(program: Command): void {
  addCommands(program, COMMANDS);
}

/** `accounts move` */
export function moveCommand(accounts: Command): void {
  addCommands(accounts, [MOVE]);
}

function addCommands(parent: Command, commands: OperatorCommand[]): void {
  for (const { name, script = name, description, words = [], options = [] } of commands) {
    const command = parent.command(name).description(`${description} (no API key needed)`);
    for (const word of words)
      command.argument(word.optional ? `[${word.name}]` : `<${word.name}>`, word.description);
    for (const option of options) command.option(option.flags, option.description);
    command.action(async () => {
      const given = Object.entries(command.opts()).map(([key, value]) => `--${hyphened(key)}=${value}`);
      process.exitCode = await run(script, [...given, '--', ...command.args]);
    });
  }
}

function hyphened(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** @returns its exit code */
async function run(name: string, args: string[]): Promise<number> {
  const script = path.join(__dirname, '..', 'operator', name + path.extname(__filename));
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
