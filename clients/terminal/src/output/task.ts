import { type Command, InvalidArgumentError } from 'commander';
import { call, type JsonRecord } from '../call.js';
import { askInput, canAsk, givenValues, jsonValue, optionName } from '../input.js';
import type { CommandInput } from '../nouns/document.js';
import { type FoundRecord, looksLikeId, recordNamed } from '../nouns/handles.js';
import { namesOf } from '../nouns/names.js';
import { currentProfile, type GlobalOptions, Session } from '../session.js';
import { UsageError } from './failure.js';
import { TerminalOutput } from './output.js';

/** Records that determine the account of a command that creates or lists their children. */
const LEADS_TO_ACCOUNT: Record<string, string> = {
  game_id: '/v1/games/{game_id}',
  board_id: '/v1/boards/{board_id}',
};

/** One run of a command: its words, the resolved records, and its output. */
export class Task {
  readonly options: GlobalOptions;
  readonly out: TerminalOutput;
  readonly session: Session;
  #place: (FoundRecord & JsonRecord) | undefined;

  /** @throws UsageError when there is no key to work with */
  constructor(readonly command: Command) {
    this.options = command.optsWithGlobals();
    this.session = new Session(currentProfile(this.options));
    // A table without names is better than none.
    const names = (ids: ReadonlySet<string>) => namesOf(this.session.client, ids).catch(() => new Map());
    this.out = new TerminalOutput(process.stdout, this.options, names);
  }

  /** The account that `--account` names. */
  async namedAccount(): Promise<string | undefined> {
    const { account } = this.options;
    if (account === undefined) return undefined;
    return (await recordNamed(this.session.client, 'account_id', account, undefined)).id;
  }

  /** The account that `--account` names, else that of the game or board the command is about, else the caller's. */
  async account(): Promise<string> {
    const named = await this.namedAccount();
    return named ?? this.#place?.account_id ?? (await this.session.me()).account_id;
  }

  /** The unit of the board that the command is about; null: it has none, or the command is about no board. */
  get unit(): unknown {
    return this.#place?.unit ?? null;
  }

  /** The account to list; undefined: the service decides. */
  async accountInView(): Promise<string | undefined> {
    return (await this.namedAccount()) ?? this.#place?.account_id;
  }

  /** The id of the record that a word of the command line names. */
  async idOf(member: string, handle: string): Promise<string> {
    const account = looksLikeId(handle) ? undefined : await this.namedAccount();
    const { id } = await recordNamed(this.session.client, member, handle, account);
    return id;
  }

  /**
   * The values of the command: its words in order are the inputs of `needed`, its options those of `optional`. Handles
   * are resolved to ids.
   * @throws UsageError when a word is missing and no prompt is possible
   */
  async values(needed: CommandInput[], optional: CommandInput[]): Promise<Map<CommandInput, unknown>> {
    const values = givenValues(this.command, optional);
    for (const [index, input] of needed.entries()) values.set(input, await this.#word(index, input));
    for (const [input, value] of values) {
      if (input.name.endsWith('_id') && typeof value === 'string') {
        values.set(input, await this.#reference(input, value, needed.includes(input)));
      }
      if (input.name.endsWith('_ids') && Array.isArray(value)) {
        const member = input.name.slice(0, -1);
        values.set(input, await Promise.all(value.map((handle) => this.idOf(member, String(handle)))));
      }
    }
    return values;
  }

  async #word(index: number, input: CommandInput): Promise<unknown> {
    const name = optionName(input);
    // Lists take all words to the end.
    const isList = input.kind.type === 'array';
    const words = this.command.args.slice(index, isList ? undefined : index + 1);
    if (words.length === 0 && !canAsk()) throw new UsageError(`missing required argument '${name}'`);
    try {
      const typed = words.length > 0 ? words : [await askInput(input, name)];
      const items = isList ? typed.flatMap((text) => text.trim().split(/[\s,]+/)) : typed;
      return items.reduce<unknown>((before, word) => jsonValue(input, word, before), undefined);
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      throw new UsageError(`argument '${name}' is invalid. ${error.message}`);
    }
  }

  async #reference(input: CommandInput, handle: string, isSubject: boolean): Promise<string> {
    const id = await this.idOf(input.name, handle);
    const at = isSubject && input.where !== 'path' ? LEADS_TO_ACCOUNT[input.name] : undefined;
    if (at) {
      const request = { path: { [input.name]: id }, query: {}, header: {}, body: undefined };
      this.#place = await call<JsonRecord & FoundRecord>(this.session.client, 'get', at, request);
    }
    return id;
  }
}
