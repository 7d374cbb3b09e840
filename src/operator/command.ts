import { parseArgs } from 'node:util';
import { SetupError } from '../base/errors.js';

/** A long command that leaves nothing half done when it is stopped by Ctrl-C or SIGTERM. */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => controller.abort(new SetupError('The command was interrupted.')));
  }
  return controller.signal;
}

/**
 * The words and options of a command.
 * @param words names of the words, all required
 * @throws SetupError when others were given
 */
export function commandLine<N extends string>(
  words: string[],
  options: readonly N[] = [],
): { words: string[]; options: Partial<Record<N, string>> } {
  const names = Object.fromEntries(options.map((name) => [name, { type: 'string' as const }]));
  try {
    const { positionals, values } = parseArgs({ options: names, allowPositionals: true });
    if (positionals.length === words.length) {
      return { words: positionals, options: values as Partial<Record<N, string>> };
    }
    throw new Error(words.length === 0 ? 'it takes no arguments' : `name ${words.join(' and ')}`);
  } catch (error) {
    throw new SetupError(`Invalid command line: ${(error as Error).message}.`);
  }
}
