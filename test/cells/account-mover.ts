import { Directory } from '../../src/cells/directory.js';
import { AccountMover } from '../../src/cells/move/move.js';

/** A mover that kills its own process after a step. */
interface Orders {
  directory: string;
  urls: Record<string, string>;
  account: string;
  step: string;
}

const { directory, urls, account, step } = JSON.parse(process.argv[2]!) as Orders;
const mover = new AccountMover({
  directory: new Directory(directory),
  urlOf: (cell) => urls[cell]!,
  signal: new AbortController().signal,
  report: () => undefined,
  reached: (now) => {
    if (now === step) process.kill(process.pid, 'SIGKILL');
  },
});
void mover.move(account, 'west');
