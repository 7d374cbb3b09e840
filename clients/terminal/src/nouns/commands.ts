import { type Command, Option } from 'commander';
import { allPages, call, type JsonRecord } from '../call.js';
import { addClear, addOption, explanation, numberOf, optionName, requestOf } from '../input.js';
import { confirm, requireTerminal } from '../output/confirm.js';
import { UsageError } from '../output/failure.js';
import { Task } from '../output/task.js';
import { type CommandInput, documentInputs, type HttpMethod, isServed } from './document.js';
import { HANDLES } from './handles.js';
import { type Act, inUnit, type Noun } from './noun.js';

const DEFAULT_LIMIT = 20;

/** Inputs that commands of all nouns handle themselves. */
const HANDLED = ['account_id', 'cursor', 'limit', 'sort', 'deleted'];

/** Inputs of a command: words in order, and options. */
export interface CommandInputs {
  needed: CommandInput[];
  optional: CommandInput[];
  /** The input that names an account, if the operation has one. */
  account: CommandInput | undefined;
}

export function commandInputs(inputs: CommandInput[], without: string[] = []): CommandInputs {
  const typed = inputs.filter(({ name }) => ![...HANDLED, ...without].includes(name));
  return {
    needed: typed.filter(({ required }) => required),
    optional: typed.filter(({ required }) => !required),
    account: inputs.find(({ name, where }) => name === 'account_id' && where !== 'path'),
  };
}

/** The word of an input in a usage line; a list takes all words to the end. */
function wordName(input: CommandInput): string {
  return input.kind.type === 'array' ? `${optionName(input)}...` : optionName(input);
}

/** Declares words and options. A word is optional if the user can be prompted for it. */
export function takes(command: Command, { needed, optional }: CommandInputs): Command {
  for (const input of needed) {
    const handle = HANDLES[input.name];
    command.argument(`[${wordName(input)}]`, explanation(input) + (handle ? ` (${handle})` : ''));
  }
  // Commander would refuse a missing word before the prompt; the help text still shows it as required.
  command.usage(['[options]', ...needed.map((input) => `<${wordName(input)}>`)].join(' '));
  for (const input of optional) addOption(command, input);
  return command;
}

type Run = (task: Task) => Promise<void>;

/** The action of a command, with all that it needs. */
export function does(command: Command, run: Run): void {
  command.action(() => run(new Task(command)));
}

/** `list` of a noun, or a list with other inputs. */
export function listCommand(command: Command, noun: Noun): void {
  const inputs = commandInputs(documentInputs('get', noun.list), noun.withoutFilters);
  takes(command.description(`list ${noun.name}`), inputs)
    .addOption(
      new Option('--limit <n>', 'maximum number of results')
        .argParser((text) => numberOf(text, true))
        .default(DEFAULT_LIMIT),
    )
    .option('--all', 'return all results')
    .option('--sort <order>', 'sort order, like name:asc,created_at:desc')
    .option('--cursor <cursor>', 'continue from the cursor of an earlier response');
  does(command, async (task) => {
    const { limit, all, sort, cursor } = command.opts();
    if (limit < 1) throw new UsageError('--limit must be 1 or more.');
    const request = requestOf(await task.values(inputs.needed, inputs.optional));
    const account = await task.accountInView();
    const query = { ...request.query, sort, cursor, ...(inputs.account && { account_id: account }) };
    const records = allPages(task.session.client, noun.list, { ...request, query }, all ? Infinity : limit);
    await task.out.list(records, inUnit(noun.columns, task.unit), 'use --limit <n> or --all.');
  });
}

function addressOf(noun: Noun): string {
  return /\{(\w+)\}/.exec(noun.item)![1]!;
}

/** Declares the words of a command on one record: the first names it. */
function ofRecord(command: Command, noun: Noun, ...words: CommandInput[]): CommandInput[] {
  const member = addressOf(noun);
  const input = documentInputs('get', noun.item).find(({ name }) => name === member)!;
  const needed = [{ ...input, description: `the ${noun.one}` }, ...words];
  takes(command, { needed, optional: [], account: undefined });
  return needed;
}

function showCommand(command: Command, noun: Noun): void {
  const words = ofRecord(command.description(`show a ${noun.one}`), noun);
  does(command, async (task) => {
    const request = requestOf(await task.values(words, []));
    await task.out.record(await call(task.session.client, 'get', noun.item, request));
  });
}

/** Values that a command adds to the given ones before the request. */
type Complete = (task: Task, values: Map<CommandInput, unknown>) => Promise<void>;

/**
 * Creates a record with the values of the command.
 * @returns the record, not yet shown
 */
