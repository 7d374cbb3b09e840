import type { Command } from 'commander';
import { type CommandInputs, commandInputs, created, does, takes } from './nouns/commands.js';
import { inputsOf } from './nouns/document.js';

const LIST = '/v1/api-keys';

/** Adds `create` to the keys: for the caller, unless another user is named. The key is shown only once. */
export function createKeyCommand(keys: Command): void {
  const { needed, optional, account } = commandInputs(inputsOf('post', LIST));
  const user = needed.find(({ name }) => name === 'user_id')!;
  const inputs: CommandInputs = {
    needed: needed.filter((input) => input !== user),
    optional: [user, ...optional],
    account,
  };
  const command = takes(keys.command('create'), inputs).description('create a key, which is shown this once');
  does(command, async (task) => {
    const made = await created(task, LIST, inputs, async (_task, values) => {
      if (!values.has(user)) values.set(user, (await task.session.me()).user?.id);
    });
    task.out.say('Created key. It is shown this once:');
    task.out.record(made);
  });
}
