import os from 'node:os';
import { SetupError } from '../../src/base/errors.js';
import { Disposal } from '../../src/process/shutdown.js';
import { type Options, readArguments } from './arguments.js';
import { log } from './log.js';
import { openScratch, type Scratch } from './scratch.js';
import { say } from './table.js';

export interface Bench<K extends string> {
  /** The measurement, in a sentence. */
  title: string;
  /** How long it takes, with the default options and with --all. */
  duration: string;
  options: Options<K>;
  /** Where the script keeps its databases between runs; absent: nowhere. */
  keptIn?(args: Record<K, string>): string;
  /** @param disposal whatever the script starts is added; undone in reverse order, whatever happens */
  run(scratch: Scratch, args: Record<K, string>, disposal: Disposal): Promise<void>;
}

/** Runs a script from its arguments to its exit code, on a scratch Postgres that does not outlive it. */
export function runBench<K extends string>(bench: Bench<K>): void {
  runScript(bench, async (args, disposal) => {
    const scratch = await openScratch(disposal, bench.keptIn?.(args));
    say(machine(scratch));
    await bench.run(scratch, args, disposal);
  });
}

/** Runs a script that opens its databases itself, from its arguments to its exit code. */
export function runScript<K extends string>(
  script: Pick<Bench<K>, 'title' | 'duration' | 'options'>,
  run: (args: Record<K, string>, disposal: Disposal) => Promise<void>,
): void {
  const disposal = new Disposal();
  const started = performance.now();
  let ending: Promise<void> | undefined;
  const end = () => {
    ending ??= disposal.run();
    return ending;
  };
  const stop = (code: number) => {
    log.level = 'silent';
    const exit = () => process.exit(code);
    end().then(exit, exit);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => stop(128 + os.constants.signals[signal]));
  }
  // Without this the embedded server would outlive the process.
  process.once('uncaughtException', (error) => {
    fail(error);
    stop(1);
  });
  work(script, run, disposal).then(
    async () => {
      await end();
      say(`Done in ${((performance.now() - started) / 1_000).toFixed(0)} s.`);
    },
    async (error: unknown) => {
      // Work that a signal interrupted fails because its database is gone.
      if (!ending) fail(error);
      await end();
    },
  );
}

function fail(error: unknown): void {
  process.exitCode = 1;
  const text = error instanceof SetupError ? error.message : ((error as Error)?.stack ?? String(error));
  process.stderr.write(`${text}\n`);
}

async function work<K extends string>(
  { title, duration, options }: Pick<Bench<K>, 'title' | 'duration' | 'options'>,
  run: (args: Record<K, string>, disposal: Disposal) => Promise<void>,
  disposal: Disposal,
): Promise<void> {
  const args = readArguments(options);
  say(title);
  say(`Takes ${duration}.`);
  await run(args, disposal);
}

function machine({ version, build, kind }: Scratch): string {
  const cpus = os.cpus();
  const memory = Math.round(os.totalmem() / 2 ** 30);
  const postgres = `PostgreSQL ${version} (${[kind, build].filter(Boolean).join(', ')})`;
  const machine = `${cpus.length} cores (${cpus[0]?.model ?? 'unknown'}), ${memory} GB, ${os.platform()}`;
  return `${machine}; Node ${process.versions.node}; ${postgres}`;
}
