import '../src/process/production.js';
import path from 'node:path';
import { SetupError } from '../src/base/errors.js';
import { makeLog } from '../src/base/log.js';
import { type Config, readConfig } from '../src/config/table.js';
import { type Service, startService } from '../src/process/service.js';
import { runProcess } from '../src/process/shutdown.js';
import { Operator } from './operator.js';
import { type Planted, plant, plantBoard } from './plant.js';
import { crowd } from './players.js';
import { Random } from './random.js';
import { type SimulatedGame, Simulation } from './simulation.js';
import { demoCup, games } from './studio.js';

const PLAYERS = 300;

// npm run demo: the service, the studio of the seeds, and simulated players for as long as it runs. On a database of its
// own below DATA_DIR, so that the real one stays clean; with --here (npm run demo -- --here) where the settings say.
runProcess(async (disposal) => {
  const config = demoConfig(process.argv.slice(2));
  const log = makeLog(config.logLevel);
  const service = await startService(config, log, disposal);
  process.stdout.write(service.banner);
  const planted = await plantDemo(service);
  const simulation = new Simulation({
    url: service.url,
    headerPrefix: config.headerPrefix,
    games: playedGames(planted),
    players: crowd(new Random(7), PLAYERS),
    random: new Random(Date.now()),
    log,
  });
  disposal.add(() => simulation.stop());
  simulation.start();
  process.stdout.write(instructions(service, planted));
  return 'serving';
});

function demoConfig(flags: string[]): Config {
  const [flag] = flags;
  // Its players come from one address.
  const env = { LOG_LEVEL: 'warn', ANONYMOUS_WRITES_PER_MINUTE: 'off', ...process.env };
  if (flag === '--here') return readConfig(env);
  if (flag !== undefined) throw new SetupError(`The demo knows only the flag --here, not ${flag}.`);
  // Nothing of the real service: neither its database nor its superadmin.
  const { dataDir } = readConfig({ ...env, DATABASE_URL: undefined });
  return readConfig({ ...env, DATABASE_URL: undefined, DATA_DIR: path.join(dataDir, 'demo') });
}

/** The records of the seeds, and the cup of the crowd. */
async function plantDemo({ parts }: Service): Promise<Planted & { cup: string }> {
  const operator = await Operator.enter(parts);
  try {
    const planted = await plant(operator);
    operator.time = Date.now();
    const owners = { accountId: planted.accountId, gameId: planted.games.get(demoCup.game)! };
    const { runs: _runs, play: _play, ...board } = demoCup.board;
    return { ...planted, cup: await plantBoard(operator, owners, demoCup.game, board) };
  } finally {
    await operator.leave();
  }
}

/** Half of what is played in the cup's game is the cup. */
function playedGames({ games: gameIds, boards, cup }: Planted & { cup: string }): SimulatedGame[] {
  return games.map((game) => {
    const played = [...game.boards, ...game.series].map(({ slug, play }) => ({
      id: boards.get(`${game.slug}/${slug}`)!,
      play,
    }));
    const cups = game.slug === demoCup.game ? played.map(() => ({ id: cup, play: demoCup.board.play })) : [];
    return { id: gameIds.get(game.slug)!, boards: [...played, ...cups] };
  });
}

function instructions({ url }: Service, { boards, cup }: Planted & { cup: string }): string {
  return `  ${PLAYERS} simulated players are submitting. The public pages:

  ${url}/games/${demoCup.game}
  ${url}/games/${demoCup.game}/boards/${demoCup.board.slug} (over a video: ?overlay=1)

  The same in the explorer, ${url}/explorer (no key is needed for it):

  subscription {
    boardChanged(boardId: "${cup}", first: 10) {
      version entryCount scores { edges { rank node { playerName value } } }
    }
  }

  Other boards to look at: ${boards.get('moonlit-drift/high-scores')} (high scores),
  ${boards.get('moonlit-drift/harbour-sprint')} (fastest laps).
  Ctrl-C ends the demo; the next one goes on where it ended.

`;
}
