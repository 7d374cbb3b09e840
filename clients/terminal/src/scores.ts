import { type Command, Option } from 'commander';
import type { JsonRecord } from './call.js';
import { numberOf, requestOf } from './input.js';
import { commandInputs, createRecord, does, takes } from './nouns/commands.js';
import { documentInputs } from './nouns/document.js';
import { inUnit, type Noun } from './nouns/noun.js';
import { UsageError } from './output/failure.js';
import type { RecordColumn } from './output/table.js';
import type { Task } from './output/task.js';
import { got, type operations, type Schemas } from './rest/client.js';

const LIST = '/v1/scores';
const LIST_EVENTS = '/v1/score-events';

/** Inputs of `around` that the list has, too. */
const AROUND = ['is_test', 'view', 'of', 'where'];

/** A row of a list: a score, or with `view` a place of it. */
type Row = Schemas['Score'] | Schemas['Standing'];

const scoreIdOf = (row: Row) => ('id' in row ? row.id : row.score_id);

type Query = operations['listScores']['parameters']['query'];

/** The score of a player on a board. */
async function scoreOfPlayer(task: Task, query: Query, player: string): Promise<Row | undefined> {
  const request = { params: { query: { ...query, identity_id: player, limit: 1 } } };
  return (await got(task.session.client.GET(LIST, request))).data[0];
}

/** Adds `around` to the scores: the window around a player, a score or a value. */
export function aroundCommand(scores: Command, noun: Noun): void {
  const inputs = commandInputs(documentInputs('get', LIST), noun.withoutFilters);
  const shared = inputs.optional.filter(({ name }) => AROUND.includes(name));
  const command = takes(scores.command('around'), { ...inputs, optional: shared })
    .description('the scores around a player, a score or any value')
    .option('--player <player>', 'centre on this player (name or id)')
    .option('--score <id>', 'centre on this score')
    .addOption(new Option('--value <n>', 'centre on this value').argParser((text) => numberOf(text, false)))
    .addOption(
      new Option('--limit <n>', 'maximum number of results')
        .argParser((text) => numberOf(text, true))
        .default(11),
    );
  does(command, async (task) => {
    const { player, score, value, limit } = command.opts();
    if ([player, score, value].filter((middle) => middle !== undefined).length !== 1) {
      throw new UsageError('use exactly one of --player, --score and --value');
    }
    const { query } = requestOf(await task.values(inputs.needed, shared));
    const scoped: Query = { ...(query as Query), account_id: await task.account() };
    const own =
      player === undefined
        ? undefined
        : await scoreOfPlayer(task, scoped, await task.idOf('identity_id', player));
    if (player !== undefined && !own) throw new Error('This player has no score on this board.');
    const middle = own ? scoreIdOf(own) : score;
    const window = value === undefined ? { around_score_id: middle } : { around_score_value: value };
    const page = await got(
      task.session.client.GET(LIST, { params: { query: { ...scoped, ...window, limit } } }),
    );
    const marker: RecordColumn = {
      title: '',
      value: ({ id, score_id, is_placeholder: placeholder }) =>
        (id ?? score_id) === middle || placeholder ? '>' : '',
    };
    await task.out.list(parseOnce(page as { data: JsonRecord[]; pagination: Schemas['Pagination'] }), [
      marker,
      ...inUnit(noun.columns, task.unit),
    ]);
  });
}

async function* parseOnce<T>(page: T): AsyncGenerator<T> {
  yield page;
}

/** Adds `submit` to the scores: submits a score event and shows the player's place after it. */
export function submitCommand(scores: Command): void {
  const inputs = commandInputs(documentInputs('post', LIST_EVENTS));
  const command = takes(scores.command('submit'), inputs).description(
    'submit a score for a player from the server side',
  );
  does(command, async (task) => {
    const event = await createRecord(task, LIST_EVENTS, inputs);
    if (task.out.style.json || task.out.style.quiet) return task.out.record(event);
    const { board_id, account_id, identity_id, is_test } = event as Schemas['ScoreEvent'];
    const query: Query = { board_id, account_id, is_test: is_test ? 'true' : 'false' };
    const score = await scoreOfPlayer(task, query, identity_id);
    task.out.say(score ? `Submitted: ${score.player_name} has rank ${score.rank}.` : 'Submitted.');
    await task.out.record(event);
  });
}
