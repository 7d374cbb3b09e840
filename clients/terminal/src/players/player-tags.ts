import type { Command } from 'commander';
import { does } from '../nouns/commands.js';
import { UsageError } from '../output/failure.js';
import { got, type Schemas } from '../rest/client.js';

const TAGS = '/v1/identities/{identity_id}/tags';

/** Adds `tags` to the players: shows those of one, or changes them. */
export function playerTagsCommand(players: Command): void {
  const command = players
    .command('tags')
    .description('show the tags of a player, or change them')
    .usage('[options] <player>')
    .argument('[player]', 'the player (id)')
    .option('--set <tags...>', 'set these tags, like guild:Ravens')
    .option('--remove <names...>', 'remove these tags');
  does(command, async (task) => {
    const [player] = command.args;
    if (player === undefined) throw new UsageError('give the id of the player');
    const params = { path: { identity_id: await task.idOf('identity_id', player) } };
    const { set = [], remove = [] }: { set?: string[]; remove?: string[] } = command.opts();
    const tags = Object.fromEntries([...set.map(pairOf), ...remove.map((name) => [name, null] as const)]);
    const { client } = task.session;
    const answer =
      set.length + remove.length > 0
        ? client.PATCH(TAGS, { params, body: { tags } })
        : client.GET(TAGS, { params });
    const playerTags: Schemas['PlayerTags'] = await got(answer);
    await task.out.record(playerTags);
  });
}

function pairOf(text: string): [string, string] {
  const at = text.indexOf(':');
  if (at < 1) throw new UsageError(`--set expects tags like guild:Ravens, not ${text}`);
  return [text.slice(0, at), text.slice(at + 1)];
}
