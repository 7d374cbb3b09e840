import type { Command } from 'commander';
import { call, type JsonRecord } from './call.js';
import { requestOf } from './input.js';
import { commandInputs, does, listCommand, takes } from './nouns/commands.js';
import { documentInputs } from './nouns/document.js';
import type { Noun } from './nouns/noun.js';
import { minute, type RecordColumn } from './output/output.js';
import type { Schemas } from './rest/client.js';

const VIEWS = '/v1/boards/{board_id}/views';

const plain = (name: string, title: string, right = false): RecordColumn => {
  return { title, right, of: (record) => record[name] };
};
const moment = (name: string, title: string): RecordColumn => {
  return { title: `${title} (UTC)`, of: (record) => minute(record[name] as string | null) };
};

const VIEW_COLUMNS = [
  plain('name', 'VIEW'),
  plain('period', 'PERIOD'),
  plain('by', 'BY'),
  plain('status', 'STATUS'),
  plain('progress', 'DONE', true),
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

/** Adds `views`, `periods` and `groups` to the boards. */
export function viewCommands(boards: Command): void {
  const inputs = commandInputs(documentInputs('get', VIEWS));
  const command = takes(boards.command('views'), inputs).description('list the views of a board');
  does(command, async (task) => {
    const request = requestOf(await task.values(inputs.needed, []));
    const { views } = await call<{ views: JsonRecord[] }>(task.session.client, 'get', VIEWS, request);
    const pagination = { count: views.length, has_next: false, has_prev: false } as Schemas['Pagination'];
    await task.out.list(only({ data: views, pagination }), VIEW_COLUMNS);
  });
  for (const { name, columns } of LISTS) {
    const list = `${VIEWS}/{view}/${name}`;
    listCommand(boards.command(name), { name, columns, list } as Noun);
    boards.commands.at(-1)!.description(`list the ${name} of a view of a board`);
  }
}

async function* only<T>(page: T): AsyncGenerator<T> {
  yield page;
}
