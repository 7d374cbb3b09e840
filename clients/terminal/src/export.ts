import { once } from 'node:events';
import { type Command, Option } from 'commander';
import { does } from './nouns/commands.js';
import { UsageError } from './output/failure.js';
import { printable } from './output/output.js';
import type { Task } from './output/task.js';
import { got } from './rest/client.js';
import { profileClient } from './session.js';

const WHAT = ['standings', 'events', 'players', 'flags', 'closings'] as const;
const FORMATS = ['csv', 'ndjson', 'spreadsheet'] as const;
type Format = (typeof FORMATS)[number];

interface ExportOptions {
  what?: (typeof WHAT)[number];
  events?: boolean;
  format: Format;
  game?: string;
  all?: boolean;
}

/** Time limit of streams, which may take days: the longest delay of a timer. */
const NO_HURRY_MS = 2 ** 31 - 1;

/** The last line of every complete export. */
const TRAILER = /^(# trailer |\{"trailer":)/;

/** A client without a limit on the duration of responses. */
export function streamClient(task: Task) {
  return profileClient(task.session.profile, NO_HURRY_MS);
}

/** The stream of the board, game or account that the command names. */
async function openStream(task: Task, board: string | undefined, options: ExportOptions) {
  const { game, all, format } = options;
  const client = streamClient(task);
  const what = options.what ?? (options.events ? 'events' : 'standings');
  const query = { what, format };
  const parseAs = 'stream' as const;
  if (all) {
    const path = { account_id: await task.account() };
    return got(client.GET('/v1/accounts/{account_id}/export', { params: { path, query }, parseAs }));
  }
  if (game !== undefined) {
    const path = { game_id: await task.idOf('game_id', game) };
    return got(client.GET('/v1/games/{game_id}/export', { params: { path, query }, parseAs }));
  }
  const path = { board_id: await task.idOf('board_id', board!) };
  return got(client.GET('/v1/boards/{board_id}/export', { params: { path, query }, parseAs }));
}

/** Writes whole lines as they come; a terminal gets no control characters. @returns the last line */
async function copyLines(body: AsyncIterable<string>): Promise<string> {
  const clean = process.stdout.isTTY;
  let rest = '';
  let last = '';
  for await (const part of body) {
    const text = rest + part;
    const end = text.lastIndexOf('\n') + 1;
    rest = text.slice(end);
    if (end === 0) continue;
    const whole = text.slice(0, end);
    last = whole.slice(whole.lastIndexOf('\n', end - 2) + 1, end - 1);
    const shown = clean ? `${whole.slice(0, -1).split('\n').map(printable).join('\n')}\n` : whole;
    if (!process.stdout.write(shown)) await once(process.stdout, 'drain');
  }
  return rest === '' ? last : rest;
}

/** Prints an export as it arrives. @throws Error when its trailer is missing */
export async function printExport(stream: unknown): Promise<void> {
  const body = stream as ReadableStream<Uint8Array>;
  const last = await copyLines(body.pipeThrough(new TextDecoderStream()) as never);
  if (!TRAILER.test(last)) throw new Error('The export is incomplete: it ended before the last line.');
}

interface AuditExportOptions {
  game?: string;
  user?: string;
  subject?: string;
  action?: string;
  after?: string;
  before?: string;
  format: Format;
}

const formatOption = () =>
  new Option('--format <format>', 'the format; spreadsheet: CSV with formulas disabled')
    .choices(FORMATS)
    .default('csv');

/** Adds `export` to the audit log. */
export function auditExportCommand(audit: Command): void {
  const command = audit
    .command('export')
    .description('print the audit log as CSV or NDJSON, newest first, of any size')
    .option('--game <game>', 'only actions about this game')
    .option('--user <user>', 'only actions of this user')
    .option('--subject <id>', 'only actions on this record')
    .option('--action <action>', 'only actions of this kind')
    .option('--after <time>', 'only actions after this moment')
    .option('--before <time>', 'only actions before this moment')
    .addOption(formatOption());
  does(command, async (task) => {
    const { game, user, subject, action, after, before, format }: AuditExportOptions = command.opts();
    const query = {
      account_id: await task.account(),
      ...(game !== undefined && { game_id: await task.idOf('game_id', game) }),
      ...(user !== undefined && { user_id: await task.idOf('user_id', user) }),
      ...{ subject_id: subject, action, created_after: after, created_before: before, format },
    };
    const stream = streamClient(task).GET('/v1/audit-entries/export', {
      params: { query },
      parseAs: 'stream',
    });
    await printExport(await got(stream as never));
  });
}

/** Adds `export`: everything of a board, a game or an account as lines on standard output. */
export function exportCommand(program: Command): void {
  const command = program
    .command('export')
    .description('print standings, events, players or flags as CSV or NDJSON, of any size')
    .usage('[options] <board>')
    .argument('[board]', 'the board (short code, game/slug or id)')
    .addOption(new Option('--what <records>', 'the records').choices(WHAT))
    .option('--events', 'same as --what events')
    .addOption(formatOption())
    .option('--game <game>', 'all boards of this game instead of one board')
    .option('--all', 'all boards of the account');
  does(command, async (task) => {
    const options: ExportOptions = command.opts();
    const [board] = command.args;
    const named = [board, options.game, options.all].filter((scope) => scope !== undefined);
    if (named.length !== 1) throw new UsageError('give exactly one of a board, --game and --all');
    if (options.events && options.what && options.what !== 'events') {
      throw new UsageError('--events and --what contradict each other');
    }
    await printExport(await openStream(task, board, options));
  });
}
