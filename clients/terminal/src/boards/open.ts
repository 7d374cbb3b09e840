import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Command } from 'commander';
import { does } from '../nouns/commands.js';
import { UsageError } from '../output/failure.js';
import type { Task } from '../output/task.js';
import { got, type Schemas } from '../rest/client.js';

type Env = Record<string, string | undefined>;

/** The program that opens an address in a browser, with its arguments; undefined: this machine shows none. */
export function browserCommand(env: Env, platform: NodeJS.Platform): [string, ...string[]] | undefined {
  if (env.BROWSER) return [env.BROWSER];
  if (env.SSH_CONNECTION) return undefined;
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : undefined;
}

/** Opens the address. @returns false where no browser can be started */
async function opened(address: string): Promise<boolean> {
  const [program, ...args] = browserCommand(process.env, process.platform) ?? [];
  if (program === undefined) return false;
  const browser = spawn(program, [...args, address], { stdio: 'ignore', detached: true });
  browser.unref();
  return once(browser, 'spawn').then(
    () => true,
    () => false,
  );
}

/** The board in the console of the service. */
async function consoleAddress({ session }: Task, { game_id, short_code }: Schemas['Board']): Promise<string> {
  const params = { path: { game_id } };
  const { slug } = await got(session.client.GET('/v1/games/{game_id}', { params }));
  return `${session.profile.api}/console/games/${slug}/boards/${short_code}/live`;
}

/** Adds `open`: the page of a board in a browser. */
export function openCommand(program: Command): void {
  const command = program
    .command('open')
    .description("open a board's public page in a browser, or the console if it has none")
    .usage('[options] <board>')
    .argument('[board]', 'the board (short code, game/slug or id)')
    .option('--console', 'open the board in the console');
  does(command, async (task) => {
    const [handle] = command.args;
    if (handle === undefined) throw new UsageError("missing required argument 'board'");
    const params = { path: { board_id: await task.idOf('board_id', handle) } };
    const board = await got(task.session.client.GET('/v1/boards/{board_id}', { params }));
    const { api } = task.session.profile;
    const address =
      command.opts().console || !board.is_published
        ? await consoleAddress(task, board)
        : (board.url_short ?? `${api}/b/${board.short_code}`);
    if (!/^https?:$/.test(new URL(address).protocol)) throw new Error(`${address} is no address of a page.`);
    if (task.out.style.json) return task.out.record({ url: address });
    const isOpened = !task.out.style.quiet && (await opened(address));
    task.out.line(isOpened ? `Opened ${address}` : address);
  });
}
