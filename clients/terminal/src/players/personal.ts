import { setTimeout as delay } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { printExport, streamClient } from '../export.js';
import { does } from '../nouns/commands.js';
import { confirm, requireTerminal } from '../output/confirm.js';
import { UsageError } from '../output/failure.js';
import type { Task } from '../output/task.js';
import { got, type Schemas } from '../rest/client.js';

const SCORES = ['keep', 'remove'] as const;
const PROGRESS_INTERVAL_MS = 1_000;

type Erasure = Schemas['IdentityErasure'];

interface EraseOptions {
  scores: (typeof SCORES)[number];
  dryRun?: boolean;
  yes?: boolean;
}

async function playerOf(task: Task): Promise<string> {
  const [player] = task.command.args;
  if (player === undefined) throw new UsageError('name the player');
  return task.idOf('identity_id', player);
}

function summary({ records, boards }: Erasure): string {
  const { devices, sessions, submissions, flags, audit_entries: entries } = records;
  const places = new Set(boards.map(({ board_id: id }) => id)).size;
  const others = `${devices} devices, ${sessions} sessions, ${flags} flags, ${entries} audit entries`;
  return `${submissions} submissions on ${places} boards, ${others}`;
}

/** Waits until the history is erased, and shows how far it is. */
async function finished(task: Task, id: string, first: Erasure): Promise<Erasure> {
  let erasure = first;
  const params = { path: { identity_id: id } };
  while (erasure.status === 'running') {
    const { boards_done: done, boards_total: total, overwritten } = erasure;
    process.stderr.write(`${done} of ${total} boards, ${overwritten} submissions\n`);
    await delay(PROGRESS_INTERVAL_MS);
    erasure = await got(task.session.client.GET('/v1/identities/{identity_id}/erasure', { params }));
  }
  return erasure;
}

async function erase(task: Task): Promise<void> {
  const { scores, dryRun, yes }: EraseOptions = task.command.opts();
  if (!yes && !dryRun) requireTerminal('erase');
  const id = await playerOf(task);
  const params = { path: { identity_id: id } };
  const { client } = task.session;
  const preview = await got(client.GET('/v1/identities/{identity_id}/erasure', { params }));
  if (dryRun) {
    task.out.say(`Dry run. Nothing was changed: ${summary(preview)}.`);
    await task.out.record(preview);
    return;
  }
  if (!yes) await confirm(`Permanently erase ${summary(preview)}?`);
  const begun = await got(client.POST('/v1/identities/{identity_id}/erase', { params, body: { scores } }));
  const erasure = await finished(task, id, begun);
  task.out.say('Erased player.');
  await task.out.record(erasure);
}

/** Adds `export` and `erase` to the players: their personal data. */
export function personalCommands(players: Command): void {
  const exported = players
    .command('export')
    .description('print everything stored about a player as NDJSON, of any size')
    .usage('<player>')
    .argument('[player]', 'the player (id)');
  does(exported, async (task) => {
    const params = { path: { identity_id: await playerOf(task) } };
    const stream = streamClient(task).GET('/v1/identities/{identity_id}/export', {
      params,
      parseAs: 'stream',
    });
    await printExport(await got(stream as never));
  });
  const erased = players
    .command('erase')
    .description("permanently erase a player's personal data")
    .usage('[options] <player>')
    .argument('[player]', 'the player (id)')
    .addOption(
      new Option('--scores <what>', 'keep the scores (as of a deleted player) or remove them')
        .choices(SCORES)
        .default('keep'),
    )
    .option('--dry-run', 'show what would be erased without changing anything')
    .option('-y, --yes', 'do not ask for confirmation');
  does(erased, erase);
}
