import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { SetupError } from '../base/errors.js';
import { checkNames } from '../cells/check.js';
import { Directory } from '../cells/directory.js';
import { addCell, drainCell, listCells } from '../cells/table.js';
import { unhurriedConfig } from '../db/pool.js';
import { type Disposal, runProcess } from '../process/shutdown.js';
import { urlOfCell, urlOfDirectory } from './cell-urls.js';

const CELL = /^[a-z0-9][a-z0-9-]{0,31}$/;
const MOST_WEIGHT = 1_000;
/** A write of a name takes far less. */
const PAUSE_MS = 2_000;

// leaderboard cells add <cell> [--weight <n>] | list | drain <cell> | check [--repair] [--release]: the cells of a
// directory, also while services run.
runProcess(async (disposal) => {
  const command = commandOf(process.argv.slice(2));
  const { action, cell, weight } = command;
  const directory = new Directory(urlOfDirectory());
  disposal.add(() => directory.close());
  await directory.migrate();
  if (action === 'check') {
    await check(directory, command, disposal);
    return 'done';
  }
  if (action === 'add') await addCell(directory, cell!, weight);
  if (action === 'drain') await drainCell(directory, cell!);
  const rows = await listCells(directory);
  for (const row of action === 'list' ? rows : rows.filter(({ id }) => id === cell)) {
    const { id, state, accounts, joined, unsettled } = row;
    const facts = [`weight ${row.weight}`, `${accounts} accounts`, joined ? 'joined' : 'not started yet'];
    if (unsettled > 0) facts.push(`${unsettled} names unsettled`);
    say(`${id.padEnd(16)} ${state.padEnd(9)} ${facts.join(', ')}`);
  }
  return 'done';
});

/** Prints a sentence for each fault; code 1 when one is left. */
async function check(
  directory: Directory,
  { repair, release }: CellsCommand,
  disposal: Disposal,
): Promise<void> {
  const cells = (await listCells(directory)).filter(({ joined }) => joined);
  const databases = new Map<string, pg.Client>();
  for (const { id } of cells) {
    const client = new pg.Client(unhurriedConfig(urlOfCell(id), 'leaderboard cells check'));
    await client.connect();
    disposal.add(() => client.end());
    databases.set(id, client);
  }
  const pause = () => delay(PAUSE_MS);
  const { faults, mended } = await checkNames({ directory, databases, repair, release, pause });
  for (const sentence of mended) say(`${sentence} Fixed.`);
  for (const sentence of faults) say(sentence);
  if (faults.length > 0) process.exitCode = 1;
  else say(`The directory and ${cells.length} cells agree.`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

interface CellsCommand {
  action: string;
  cell: string | undefined;
  weight: number | undefined;
  repair: boolean;
  release: boolean;
}

/** @throws SetupError */
function commandOf(args: string[]): CellsCommand {
  const refusal = new SetupError(
    'Usage: cells list, cells add <cell> [--weight <0 to 1000>], cells drain <cell> or cells check [--repair] [--release].',
  );
  try {
    const options = {
      weight: { type: 'string' },
      repair: { type: 'string' },
      release: { type: 'string' },
    } as const;
    const { positionals, values } = parseArgs({ args, options, allowPositionals: true });
    const [action = '', cell, ...rest] = positionals;
    const weight = values.weight === undefined ? undefined : Number(values.weight);
    const [repair, release] = [values.repair !== undefined, values.release !== undefined];
    const fits = weight === undefined || (Number.isInteger(weight) && weight >= 0 && weight <= MOST_WEIGHT);
    const ofAll = action === 'list' || action === 'check';
    const named = ofAll ? cell === undefined : cell !== undefined && CELL.test(cell);
    const flagged = action === 'check' || !(repair || release);
    const known = ['add', 'list', 'drain', 'check'].includes(action);
    if (!known || rest.length > 0 || !named || !fits || !flagged) throw refusal;
    return { action, cell, weight, repair, release };
  } catch {
    throw refusal;
  }
}
