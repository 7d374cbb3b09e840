// The driver for Node: commands on standard input, answers and events on standard output.
import { createInterface } from 'node:readline';
import { fileStorage } from '../dist/node.js';
import { commands } from './commands.mjs';

const take = commands(fileStorage, (line) => process.stdout.write(`${JSON.stringify(line)}\n`));
createInterface(process.stdin)
  .on('line', (text) => void take(JSON.parse(text)))
  .on('close', () => process.exit());
