import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { parseExactly, roundedNumber } from './base/json/exact-json.js';
import { does } from './nouns/commands.js';
import { UsageError } from './output/failure.js';
import { jsonText, printable } from './output/output.js';
import type { Task } from './output/task.js';
import { got, type operations, type Schemas } from './rest/client.js';

const AT = '/v1/score-events/batch';
const MOST_ITEMS = 100;
/** Bytes of the items of one request: below the service's limit of 256 KiB, with room for keys. */
const MOST_BYTES = 240_000;

type Item = Schemas['CreateScoreEvent'];
type SentScore =
  operations['createScoreEvents']['responses'][200]['content']['application/json']['results'][number];

interface Line {
  /** Its number from 1, as an editor counts. */
  number: number;
  item: Item;
}

/** @throws UsageError when a line is no JSON object */
function linesOf(content: string): Line[] {
  return content.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    return [{ number: index + 1, item: parseItem(line, index + 1) }];
  });
}

function parseItem(line: string, number: number): Item {
  let item: unknown;
  try {
    item = parseExactly(line);
  } catch {
    // Text that is no JSON gets the same error as JSON that is no object.
  }
  if (typeof item === 'object' && item !== null && !Array.isArray(item)) {
    if (Object.values(item).every((value) => roundedNumber(value) === undefined)) return item as Item;
    throw new UsageError(`line ${number} has a number with too many digits for a double`);
  }
  throw new UsageError(
    `line ${number} is not a JSON object like {"board_id": …, "identity_id": …, "value": 1}`,
  );
}

/**
 * The lines with an idempotency key each: one without gets that of its content, so that the same file sent again counts once. Equal
 * lines of one file are as many scores.
 */
function keyed(lines: Line[]): Line[] {
  const times = new Map<string, number>();
  return lines.map(({ number, item }) => {
    const content = createHash('sha256').update(JSON.stringify(item)).digest('base64url');
    const time = (times.get(content) ?? 0) + 1;
    times.set(content, time);
    return { number, item: { ...item, idempotency_key: item.idempotency_key ?? `${content}-${time}` } };
  });
}

function batchesOf(lines: Line[]): Line[][] {
  const batches: Line[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const line of lines) {
    const size = Buffer.byteLength(JSON.stringify(line.item));
    if (bytes + size > MOST_BYTES || batches.at(-1)!.length === MOST_ITEMS) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)!.push(line);
    bytes += size;
  }
  return batches;
}

/** Writes the results of one batch. @returns the number of refused lines */
function printResults({ out }: Task, lines: Line[], results: SentScore[]): number {
  let refused = 0;
  for (const [index, { number }] of lines.entries()) {
    const { error, event, status } = results[index]!;
    if (error) refused += 1;
    if (out.style.json) out.line(jsonText({ line: number, ...results[index] }));
    else if (out.style.quiet && event) out.line(event.id);
    else if (error) {
      const faults = error.details?.map(({ loc, msg }) => `${loc.slice(3).join('.')} ${msg}`) ?? [
        error.error,
      ];
      process.stderr.write(
        `${printable(`line ${number}: ${faults.join('; ')} (${status} ${error.code})`)}\n`,
      );
    }
  }
  return refused;
}

/** Adds `submit-file` to the scores: submits score events of a file, up to a hundred in one request. */
export function submitFileCommand(scores: Command): void {
  const command = scores
    .command('submit-file')
    .argument('<file>', 'one JSON object per line with the fields of a score event; - for standard input')
    .option('--board <board>', 'the board for lines without board_id (short code, game/slug or id)')
    .description('submit the scores in a file from the server side; sending the same file twice counts once');
  does(command, async (task) => {
    const [file] = command.args as [string];
    const content = file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
    const lines = linesOf(content);
    const { board } = command.opts<{ board?: string }>();
    const board_id = board === undefined ? undefined : await task.idOf('board_id', board);
    const whole = lines.map(({ number, item }) => ({
      number,
      item: board_id === undefined ? item : { ...item, board_id: item.board_id ?? board_id },
    }));
    const account_id = await task.namedAccount();
    const query = account_id === undefined ? {} : { account_id };
    let [refused, replayed] = [0, 0];
    for (const batch of batchesOf(keyed(whole))) {
      const body = { items: batch.map(({ item }) => item) };
      const { results } = await got(task.session.client.POST(AT, { params: { query }, body }));
      refused += printResults(task, batch, results);
      replayed += results.filter((result) => result.replayed && !result.error).length;
    }
    const before = replayed > 0 ? ` ${replayed} of them had already been stored.` : '';
    task.out.say(`Submitted ${lines.length - refused} of ${lines.length} scores.${before}`);
    if (refused > 0) throw new Error(`${refused} of ${lines.length} scores were refused.`);
  });
}
