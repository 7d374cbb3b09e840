import { parseArgs } from 'node:util';
import { SetupError } from '../../src/base/errors.js';

/** One option of a script; its value is text, read by the functions below. */
export interface Option {
  fallback: string;
  /** The value with `--all`, unless given. */
  all?: string;
  doc: string;
}

export type Options<K extends string> = Readonly<Record<K, Option>>;

/** @throws SetupError for unknown options */
export function readArguments<K extends string>(
  options: Options<K>,
  args: string[] = process.argv.slice(2),
): Record<K, string> {
  const names = Object.keys(options) as K[];
  const known = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
  const parsed = parse(args, { ...known, all: { type: 'boolean' as const } }, describeOptions(options));
  const given = parsed as Partial<Record<string, string | boolean>>;
  const values = names.map((name) => {
    const { fallback, all = fallback } = options[name];
    return [name, given[name] ?? (given.all ? all : fallback)];
  });
  return Object.fromEntries(values) as Record<K, string>;
}

function parse(args: string[], options: Record<string, { type: 'string' | 'boolean' }>, help: string) {
  try {
    return parseArgs({ args, options, strict: true }).values;
  } catch (error) {
    throw new SetupError(`${(error as Error).message}\nThe options are:\n${help}`);
  }
}

export function describeOptions<K extends string>(options: Options<K>): string {
  const lines = Object.entries<Option>(options).map(([name, { fallback, all, doc }]) => {
    const defaults = all === undefined ? fallback : `${fallback}; with --all: ${all}`;
    return `  --${name} <…>  ${doc} (${defaults})`;
  });
  return lines.join('\n');
}

/** `10k`, `5m`, `250000`. @throws SetupError */
export function numberOf(text: string): number {
  const [, digits, unit] = /^(\d{1,9})([km]?)$/i.exec(text.trim()) ?? [];
  const value = Number(digits) * ({ k: 1_000, m: 1_000_000 }[unit?.toLowerCase() ?? ''] ?? 1);
  if (!(value > 0)) throw new SetupError(`"${text}" is not a number above 0 like 250, 10k or 5m.`);
  return value;
}

/** Numbers separated by commas. @throws SetupError */
export function numbersOf(text: string): number[] {
  return text.split(',').map(numberOf);
}
