import { text } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import { askSecret, canAsk } from './input.js';
import { type CommandInputs, commandInputs, createRecord, does, takes } from './nouns/commands.js';
import { documentInputs } from './nouns/document.js';
import { UsageError } from './output/failure.js';
import { shownText, TerminalOutput } from './output/output.js';
import { got } from './rest/client.js';
import {
  chosenApi,
  chosenCell,
  type GlobalOptions,
  headerPrefixOf,
  ownProfiles,
  Session,
} from './session.js';

/** Reads a key from the environment, a pipe or a hidden prompt, where others do not see it. */
async function givenKey(api: string): Promise<string> {
  const { LEADERBOARD_API_KEY: known } = process.env;
  // Without a prompt, a typed key would be visible.
  const piped = async () => (process.stdin.isTTY ? '' : text(process.stdin));
  const key = known || (canAsk() ? await askSecret(`API key for ${api}`) : await piped());
  if (!key.trim()) throw new UsageError('no API key given. Pipe it in: leaderboard login < key-file');
  return key.trim();
}

export function loginCommand(program: Command): void {
  const command = program
    .command('login')
    .description('store an API key for later commands (from a prompt, a pipe or LEADERBOARD_API_KEY)');
  command.action(async () => {
    const options: GlobalOptions = command.optsWithGlobals();
    const api = chosenApi(options);
    const headerPrefix = await headerPrefixOf(api);
    const apiKey = await givenKey(api);
    const profile = { api, headerPrefix, apiKey, cell: chosenCell(options) };
    const { user, account } = await new Session(profile).me();
    const profiles = ownProfiles();
    profiles.save(options.profile, profile);
    const who = `${shownText(user?.display_name)} (${shownText(user?.email)}), ${shownText(account?.name)}`;
    new TerminalOutput(process.stdout, options).say(
      `Logged in to ${api} as ${who}. Key saved to ${profiles.file}.`,
    );
  });
}

export function logoutCommand(program: Command): void {
  const command = program
    .command('logout')
    .description('remove the stored key')
    .addOption(new Option('--revoke', 'also revoke the key, so that it stops working everywhere'));
  command.action(async () => {
    const options: GlobalOptions = command.optsWithGlobals();
    const profiles = ownProfiles();
    const profile = profiles.read(options.profile);
    if (!profile) throw new UsageError(`you are not logged in with the profile "${options.profile}"`);
    if (command.opts().revoke) {
      const session = new Session(profile);
      const id = (await session.me()).api_key?.id ?? '';
      await got(
        session.client.PATCH('/v1/api-keys/{key_id}', {
          params: { path: { key_id: id } },
          body: { status: 'revoked' },
        }),
      );
    }
    profiles.remove(options.profile);
    new TerminalOutput(process.stdout, options).say(`Logged out of ${profile.api}.`);
  });
}

export function whoamiCommand(program: Command): void {
  const command = program.command('whoami').description('show the current account, user and key');
  does(command, async (task) => {
    const me = await task.session.me();
    if (task.out.style.json) return task.out.record(me);
    if (task.out.style.quiet) return task.out.line(me.account_id);
    const { account, user, api_key: key } = me;
    task.out.fields([
      ['account', `${shownText(account?.name)} (${shownText(account?.slug)}, ${me.account_id})`],
      ['user', `${shownText(user?.display_name)} (${shownText(user?.email)}, ${shownText(user?.id)})`],
      ['role', me.super_admin ? 'superadmin' : shownText(me.role)],
      ['rights', me.rights.join(', ')],
      ['key', `${shownText(key?.name)} (${shownText(key?.prefix)}…)`],
      ['service', task.session.profile.api],
    ]);
  });
}

const LIST_KEYS = '/v1/api-keys';

/** Adds `create` to the keys: for the caller, unless another user is named. The key is shown only once. */
export function createKeyCommand(keys: Command): void {
  const { needed, optional, account } = commandInputs(documentInputs('post', LIST_KEYS));
  const user = needed.find(({ name }) => name === 'user_id')!;
  const inputs: CommandInputs = {
    needed: needed.filter((input) => input !== user),
    optional: [user, ...optional],
    account,
  };
  const command = takes(keys.command('create'), inputs).description('create a key, which is shown this once');
  does(command, async (task) => {
    const made = await createRecord(task, LIST_KEYS, inputs, async (_task, values) => {
      if (!values.has(user)) values.set(user, (await task.session.me()).user?.id);
    });
    task.out.say("Key created. Copy it now, it won't be shown again:");
    await task.out.record(made);
  });
}
