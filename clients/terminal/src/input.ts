import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CommandInput } from './nouns/document.js';
import { parseTime } from './nouns/time.js';

/** Values of a request by location. */
export interface OperationRequest {
  path: Record<string, string>;
  query: Record<string, unknown>;
  header: Record<string, string>;
  body: Record<string, unknown> | undefined;
}

/** Adds an input to the command as an option. */
export function addOption(command: Command, input: CommandInput): void {
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

function canBeEmpty({ clearable, kind }: CommandInput): boolean {
  return clearable || kind.type === 'array';
}

/** The option `--clear`, for inputs that can be null in the record. */
export function addClear(command: Command, inputs: CommandInput[]): void {
  const names = inputs.filter(canBeEmpty).map(optionName);
  if (names.length === 0) return;
  const option = new Option('--clear <field>', `clear a field: ${names.join(', ')} (can be repeated)`);
  command.addOption(
    option.argParser((word: string, before: string[] | undefined) => {
      if (!names.includes(word)) throw new InvalidArgumentError(`It must be one of ${names.join(', ')}.`);
      return [...(before ?? []), word];
    }),
  );
}

/** The attribute of a command's options that holds an input's value. */
function attributeOf(input: CommandInput): string {
  return new Option(`--${optionName(input)}`).attributeName();
}

/** The values of the command's options, by REST's names; absent options are left out. */
export function givenValues(command: Command, inputs: CommandInput[]): Map<CommandInput, unknown> {
  const options: Record<string, unknown> = command.opts();
  const cleared = (options.clear as string[] | undefined) ?? [];
  const values = new Map<CommandInput, unknown>();
  for (const input of inputs) {
    const value = options[attributeOf(input)];
    const empty = input.kind.type === 'array' && !input.clearable ? [] : null;
    if (cleared.includes(optionName(input))) values.set(input, empty);
    else if (value !== undefined) values.set(input, value);
  }
  return values;
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
export function requestOf(values: ReadonlyMap<CommandInput, unknown>): OperationRequest {
  const request: OperationRequest = { path: {}, query: {}, header: {}, body: undefined };
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

/** @throws InvalidArgumentError when the text is no number */
export function numberOf(text: string, whole: boolean): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isFinite(value)) throw new InvalidArgumentError('It must be a number.');
  if (whole && !Number.isSafeInteger(value)) throw new InvalidArgumentError('It must be an integer.');
  return value;
}

function objectOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Text that is no JSON gets the same error as JSON that is no object.
  }
  throw new InvalidArgumentError('It must be a JSON object like \'{"level": 3}\'.');
}

/**
 * The JSON value of a command-line argument. A date means 00:00 UTC.
 * @param before the previous value of the same option, if it can be repeated
 * @throws InvalidArgumentError when the word does not fit
 */
export function jsonValue(input: CommandInput, text: string, before?: unknown): unknown {
  const { type, format, values } = input.kind;
  if (values && !values.includes(text)) {
    throw new InvalidArgumentError(`Allowed choices are ${values.join(', ')}.`);
  }
  if (type === 'array') {
    return [...((before as unknown[] | undefined) ?? []), input.kind.ofObjects ? objectOf(text) : text];
  }
  if (type === 'object') return objectOf(text);
  if (type === 'number' || type === 'integer') return numberOf(text, type === 'integer');
  if (type === 'boolean') return text === 'true';
  return format === 'date-time' ? parseTime(text) : text;
}

/**
 * The name of an input on the command line: `created_from_template_id` is `created-from-template`, `is_active` is
 * `active`, `game_ids` is `games`, and an identity is a player.
 */
export function optionName({ name }: CommandInput): string {
  const bare = name.replace(/^is_/, '').replace(/_id$/, '').replace(/_ids$/, 's');
  return bare === 'identity' ? 'player' : bare.replaceAll('_', '-');
}

const SHORT = 16;

/** Placeholder of its value in a help text. */
function placeholder(input: CommandInput): string {
  const { type, format, values } = input.kind;
  if (values && values.join('|').length <= SHORT) return values.join('|');
  if (type === 'object' || input.kind.ofObjects) return 'json';
  if (type === 'number' || type === 'integer') return 'n';
  if (format === 'date-time') return 'time';
  return values || input.name.endsWith('_id') ? optionName(input).split('-').at(-1)! : 'text';
}

/** Help text of an input. The texts of OpenAPI put names in backticks, which are removed for the terminal. */
export function explanation({ description, kind }: CommandInput): string {
  const text = description.replaceAll('`', '').replace(/\.$/, '');
  const listed = kind.values && kind.values.join('|').length > SHORT;
  return listed ? `${text} (${kind.values?.join(', ')})` : text;
}

/** The user pressed Ctrl-C at a prompt. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

/** True if prompts are possible. They go to standard error, so that the output can be redirected. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

const asking = { input: process.stdin, output: process.stderr };

function answeredPrompt<T>(answer: T): Exclude<T, symbol> {
  if (typeof answer === 'symbol') throw new Cancelled('Cancelled.');
  return answer as Exclude<T, symbol>;
}

/** @param hint example of an answer */
export async function askText(message: string, hint?: string): Promise<string> {
  const { text } = await import('@clack/prompts');
  const answer = await text({
    ...asking,
    message,
    ...(hint !== undefined && { placeholder: hint }),
    validate: (value) => (value?.trim() ? undefined : 'Enter a value, or press Ctrl-C to cancel.'),
  });
  return answeredPrompt(answer).trim();
}

/** Prompts for a secret, which is not echoed. */
export async function askSecret(message: string): Promise<string> {
  const { password } = await import('@clack/prompts');
  return answeredPrompt(await password({ ...asking, message })).trim();
}

export async function askYes(message: string): Promise<boolean> {
  const { confirm } = await import('@clack/prompts');
  return answeredPrompt(await confirm({ ...asking, message, initialValue: false }));
}

/** Prompts for a required value that was not given. */
export async function askInput({ description, kind }: CommandInput, what: string): Promise<string> {
  const message = `${what[0]!.toUpperCase()}${what.slice(1)}? ${description.replaceAll('`', '')}`;
  if (!kind.values) return askText(message);
  const { select } = await import('@clack/prompts');
  const options = kind.values.map((value) => ({ value, label: value }));
  return answeredPrompt(await select({ ...asking, message, options }));
}
