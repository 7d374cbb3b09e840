import { createReadStream, type ReadStream, statSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { type Command, Option } from 'commander';
import { CsvError } from 'csv-parse';
import { does } from '../nouns/commands.js';
import { EXIT, UsageError } from '../output/failure.js';
import { printable } from '../output/output.js';
import type { Task } from '../output/task.js';
import { got, leaderboardClient, ServiceError } from '../rest/client.js';
import { headerPrefixOf } from '../session.js';
import { BadLines } from './bad-lines.js';
import { FILE_FORMATS } from './formats.js';
import { Progress } from './progress.js';
import { type FileOptions, readFile } from './read.js';
import { Resume } from './resume.js';
import { chunksOf, type ImportRecord, ImportRun, readAhead } from './run.js';
import { DECIMALS } from './values.js';

interface ImportOptions extends FileOptions {
  standings?: boolean;
  dryRun?: boolean;
  skipBad?: boolean;
  fairPlay?: boolean;
  rename?: boolean;
}

/** The bytes to import, and what makes another run of the command the same. */
interface Source {
  stream: Readable;
  /** Bytes; undefined: unknown. */
  size: number | undefined;
  words: unknown[] | undefined;
}

function fileSource(file: string): Source {
  const stats = statSync(file);
  if (stats.isDirectory()) throw new Error('it is a directory');
  const { size, mtimeMs } = stats;
  return { stream: createReadStream(file), size, words: [path.resolve(file), size, mtimeMs] };
}

/** The export of a board of another service of this kind. */
async function serviceSource(address: string, board: string, { standings }: ImportOptions): Promise<Source> {
  const apiKey = process.env.LEADERBOARD_FROM_API_KEY;
  if (!apiKey) throw new UsageError('set LEADERBOARD_FROM_API_KEY to a key of the service to import from');
  const headerPrefix = await headerPrefixOf(address);
  const client = leaderboardClient({ baseUrl: address, apiKey, headerPrefix, timeoutMs: 2 ** 31 - 1 });
  const what = standings ? ('standings' as const) : ('events' as const);
  const params = { path: { board_id: board }, query: { what, format: 'ndjson' as const } };
  const body = await got(client.GET('/v1/boards/{board_id}/export', { params, parseAs: 'stream' }));
  return { stream: Readable.fromWeb(body as never), size: undefined, words: undefined };
}

async function sourceOf(file: string, options: ImportOptions): Promise<Source> {
  if (options.from !== undefined) return serviceSource(options.from, file, options);
  if (file === '-') return { stream: process.stdin, size: undefined, words: undefined };
  try {
    return fileSource(file);
  } catch (error) {
    throw new UsageError(`cannot read "${file}": ${(error as Error).message}`);
  }
}

/** Notes the bad lines that a chunk was refused for. @returns false if it was refused for another reason */
function takeRefused(error: unknown, bad: BadLines): boolean {
  if (!(error instanceof ServiceError)) return false;
  const lines = error.details.filter(({ type }) => type === 'line');
  for (const { loc, msg } of lines) bad.take({ line: Number(loc.at(-1)), reason: msg });
  return lines.length > 0;
}

/** Prints the mapping, which is for people, even where standard output is for programs. */
function sayMapping({ out }: Task, text: string): void {
  const line = printable(text);
  if (out.style.json || out.style.quiet) process.stderr.write(`${line}\n`);
  else out.say(line);
}

/** Prints what became of the lines: each is imported, replaced, skipped or refused. @throws Error if the service reports fewer or more */
async function sayAccount(task: Task, done: ImportRecord, lines: number): Promise<void> {
  const { rows, replaced, skipped, refused, written, known: repeated, players } = done;
  const alone = rows - written - repeated;
  const more = [
    `${repeated} scores already existed`,
    alone > 0 && `${alone} lines have only a player`,
    done.flags > 0 && `${done.flags} flags were raised`,
    done.in_dropped_periods > 0 &&
      `${done.in_dropped_periods} scores are in periods that views no longer keep`,
  ];
  task.out.say(
    `Imported ${rows} of ${lines} lines; ${replaced} replaced by later lines, ${skipped} skipped, ${refused} refused.`,
  );
  task.out.say(`Wrote ${written} scores and ${players} new players; ${more.filter(Boolean).join(', ')}.`);
  await task.out.record(done);
  if (done.lines !== lines) {
    throw new Error(`The file has ${lines} lines, but the service reports only ${done.lines} of them.`);
  }
  if (refused > 0) process.exitCode = EXIT.partly;
}

async function runImport(task: Task, board: string, word: string, options: ImportOptions): Promise<void> {
  const boardId = await task.idOf('board_id', board);
  const params = { path: { board_id: boardId } };
  const { format } = await got(task.session.client.GET('/v1/boards/{board_id}', { params }));
  const times = format?.kind === 'time' ? (format.time_unit === 'milliseconds' ? 'ms' : 's') : undefined;
  const source = await sourceOf(word, options);
  const file = await readFile(source.stream, word, { ...options, times }, (text) => sayMapping(task, text));
  const chunks = await readAhead(chunksOf(file.rows));
  const { skipBad = false, dryRun = false } = options;
  const words = source.words && [task.session.profile.api, boardId, ...source.words, options];
  const resume = words && !dryRun ? new Resume(words) : undefined;
  const settings = { checked: options.fairPlay === true, rename: options.rename === true };
  const run = await ImportRun.begin(task.session.client, boardId, settings, resume);
  const progress = new Progress();
  const bad = new BadLines();
  const sayBad = () =>
    process.stderr.write(
      bad
        .texts()
        .map((text) => `${text}\n`)
        .join(''),
    );
  const read = () => (source.stream as Partial<ReadStream>).bytesRead ?? 0;
  try {
    await run.send(
      chunks,
      { skipBad, dryRun },
      (one) => bad.take(one),
      () => progress.show('Reading', source.size && read() / source.size),
    );
  } catch (error) {
    progress.clear();
    const isRefused =
      (error instanceof ServiceError && error.status < 500 && error.status !== 429) ||
      error instanceof CsvError ||
      error instanceof UsageError;
    // An import of a faulty file is cancelled; when the service was away, the same command goes on with it later.
    if (isRefused || !resume) await run.cancel();
    if (isRefused) resume?.forget();
    const hasInvalid = takeRefused(error, bad);
    sayBad();
    if (!hasInvalid) throw error;
    throw new Error(
      'The file has invalid lines. Nothing was imported. Use --skip-bad to skip them, or --dry-run to list them all.',
    );
  }
  progress.clear();
  sayBad();
  if (dryRun) {
    await run.cancel();
    const { accepted, skipped, bad: invalid } = run.counts;
    process.stderr.write(
      `${file.lines} lines: ${accepted} valid, ${invalid} invalid, ${skipped} skipped. Nothing was imported.\n`,
    );
    if (invalid > 0) throw new Error('The file has invalid lines.');
    return;
  }
  const done = await run.finish(progress);
  resume?.forget();
  await sayAccount(task, done, file.lines);
}

const collect = (value: string, before: string[]) => [...before, value];

/** Adds `import`: scores of a file, or of another service, into a board. */
export function importCommand(program: Command): void {
  const command = program
    .command('import')
    .description('import scores into a board from CSV, JSON, NDJSON, Nakama, Steam or another service')
    .usage('[options] <board> <file>')
    .argument('<board>', 'the board (short code, game/slug or id)')
    .argument(
      '<file>',
      'the file, or "-" for standard input; with --from, the id of the board to import from',
    )
    .addOption(
      new Option('--format <format>', 'the format of the file (default: detected)').choices(FILE_FORMATS),
    )
    .option(
      '--from <address>',
      'import from another leaderboard service, with the key in LEADERBOARD_FROM_API_KEY',
    )
    .option('--standings', 'with --from: one score for each entry instead of the history')
    .addOption(new Option('--events', 'with --from: the history (default)').hideHelp())
    .option(
      '--column <name=column>',
      'which column to use, like value=points; country= reads none; for clock times value=time:s or value=time:ms',
      collect,
      [],
    )
    .addOption(new Option('--decimal <mark>', 'how to read commas and points in values').choices(DECIMALS))
    .option('--no-header', 'the file has no header line; its columns are player,score')
    .option('--leaderboard <id>', 'which leaderboard of a Nakama table')
    .option('--players', 'allow lines with only a player and no value')
    .option('--partial', 'import an incomplete file as far as it goes')
    .option('--dry-run', 'check all lines without importing')
    .option('--skip-bad', 'skip invalid lines')
    .option('--rename', 'also rename players who already have a name')
    .option('--fair-play', 'run the fair-play checks on the imported scores');
  does(command, async (task) => {
    const [board, file] = command.args as [string, string];
    await runImport(task, board, file, command.opts());
  });
}
