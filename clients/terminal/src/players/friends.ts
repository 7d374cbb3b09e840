import type { Command } from 'commander';
import type { JsonRecord } from '../call.js';
import { allPages } from '../call.js';
import { requestOf } from '../input.js';
import { commandInputs, does, takes } from '../nouns/commands.js';
import { documentInputs } from '../nouns/document.js';
import { inUnit, type Noun } from '../nouns/noun.js';
import { UsageError } from '../output/failure.js';
import { got, type ListPage, type Schemas } from '../rest/client.js';

const FRIENDS = '/v1/identities/{identity_id}/friends';
const AMONG = '/v1/scores/among';

interface Changes {
  set?: string[];
  add?: string[];
  remove?: string[];
}

/** Adds `friends` to the players: shows the stored list of one, or changes it. */
export function friendsCommand(players: Command, noun: Noun): void {
  const command = players
    .command('friends')
    .description('show the stored friends of a player, or change the list')
    .usage('[options] <player>')
    .argument('[player]', 'the player (name or id)')
    .option('--set <ids...>', 'replace the list with these players')
    .option('--add <ids...>', 'add these players')
    .option('--remove <ids...>', 'remove these players');
  does(command, async (task) => {
    const [player] = command.args;
    if (player === undefined) throw new UsageError('name the player');
    const path = { identity_id: await task.idOf('identity_id', player) };
    const { set, add, remove }: Changes = command.opts();
    if ([set, add, remove].filter((ids) => ids).length > 1) {
      throw new UsageError('use exactly one of --set, --add and --remove');
    }
    const { client } = task.session;
    const params = { path };
    const changed = set
      ? client.PATCH(FRIENDS, { params, body: { ids: set } })
      : add
        ? client.POST(FRIENDS, { params, body: { ids: add } })
        : remove && client.POST(`${FRIENDS}/remove`, { params, body: { ids: remove } });
    if (changed) {
      const list: Schemas['FriendList'] = await got(changed);
      task.out.say(`The player has ${list.count} friends.`);
      return task.out.record(list);
    }
    const request = { path, query: {}, header: {}, body: undefined };
    await task.out.list(allPages(client, FRIENDS, request, Number.POSITIVE_INFINITY), noun.columns);
  });
}

/** Adds `among` to the scores: the ranking among players. */
export function amongCommand(scores: Command, noun: Noun): void {
  const inputs = commandInputs(documentInputs('post', AMONG), noun.withoutFilters);
  const testOnly = inputs.optional.filter(({ name }) => name === 'is_test');
  const players = inputs.needed.filter(({ name }) => name !== 'player_ids');
  const command = takes(scores.command('among'), { ...inputs, needed: players, optional: testOnly })
    .description('a ranking of selected players, up to 100')
    .option('--player <ids...>', 'these players');
  does(command, async (task) => {
    const { player } = command.opts<{ player?: string[] }>();
    if (!player) throw new UsageError('give the players: --player <id> <id> …');
    const { body } = requestOf(await task.values(players, testOnly));
    const named = { ...body, account_id: await task.account(), player_ids: player, limit: 100 };
    const page = await got(task.session.client.POST(AMONG, { body: named as never }));
    const place = { title: 'PLACE', right: true, cut: false, value: ({ among_rank: n }: JsonRecord) => n };
    await task.out.list(onePage(page as ListPage<JsonRecord>), [place, ...inUnit(noun.columns, task.unit)]);
  });
}

async function* onePage<T>(page: T): AsyncGenerator<T> {
  yield page;
}
