import { parseArgs } from 'node:util';
import { SetupError } from '../base/errors.js';
import { isId, uuidOf } from '../base/ids.js';
import { Directory } from '../cells/directory.js';
import { AccountMover } from '../cells/move/move.js';
import { runProcess } from '../process/shutdown.js';
import { urlOfCell, urlOfDirectory } from './cell-urls.js';
import { stopSignal } from './command.js';

// leaderboard accounts move <account> <cell> [--back | --clean]: moves an account to another cell, takes a move back, or
// deletes what it has left on its former cell.
runProcess(async (disposal) => {
  const signal = stopSignal();
  const { account: named, cell, back, clean } = words();
  const directory = new Directory(urlOfDirectory());
  disposal.add(() => directory.close());
  await directory.migrate();
  const account = await accountOf(directory, named);
  const report = (line: string) => process.stdout.write(`${line}\n`);
  const mover = new AccountMover({ directory, urlOf: urlOfCell, signal, report });
  if (back) {
    await mover.back(account);
    report('The move was cancelled. The account stays where it was.');
  } else if (clean) {
    await mover.clean(account);
    report("The account's rows on its former cell were deleted.");
  } else {
    await mover.move(account, cell!);
    report(
      "The move is complete. The former cell still has the account's rows. Delete them with --clean when you no longer need them.",
    );
  }
  return 'done';
});

function words(): { account: string; cell?: string; back: boolean; clean: boolean } {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { back: { type: 'string' }, clean: { type: 'string' } },
  });
  const [account, cell, ...more] = positionals;
  const [back, clean] = [values.back !== undefined, values.clean !== undefined];
  if (
    account === undefined ||
    more.length > 0 ||
    (back && clean) ||
    (cell === undefined) !== (back || clean)
  ) {
    throw new SetupError(
      'Usage: name an account and the cell to move it to, or an account with --back or --clean.',
    );
  }
  return { account, ...(cell !== undefined && { cell }), back, clean };
}

/** @returns the bare uuid */
async function accountOf(directory: Directory, named: string): Promise<string> {
  if (isId('account', named)) return uuidOf(named);
  const { rows } = await directory.database.pool.query<{ account_id: string }>(
    `select account_id from names where kind = 'account_slug' and name = $1`,
    [named],
  );
  if (!rows[0]) throw new SetupError(`The directory has no account with the slug ${named}.`);
  return rows[0].account_id;
}
