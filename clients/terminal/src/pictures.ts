import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { does } from './nouns/commands.js';
import { UsageError } from './output/failure.js';
import type { Task } from './output/task.js';
import { got } from './rest/client.js';

const TYPES: Record<string, string> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
};

type Kind = 'logo' | 'cover';

/** Uploads the file, or removes the picture. */
async function change(task: Task, kind: Kind): Promise<void> {
  const [game, file] = task.command.args;
  const { remove }: { remove?: boolean } = task.command.opts();
  if (game === undefined) throw new UsageError('give the game');
  if ((file === undefined) !== (remove ?? false)) throw new UsageError('give either a file or --remove');
  const params = { path: { game_id: await task.idOf('game_id', game) } };
  const at = `/v1/games/{game_id}/${kind}` as const;
  const { client } = task.session;
  const answer =
    file === undefined ? client.DELETE(at, { params }) : client.PUT(at, await upload(file, params));
  const record = await got(answer);
  task.out.say(remove ? `Removed the ${kind}.` : `Updated the ${kind}.`);
  await task.out.record(record);
}

/** The request of an upload; the file's ending determines its type. */
async function upload<P>(file: string, params: P) {
  const type = TYPES[path.extname(file).toLowerCase()];
  if (!type) throw new UsageError(`the file must end in one of ${Object.keys(TYPES).join(', ')}`);
  const bytes = await readFile(file);
  return {
    params,
    headers: { 'content-type': type },
    body: bytes as never,
    bodySerializer: (body: unknown) => body as never,
  };
}

/** Adds `logo` and `cover` to the games. */
export function pictureCommands(games: Command): void {
  for (const kind of ['logo', 'cover'] as const) {
    const command = games
      .command(kind)
      .description(`set the ${kind} of a game, from a PNG, JPEG or WebP file, or remove it`)
      .usage('[options] <game> <file>')
      .argument('[game]', 'the game (slug or id)')
      .argument('[file]', 'the file, up to 512 KiB')
      .option('--remove', `remove the ${kind}`);
    does(command, (task) => change(task, kind));
  }
}
