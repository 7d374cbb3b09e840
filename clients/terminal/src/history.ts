import type { Command } from 'commander';
import { call, type JsonRecord } from './call.js';
import { requestOf } from './input.js';
import { commandInputs, does, takes } from './nouns/commands.js';
import { documentInputs } from './nouns/document.js';
import type { Noun } from './nouns/noun.js';
import { onlyPage } from './output/inner-lists.js';
import { minute } from './output/output.js';
import type { RecordColumn } from './output/table.js';

const COUNTS: [field: string, title: string][] = [
  ['submissions', 'SUBMISSIONS'],
  ['flags', 'FLAGS'],
  ['new_players', 'NEW PLAYERS'],
  ['active_players', 'ACTIVE PLAYERS'],
];

const HISTORY_COLUMNS: RecordColumn[] = [
  { title: 'FROM (UTC)', value: ({ at }) => minute(at as string) },
  ...COUNTS.map(([field, title]) => ({ title, right: true, value: (point: JsonRecord) => point[field] })),
];

/** Adds `history` to accounts, games or boards: figures by hour, day or month. */
export function historyCommand(records: Command, noun: Noun): void {
  const at = `${noun.item}/history`;
  const inputs = commandInputs(documentInputs('get', at));
  const command = takes(records.command('history'), inputs).description(
    `submissions, flags and players of ${noun.one === 'account' ? 'an account' : `a ${noun.one}`} by hour, day or month`,
  );
  does(command, async (task) => {
    const request = requestOf(await task.values(inputs.needed, inputs.optional));
    const history = await call<JsonRecord>(task.session.client, 'get', at, request);
    if (task.out.style.json) return task.out.record(history);
    await task.out.list(onlyPage(history.points as JsonRecord[]), HISTORY_COLUMNS);
    if (history.is_complete === false) task.out.say('Earlier submissions are still being counted.');
  });
}