export async function createRecord(
  task: Task,
  at: string,
  inputs: CommandInputs,
  complete?: Complete,
): Promise<JsonRecord> {
  const values = await task.values(inputs.needed, inputs.optional);
  if (inputs.account) values.set(inputs.account, await task.account());
  await complete?.(task, values);
  return call<JsonRecord>(task.session.client, 'post', at, requestOf(values));
}

function createCommand(command: Command, noun: Noun): void {
  const inputs = commandInputs(documentInputs('post', noun.list));
  takes(command.description(`create a ${noun.one}`), inputs);
  does(command, async (task) => {
    const made = await createRecord(task, noun.list, inputs);
    task.out.say(noun.creation?.(made) ?? `Created ${noun.one}.`);
    await task.out.record(made);
  });
}

function updateCommand(command: Command, noun: Noun): void {
  const inputs = documentInputs('patch', noun.item).filter(({ where }) => where !== 'path');
  const { needed, optional } = commandInputs(inputs);
  const changeable = [...needed, ...optional];
  const isWord = ({ name }: CommandInput) => noun.update?.words.includes(name) ?? false;
  const words = ofRecord(command.description(`change a ${noun.one}`), noun, ...changeable.filter(isWord));
  const options = changeable.filter((input) => !isWord(input));
  for (const input of options) addOption(command, input);
  addClear(command, options);
  does(command, async (task) => {
    const request = requestOf(await task.values(words, options));
    if (!request.body) throw new UsageError('nothing to change. Set at least one option, see --help');
    const changed = await call<JsonRecord>(task.session.client, 'patch', noun.item, request);
    task.out.say(`Updated ${noun.one}.`);
    await task.out.record(changed);
  });
}

export const DRY_RUN = 'Dry run. Nothing was changed.';

/** A command that makes one fixed change to a record. */
function actCommand(command: Command, noun: Noun, act: Act): void {
  const inputs = act.at && (act.words || act.options) ? documentInputs('post', act.at) : [];
  const further = inputs.filter(({ name }) => act.words?.includes(name));
  const words = ofRecord(command.description(act.about), noun, ...further);
  const options = inputs.filter(({ name }) => act.options?.includes(name));
  for (const input of options) addOption(command, input);
  if (act.asks) command.option('-y, --yes', 'do not ask for confirmation');
  does(command, async (task) => {
    const { yes, dryRun } = command.opts();
    const needsYes = act.asks && !yes && !dryRun;
    if (needsYes) requireTerminal(act.name);
    const request = requestOf(await task.values(words, options));
    request.body = { ...act.body, ...(request.body as object | undefined) };
    const handle = command.args[0] ?? Object.values(request.path)[0];
    if (needsYes) await confirm(`${act.name} ${noun.one} ${handle}?`);
    const [method, at] = act.at ? (['post', act.at] as const) : (['patch', noun.item] as const);
    const changed = await call<JsonRecord>(task.session.client, method, at, request);
    task.out.say(dryRun ? DRY_RUN : act.done);
    const { json, quiet } = task.out.style;
    const isWhole = json || quiet || !act.shows;
    await task.out.record(
      isWhole ? changed : Object.fromEntries(act.shows!.map((name) => [name, changed[name]])),
    );
  });
}

/** @param one the word for the record */
function deletion(one: string): Act[] {
  return [
    {
      name: 'delete',
      about: 'delete it with everything in it; undo with restore',
      body: { deleted: true },
      done: `Deleted ${one}.`,
      asks: true,
    },
    { name: 'restore', about: 'undo a deletion', body: { deleted: false }, done: `Restored ${one}.` },
  ];
}

/** The command of a noun, with all operations of the service on its records. */
export function nounCommand(program: Command, noun: Noun): Command {
  const command = program.command(noun.name).description(noun.about);
  const serves = (verb: 'create' | 'update', method: HttpMethod, at: string) =>
    !noun.without?.includes(verb) && isServed(method, at);
  listCommand(command.command('list'), noun);
  showCommand(command.command('show'), noun);
  if (serves('create', 'post', noun.list)) createCommand(command.command('create'), noun);
  if (serves('update', 'patch', noun.item)) {
    updateCommand(command.command(noun.update?.name ?? 'update'), noun);
  }
  const deletable =
    isServed('patch', noun.item) && documentInputs('patch', noun.item).some(({ name }) => name === 'deleted');
  for (const act of [...(noun.acts ?? []), ...(deletable ? deletion(noun.one) : [])]) {
    actCommand(command.command(act.name), noun, act);
  }
  return command;
}
