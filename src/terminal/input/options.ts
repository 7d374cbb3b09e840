import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Input } from '../nouns/document.js';
import { explanation, jsonValue, optionName, placeholder } from './text.js';

/** Values of a request by location. */
export interface Request {
  path: Record<string, string>;
  query: Record<string, unknown>;
  header: Record<string, string>;
  body: Record<string, unknown> | undefined;
}

/** Adds an input to the command as an option. */
export function addOption(command: Command, input: Input): void {
  const name = optionName(input);
  const text = explanation(input);
  if (input.kind.type === 'boolean') {
    command.addOption(new Option(`--${name}`, `${text} (or --no-${name})`));
    command.addOption(new Option(`--no-${name}`).hideHelp());
    return;
  }
  const repeated = input.kind.type === 'array' ? ' (can be repeated)' : '';
  const option = new Option(`--${name} <${placeholder(input)}>`, text + repeated);
  command.addOption(option.argParser((word, before) => jsonValue(input, word, before)));
}

function canBeEmpty({ clearable, kind }: Input): boolean {
  return clearable || kind.type === 'array';
}

/** The option `--clear`, for inputs that can be null in the record. */
export function addClear(command: Command, inputs: Input[]): void {
  const names = inputs.filter(canBeEmpty).map(optionName);
  if (names.length === 0) return;
  const option = new Option('--clear <field>', `empties a field: ${names.join(', ')} (can be repeated)`);
  command.addOption(
    option.argParser((word: string, before: string[] | undefined) => {
      if (!names.includes(word)) throw new InvalidArgumentError(`It can be ${names.join(', ')}.`);
      return [...(before ?? []), word];
    }),
  );
}

/** The attribute of a command's options that holds an input's value. */
function attributeOf(input: Input): string {
  return new Option(`--${optionName(input)}`).attributeName();
}

/** The values of the command's options, by REST's names; absent options are left out. */
export function givenValues(command: Command, inputs: Input[]): Map<Input, unknown> {
  const options: Record<string, unknown> = command.opts();
  const cleared = (options.clear as string[] | undefined) ?? [];
  const given = new Map<Input, unknown>();
  for (const input of inputs) {
    const value = options[attributeOf(input)];
    if (cleared.includes(optionName(input))) given.set(input, input.kind.type === 'array' ? [] : null);
    else if (value !== undefined) given.set(input, value);
  }
  return given;
}

function put(target: Record<string, unknown>, [first = '', ...rest]: string[], value: unknown): void {
  if (rest.length === 0) {
    target[first] = value;
    return;
  }
  target[first] ??= {};
  put(target[first] as Record<string, unknown>, rest, value);
}

/** Puts values where the operation takes them. */
export function requestOf(values: ReadonlyMap<Input, unknown>): Request {
  const request: Request = { path: {}, query: {}, header: {}, body: undefined };
  for (const [input, value] of values) {
    if (input.where === 'body') {
      request.body ??= {};
      put(request.body, input.way, value);
    } else {
      put(request[input.where], input.way, value);
    }
  }
  return request;
}
