import { parseArgs } from 'node:util';
import { SetupError } from '../base/errors.js';
import { Directory } from '../cells/directory.js';
import { addCell, drainCell, listCells } from '../cells/table.js';
import { readConfig } from '../config/table.js';
import { runProcess } from '../process/shutdown.js';

const CELL = /^[a-z0-9][a-z0-9-]{0,31}$/;
const MOST_WEIGHT = 1_000;

// leaderboard cells add <cell> [--weight <n>] | list | drain <cell>: the cells of a directory, also while services run.
runProcess(async (disposal) => {
  const { directoryUrl } = readConfig(process.env);
  if (directoryUrl === undefined) throw new SetupError('There is no directory: set DIRECTORY_URL.');
  const { action, cell, weight } = commandOf(process.argv.slice(2));
  const directory = new Directory(directoryUrl);
  disposal.add(() => directory.close());
  await directory.migrate();
  if (action === 'add') await addCell(directory, cell!, weight);
  if (action === 'drain') await drainCell(directory, cell!);
  const rows = await listCells(directory);
  for (const row of action === 'list' ? rows : rows.filter(({ id }) => id === cell)) {
    const { id, state, accounts, joined, unsettled } = row;
    const facts = [`weight ${row.weight}`, `${accounts} accounts`, joined ? 'joined' : 'not started yet'];
    if (unsettled > 0) facts.push(`${unsettled} names unsettled`);
    process.stdout.write(`${id.padEnd(16)} ${state.padEnd(9)} ${facts.join(', ')}\n`);
  }
  return 'done';
});

interface CellsCommand {
  action: string;
  cell: string | undefined;
  weight: number | undefined;
}

/** @throws SetupError */
function commandOf(args: string[]): CellsCommand {
  const refusal = new SetupError(
    'The command cannot be run as it was typed: use cells list, cells add <cell> [--weight <0 to 1000>] or cells drain <cell>.',
  );
  try {
    const options = { weight: { type: 'string' } } as const;
    const { positionals, values } = parseArgs({ args, options, allowPositionals: true });
    const [action = '', cell, ...rest] = positionals;
    const weight = values.weight === undefined ? undefined : Number(values.weight);
    const fits = weight === undefined || (Number.isInteger(weight) && weight >= 0 && weight <= MOST_WEIGHT);
    const named = action === 'list' ? cell === undefined : cell !== undefined && CELL.test(cell);
    if (!['add', 'list', 'drain'].includes(action) || rest.length > 0 || !named || !fits) throw refusal;
    return { action, cell, weight };
  } catch {
    throw refusal;
  }
}
