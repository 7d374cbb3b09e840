import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../src/base/package.js';
import { PICTURE_KINDS } from '../src/base/pictures/stored.js';
import * as documents from './documents.js';
import { type Crew, historyOf, type Submission, submitAll } from './history.js';
import type { Operator } from './operator.js';
import { peopleOf } from './people.js';
import { type Player, seedPlayers } from './players.js';
import { Random } from './random.js';
import { plantSeries, weeks } from './series.js';
import type { SeedGame } from './shapes.js';
import { games, studio } from './studio.js';

export interface Planted {
  accountId: string;
  /** The first user of the studio. */
  userId: string;
  /** Of the studio, when it was made just now: it is shown only once. */
  key: string | undefined;
  /** Ids by `<game's slug>/<board's slug>`; games by their slug. */
  boards: Map<string, string>;
  games: Map<string, string>;
  crews: Crew[];
  submissions: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const FOUNDED_DAYS_AGO = 45;
/** The whole history of scores: from so many days ago until an hour ago. */
const PLAYED_DAYS = 28;
const PLAYERS_A_GAME = 34;

/**
 * Plants the studio: what already exists, by its slug, name or fingerprint, stays as it is; a player who has scores on
 * a board gets no more there. The same for the same day, names and numbers alike.
 */
export async function plant(operator: Operator): Promise<Planted> {
  const random = new Random(20_260_101);
  const now = Date.now();
  operator.time = now - FOUNDED_DAYS_AGO * DAY_MS;
  const { accountId, userId, key } = await plantStudio(operator);
  const planted: Planted = {
    ...{ accountId, userId, key, submissions: 0 },
    ...{ boards: new Map(), games: new Map(), crews: [] },
  };
  const submissions: Submission[] = [];
  const everyone = seedPlayers(random);
  const [from, to] = [now - PLAYED_DAYS * DAY_MS - HOUR_MS, now - HOUR_MS];
  for (const game of games) {
    operator.time += DAY_MS;
    const gameId = await plantGame(operator, accountId, game, planted);
    const offset = random.whole(0, everyone.length - PLAYERS_A_GAME);
    const players = everyone.slice(offset, offset + PLAYERS_A_GAME);
    operator.time = now - PLAYED_DAYS * DAY_MS;
    const identities = await plantPlayers(operator, gameId, players);
    for (const board of game.boards) {
      const boardId = planted.boards.get(`${game.slug}/${board.slug}`)!;
      const history = { boardId, board, players, identities, from, to };
      submissions.push(...(await historyOf(operator, history, random)));
    }
    planted.crews.push({ accountId, gameId, game, players, identities });
  }
  planted.submissions = await submitAll(operator, submissions);
  for (const crew of planted.crews) await plantSeriesAndRatios(operator, crew, planted, now);
  return planted;
}

/** Boards that come of a template, and boards that come of other boards: these are full as soon as they are made. */
async function plantSeriesAndRatios(
  operator: Operator,
  crew: Crew,
  planted: Planted,
  now: number,
): Promise<void> {
  const { accountId, gameId, game } = crew;
  const key = (slug: string) => `${game.slug}/${slug}`;
  for (const series of game.series) {
    const { boardId, submissions } = await plantSeries(operator, crew, series, now, weeks(now));
    planted.boards.set(key(series.slug), boardId);
    planted.submissions += submissions;
  }
  operator.time = now;
  for (const { numerator, denominator, ratio, ...facts } of game.ratios) {
    const [numeratorBoardId, denominatorBoardId] = [numerator, denominator].map((slug) =>
      planted.boards.get(key(slug)),
    );
    const ratioConfig = { numeratorBoardId, denominatorBoardId, ...ratio };
    const owners = { accountId, gameId };
    const id = await plantBoard(operator, owners, game.slug, { ...facts, boardType: 'RATIO', ratioConfig });
    planted.boards.set(key(facts.slug), id);
  }
}

interface FoundAccount {
  accounts: {
    nodes: {
      id: string;
      users: { nodes: { id: string; email: string }[] };
      apiKeys: { nodes: { name: string }[] };
    }[];
  };
}

async function plantStudio(operator: Operator): Promise<Pick<Planted, 'accountId' | 'userId' | 'key'>> {
  const { name, slug } = studio.account;
  const found = (await operator.find<FoundAccount>(documents.FIND_ACCOUNT, { slug }))?.accounts.nodes[0];
  const accountId =
    found?.id ??
    (
      await operator.run<{ createAccount: { account: { id: string } } }>(documents.CREATE_ACCOUNT, {
        input: { name, slug },
      })
    ).createAccount.account.id;
  const users: string[] = [];
  for (const user of studio.users) {
    const known = found?.users.nodes.find(({ email }) => email === user.email);
    users.push(known?.id ?? (await createUser(operator, { accountId, ...user })));
  }
  const userId = users[0]!;
  if (found?.apiKeys.nodes.some(({ name }) => name === studio.keyName))
    return { accountId, userId, key: undefined };
  const input = { accountId, userId, name: studio.keyName };
  const { createApiKey } = await operator.run<{ createApiKey: { key: string } }>(documents.CREATE_KEY, {
    input,
  });
  return { accountId, userId, key: createApiKey.key };
}

async function createUser(operator: Operator, input: Record<string, unknown>): Promise<string> {
  const { createUser } = await operator.run<{ createUser: { user: { id: string } } }>(documents.CREATE_USER, {
    input,
  });
  return createUser.user.id;
}

interface FoundGame {
  id: string;
  logoUrl: string | null;
  defaultBoardId: string | null;
}

async function plantGame(
  operator: Operator,
  accountId: string,
  { name, slug, description, pageUrl, accentColour, tags, first, boards }: SeedGame,
  planted: Planted,
): Promise<string> {
  // A history planted within seconds and players who never rest are what the checks look for.
  const facts = { name, slug, description, pageUrl, accentColour, tags };
  const input = { accountId, ...facts, antiCheatEnabled: false };
  const game =
    (await operator.find<{ game: FoundGame }>(documents.FIND_GAME, { slug }))?.game ??
    (await operator.run<{ createGame: { game: FoundGame } }>(documents.CREATE_GAME, { input })).createGame
      .game;
  planted.games.set(slug, game.id);
  if (game.logoUrl === null) {
    const [artist] = await peopleOf(operator, accountId);
    await operator.as(artist!, async () => {
      for (const kind of PICTURE_KINDS) {
        const file = path.join(packageRoot, 'seeds/pictures', `${slug}-${kind}.png`);
        await operator.upload(game.id, kind, readFileSync(file));
      }
    });
  }
  for (const { runs: _runs, play: _play, ...board } of boards) {
    const id = await plantBoard(operator, { accountId, gameId: game.id }, slug, board);
    planted.boards.set(`${slug}/${board.slug}`, id);
  }
  if (game.defaultBoardId === null) {
    await operator.run(documents.SHOW_FIRST, { id: game.id, board: planted.boards.get(`${slug}/${first}`) });
  }
  return game.id;
}

/** @returns the id of the game's board with that slug, which is made when it is missing */
export async function plantBoard(
  operator: Operator,
  owners: { accountId: string; gameId: string },
  gameSlug: string,
  facts: { slug: string; [field: string]: unknown },
): Promise<string> {
  const found = await operator.find<{ board: { id: string } }>(documents.FIND_BOARD, {
    gameSlug,
    slug: facts.slug,
  });
  if (found) return found.board.id;
  const { createBoard } = await operator.run<{ createBoard: { board: { id: string } } }>(
    documents.CREATE_BOARD,
    { input: { ...owners, ...facts } },
  );
  return createBoard.board.id;
}

interface PlayersPage {
  identities: {
    nodes: { id: string; externalKey: string }[];
    pageInfo: { hasNextPage: boolean; endCursor: string | null };
  };
}

/** @returns the ids of their identities by fingerprint; players who are new get a device and its session */
async function plantPlayers(
  operator: Operator,
  gameId: string,
  players: Player[],
): Promise<Map<string, string>> {
  const known = new Map<string, string>();
  let after: string | null = null;
  do {
    const { identities }: PlayersPage = await operator.run(documents.LIST_PLAYERS, { gameId, after });
    for (const { id, externalKey } of identities.nodes) known.set(externalKey, id);
    after = identities.pageInfo.hasNextPage ? identities.pageInfo.endCursor : null;
  } while (after !== null);
  for (const { fingerprint, platform } of players) {
    if (known.has(fingerprint)) continue;
    const input = { gameId, clientFingerprint: fingerprint, platform };
    const { startDeviceSession } = await operator.run<{
      startDeviceSession: { session: { identityId: string } };
    }>(documents.START_SESSION, { input });
    known.set(fingerprint, startDeviceSession.session.identityId);
  }
  return known;
}
