#!/usr/bin/env node
import { EXIT, report } from './output/failure.js';
import { makeProgram } from './program.js';

// A reader that closes the pipe early, as in `leaderboard games list --all | head`, is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.done);
  throw error;
});

async function main(): Promise<void> {
  const program = makeProgram();
  try {
    await program.parseAsync();
  } catch (error) {
    process.exitCode = report(error, program.opts().json === true);
  }
}

void main();
