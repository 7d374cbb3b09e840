import type { Command } from 'commander';
import { call, type JsonRecord } from './call.js';
import { requestOf } from './input.js';
import { commandInputs, does, listCommand, takes } from './nouns/commands.js';
import { documentInputs } from './nouns/document.js';
import { type Noun, VALUE } from './nouns/noun.js';
import { onlyPage } from './output/inner-lists.js';
import { minute } from './output/output.js';
import type { RecordColumn } from './output/table.js';

const VIEWS = '/v1/boards/{board_id}/views';

const plain = (name: string, title: string, right = false): RecordColumn => {
  return { title, right, value: (record) => record[name] };
};
const moment = (name: string, title: string): RecordColumn => {
  return { title: `${title} (UTC)`, value: (record) => minute(record[name] as string | null) };
};

const VIEW_COLUMNS = [
  plain('name', 'VIEW'),
  plain('period', 'PERIOD'),
  plain('by', 'BY'),
  plain('status', 'STATUS'),
  plain('progress', 'DONE', true),
];

const STANDING_COLUMNS = [
  plain('view', 'VIEW'),
  plain('of', 'PERIOD'),
  plain('rank', 'RANK', true),
  plain('total', 'OF', true),
  { ...VALUE, value: (record: JsonRecord) => record.value_display ?? record.value },
  plain('player_name', 'PLAYER'),
];

/** Places of a player. */
const PLACES = [
  { name: 'standing', description: "show a player's rank in one ranking of a board" },
  { name: 'standings', description: "list a player's current ranks in a board's views" },
];

/** Lists of a view; no records of their own. */
const LISTS = [
  {
    name: 'periods',
    columns: [
      plain('key', 'PERIOD'),
      plain('state', 'STATE'),
      plain('total', 'SCORES', true),
      moment('starts_at', 'STARTS'),
      moment('ends_at', 'ENDS'),
    ],
  },
  {
    name: 'groups',
    columns: [plain('key', 'GROUP'), plain('state', 'STATE'), plain('total', 'SCORES', true)],
  },
];

/** Adds `views`, `periods`, `groups`, `standing` and `standings` to the boards. */
export function viewCommands(boards: Command): void {
  const inputs = commandInputs(documentInputs('get', VIEWS));
  const command = takes(boards.command('views'), inputs).description('list the views of a board');
  does(command, async (task) => {
    const request = requestOf(await task.values(inputs.needed, []));
    const { views } = await call<{ views: JsonRecord[] }>(task.session.client, 'get', VIEWS, request);
    await task.out.list(onlyPage(views), VIEW_COLUMNS);
  });
  for (const { name, description } of PLACES) {
    const place = `/v1/boards/{board_id}/${name}`;
    const asked = commandInputs(documentInputs('get', place));
    const shown = takes(boards.command(name), asked).description(description);
    does(shown, async (task) => {
      const request = requestOf(await task.values(asked.needed, []));
      const answer = await call<JsonRecord>(task.session.client, 'get', place, request);
      const standings = (answer.standings as JsonRecord[] | undefined) ?? [answer];
      await task.out.list(onlyPage(standings), STANDING_COLUMNS);
    });
  }
  for (const { name, columns } of LISTS) {
    const list = `${VIEWS}/{view}/${name}`;
    listCommand(boards.command(name), { name, columns, list } as Noun);
    boards.commands.at(-1)!.description(`list the ${name} of a view of a board`);
  }
}
