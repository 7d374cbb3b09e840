import 'reflect-metadata';
import '../src/process/production.js';
import path from 'node:path';
import type { AppOptions } from '../src/app.js';
import { SetupError } from '../src/base/errors.js';
import { makeLog } from '../src/base/log.js';
import { type Config, readConfig } from '../src/config/table.js';
import { localUrl } from '../src/process/banner.js';
import { type Service, startService } from '../src/process/service.js';
import { runProcess } from '../src/process/shutdown.js';
import { Arcade, type ArcadeBoard } from './demo/arcade.js';
import { type DemoBoards, LANDING_BOARDS, plantDemoBoards, rush, sprint } from './demo/boards.js';
import { cheatedRun, plantCheaters, watchedGame } from './demo/cheaters.js';
import { crowd } from './demo/crowd.js';
import type { SimulatedBoard, SimulatedGame } from './demo/device.js';
import { LINK_MINUTES, SignInLink } from './demo/sign-in-link.js';
import { Simulation } from './demo/simulation.js';
import { Operator } from './operator.js';
import { type Planted, plant } from './plant.js';
import type { Player } from './players.js';
import { Random } from './random.js';
import type { SeedGame } from './shapes.js';
import { games, studio } from './studio.js';

const PLAYERS = 300;
const CHEATERS = 6;
/** All who have a score on the boards that are shown first. */
const EVERYONE = 20_000;
/** Then cheaters rest until a reviewer has decided. */
const FLAGS_WAITING = 12;

// npm run demo: the service, the studio of the seeds, cheaters and their flags, and simulated players for as long as it
// runs. On a database of its own below DATA_DIR, so that the real one stays clean; with --here (npm run demo -- --here)
// where the settings say.
runProcess(async (disposal) => {
  const config = demoConfig(process.argv.slice(2));
  const log = makeLog(config.logLevel);
  const link = new SignInLink();
  const arcade = new Arcade();
  const morePages: AppOptions['morePages'] = (edges) => [link.pages(edges), arcade.pages];
  const service = await startService(config, log, disposal, { morePages });
  process.stdout.write(service.banner);
  const [everyone, cheaters] = drawPlayers();
  const planted = await plantDemo(service, everyone);
  const simulation = new Simulation({
    url: service.url,
    headerPrefix: config.headerPrefix,
    games: playedGames(planted),
    players: everyone.slice(0, PLAYERS),
    cheating: {
      ...{ players: cheaters, game: watchedGame, run: cheatedRun },
      wanted: async () => (await flagsWaiting(service)) < FLAGS_WAITING,
    },
    random: new Random(Date.now()),
    log,
  });
  disposal.add(() => simulation.stop());
  simulation.start();
  const { keySecret, keyPrefix } = service.parts.settings;
  const signIn = service.url + link.make({ keySecret, keyPrefix }, planted.userId);
  const game = service.url + arcade.open(arcadeBoard(planted, config));
  process.stdout.write(instructions({ url: service.url, signIn, game }, config));
  return 'serving';
});

function demoConfig(flags: string[]): Config {
  const [flag] = flags;
  // Its players share one address.
  const env = { LOG_LEVEL: 'warn', ANONYMOUS_WRITES_PER_MINUTE: 'off', LANDING_BOARDS, ...process.env };
  const read = (more: NodeJS.ProcessEnv) => {
    const config = readConfig({ ...env, ...more });
    if (config.workers > 1) throw new SetupError('The demo runs in one process: unset WORKERS.');
    // A free port is known too late for the setting.
    if (config.publicUiUrl !== undefined || config.port === 0) return config;
    return readConfig({ ...env, ...more, PUBLIC_UI_URL: localUrl(config.host, config.port) });
  };
  if (flag === '--here') return read({});
  if (flag !== undefined) throw new SetupError(`The demo knows only the flag --here, not ${flag}.`);
  // Nothing of the real service: neither its database nor its superadmin.
  const { dataDir } = read({ DATABASE_URL: undefined });
  return read({ DATABASE_URL: undefined, DATA_DIR: path.join(dataDir, 'demo') });
}

type PlantedDemo = Planted & DemoBoards;

/** @returns everyone, those first who go on playing, and those who cheat */
function drawPlayers(): [Player[], Player[]] {
  const players = crowd(new Random(7), EVERYONE + CHEATERS);
  return [players.toSpliced(PLAYERS, CHEATERS), players.slice(PLAYERS, PLAYERS + CHEATERS)];
}

async function flagsWaiting({ parts }: Service): Promise<number> {
  const [row] = await parts.database.knex('score_flags').where({ status: 'pending' }).count();
  return Number(row!.count);
}

/** The studio of the seeds, the demo's own boards, and the cheaters. */
async function plantDemo({ parts }: Service, everyone: Player[]): Promise<PlantedDemo> {
  const operator = await Operator.enter(parts);
  try {
    const planted = await plant(operator);
    await plantCheaters(operator, planted, Date.now());
    // Last: the present sprint ends soon.
    return { ...planted, ...(await plantDemoBoards(operator, planted, everyone, playsRush)) };
  } finally {
    await operator.leave();
  }
}

/** Players take turns in the games: see {@link Simulation}. */
function playsRush(index: number): boolean {
  return index < PLAYERS && games[index % games.length]!.slug === rush.game;
}

/** A third of what is played in a game is the board that only the demo has. */
function playedGames({
  games: gameIds,
  boards,
  rush: rushId,
  sprint: sprintId,
}: PlantedDemo): SimulatedGame[] {
  const own: Record<string, SimulatedBoard> = {
    [rush.game]: { id: rushId, slug: rush.board.slug, play: rush.board.play },
    [sprint.game]: { id: sprintId, slug: sprint.series.slug, play: sprint.series.play },
  };
  return games.map((game) => {
    const played = [...game.boards, ...game.series].map(({ slug, play }): SimulatedBoard => {
      return { id: boards.get(`${game.slug}/${slug}`)!, slug, play };
    });
    const more = Array.from({ length: Math.ceil(played.length / 2) }, () => own[game.slug]!);
    return { id: gameIds.get(game.slug)!, slug: game.slug, boards: [...played, ...more] };
  });
}

/** The board of the first game that is shown first takes the runs of the arcade. */
function arcadeBoard({ games: gameIds, boards }: Planted, { headerPrefix }: Config): ArcadeBoard {
  const [{ slug, first, boards: made }] = games as [SeedGame];
  const { shortCode } = made.find((board) => board.slug === first)!;
  const boardId = boards.get(`${slug}/${first}`)!;
  return { gameId: gameIds.get(slug)!, boardId, shortCode: shortCode!, headerPrefix };
}

interface Addresses {
  url: string;
  signIn: string;
  game: string;
}

function instructions({ url, signIn, game }: Addresses, { publicUiUrl }: Config): string {
  const links = publicUiUrl
    ? `  PUBLIC_UI_URL is ${publicUiUrl}: links to games and boards in responses (url, url_short) begin with it.`
    : '  PUBLIC_UI_URL is not set: responses have no links to games and boards (url, url_short).';
  return `  Open
  ${url}/ — the landing page with live boards, where ${PLAYERS} simulated players are submitting
  ${game} — a game to play against them. Pull its plug, and your runs arrive later
  ${signIn} — the console as ${studio.users[0]!.displayName}, once, within ${LINK_MINUTES} minutes
  ${url}/explorer — GraphQL with examples; REST is at ${url}/docs

${links}
  Ctrl-C ends the demo. The next start continues where it stopped.

`;
}
