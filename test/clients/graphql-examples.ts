import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { startApp } from '../support/app.js';
import { makeBoard, makeGame, makeStudio, startSession } from '../support/make.js';
import { submit } from '../support/play.js';

const FOLDER = path.resolve(__dirname, '../../examples/graphql');
const PLAYERS = 5;

export type GraphqlExample = 'codegen' | 'apollo' | 'relay';

const run = promisify(execFile);

/** A service with a published board of a few players, under the examples of GraphQL clients. */
export async function graphqlExamples(): Promise<{
  /** Installs an example and runs it. @returns what it printed @throws if it fails, with its output */
  start(name: GraphqlExample): Promise<string>;
  close(): Promise<void>;
}> {
  const app = await startApp();
  const studio = await makeStudio(app);
  const game = await makeGame(studio);
  const board = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  for (let i = 1; i <= PLAYERS; i += 1) await submit(await startSession(app, game.id), board.id, 10 * i);
  const env = {
    ...process.env,
    LEADERBOARD_URL: app.url,
    LEADERBOARD_API_KEY: studio.admin.headers['service-api-key'],
    GAME_ID: game.id,
    BOARD_ID: board.id,
  };
  const start = async (name: GraphqlExample) => {
    const options = { cwd: path.join(FOLDER, name), env };
    await run('npm', ['install', '--include=dev', '--no-audit', '--no-fund', '--no-package-lock'], options);
    const { stdout, stderr } = await run('npm', ['start', '--silent'], options).catch(
      (error: { stdout: string; stderr: string }) => {
        throw new Error(`${name}: ${error.stdout}${error.stderr}`);
      },
    );
    return stdout + stderr;
  };
  return { start, close: () => app.close() };
}
