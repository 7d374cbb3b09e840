import type { Command } from 'commander';
import { call, type JsonRecord } from './call.js';
import { requestOf } from './input.js';
import { commandInputs, does, takes } from './nouns/commands.js';
import { documentInputs } from './nouns/document.js';
import { VALUE } from './nouns/noun.js';
import { onlyPage } from './output/inner-lists.js';
import type { RecordColumn } from './output/table.js';

const AT = '/v1/boards/{board_id}/closing-preview';

const COLUMNS: RecordColumn[] = [
  { title: 'LINE', value: ({ line }) => line },
  { title: 'RANK', right: true, value: ({ display_rank }) => display_rank },
  { title: 'PLAYER', value: ({ player_name }) => player_name },
  { ...VALUE, value: ({ value, value_display }) => value_display ?? value },
  { title: 'SHARED BY', right: true, value: ({ shared_by }) => shared_by },
];

/** Adds `preview-closing` to boards: who would get what if a ranking closed now. */
export function closingPreviewCommand(boards: Command): void {
  const inputs = commandInputs(documentInputs('get', AT));
  const command = takes(boards.command('preview-closing'), inputs).description(
    'who would get which prize if the board, or the current period of a view, closed now',
  );
  does(command, async (task) => {
    const request = requestOf(await task.values(inputs.needed, inputs.optional));
    const preview = await call<JsonRecord>(task.session.client, 'get', AT, request);
    if (task.out.style.json) return task.out.record(preview);
    const lines = preview.lines as JsonRecord[];
    const winners = lines.flatMap(({ line, winners }) =>
      (winners as JsonRecord[]).map((winner) => ({ line, ...winner })),
    );
    await task.out.list(onlyPage(winners), COLUMNS);
    task.out.say(
      `${preview.reward_count} rewards for ${preview.winner_count} of ${preview.player_count} players.`,
    );
    for (const { line, left_out, too_few_runs, too_new } of lines) {
      if (!left_out) continue;
      task.out.say(
        `${line} leaves out ${left_out} players: ${too_few_runs} with too few runs, ${too_new} too new.`,
      );
    }
    for (const limit of preview.limits as string[]) task.out.say(SENTENCES[limit]!);
    for (const { type, endpoints } of (preview.webhooks ?? []) as { type: string; endpoints: string[] }[]) {
      task.out.say(`Webhook ${type} to ${endpoints.join(', ')}`);
    }
  });
}

const SENTENCES: Record<string, string> = {
  minimum_entries: 'Nothing is given: too few players.',
  tie_limit: 'Grants wait for a release: too many players of equal value.',
  grants_per_closing: 'Grants wait for a release: too many rewards for one closing.',
};
