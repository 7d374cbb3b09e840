import os from 'node:os';
import { SetupError } from '../base/errors.js';

/** Longer than a full drain and a last checkpoint take; after it the process ends regardless. */
const HARD_CAP_MS = 15_000;
/** A terminal's Ctrl-C reaches this process twice when npm forwards it: both signals count as one. */
const SAME_WISH_MS = 500;

/** Cleanup steps, run in reverse order. */
export class Disposal {
  readonly #steps: (() => Promise<void>)[] = [];

  add(step: () => Promise<void>): void {
    this.#steps.push(step);
  }

  /** Runs all steps, whatever fails. @throws the first failure, at the end */
  async run(): Promise<void> {
    const failures: unknown[] = [];
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) {
      await step().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/**
 * Runs a process: `start` until it returns, then until SIGTERM or SIGINT, then the disposal, after which the process
 * ends by itself with code 0. A signal during the start lets the start finish first. A second signal ends the process
 * at once, with 128 and the signal's number; a disposal that takes too long ends it with 1. If the start fails, the
 * process prints the error, in one sentence if it is a SetupError, and ends with code 1.
 * @param start returns `done` for a command that has finished its work. Its argument `end` requests the end as a signal
 * does; it may be called any number of times
 */
export function runProcess(
  start: (disposal: Disposal, end: () => void) => Promise<'serving' | 'done'>,
): void {
  const disposal = new Disposal();
  let requestedAt: number | undefined;
  let wanted = false;
  let serving = false;
  let ending = false;

  const end = async () => {
    if (ending) return;
    ending = true;
    setTimeout(() => {
      say('The service did not shut down in time. Some connections or the database may still be open.');
      process.exit(1);
    }, HARD_CAP_MS).unref();
    try {
      await disposal.run();
    } catch (error) {
      fail(error);
    }
  };
  const stop = (signal: NodeJS.Signals) => {
    const now = performance.now();
    if (requestedAt !== undefined && now - requestedAt > SAME_WISH_MS)
      process.exit(128 + os.constants.signals[signal]);
    requestedAt ??= now;
    wish();
  };
  const wish = () => {
    wanted = true;
    if (serving) void end();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);

  start(disposal, wish).then(
    async (state) => {
      serving = true;
      if (state === 'done' || wanted) await end();
    },
    async (error) => {
      fail(error);
      await end();
    },
  );
}

function fail(error: unknown): void {
  process.exitCode = 1;
  if (error instanceof SetupError) say(error.message);
  else say(`The service failed unexpectedly: ${error instanceof Error ? error.stack : String(error)}`);
}
