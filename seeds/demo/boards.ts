import * as documents from '../documents.js';
import type { Operator } from '../operator.js';
import { peopleOf } from '../people.js';
import { type Planted, plantBoard } from '../plant.js';
import type { Player } from '../players.js';
import type { Random } from '../random.js';
import { plantSeries, type Windows } from '../series.js';
import type { SeedBoard, SeedSeries } from '../shapes.js';
import { timed } from '../studio.js';
import { plantMultitude } from './multitude.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** The board that is shown first. Those who play while the demo runs lead it, one close behind the other, so it moves. */
export const rush = {
  game: 'hollow-vault',
  board: {
    name: 'Night rush',
    slug: 'night-rush',
    description: 'Every gem you carry out before dawn counts.',
    unit: 'gems',
    icon: 'fa-gem',
    boardType: 'COUNTER',
    sortDirection: 'DESC',
    keepStrategy: 'ALL',
    runs: 0,
    play: ({ skill }, random) => ({ value: Math.max(1, Math.round(12 + 2 * skill + 8 * random.bell())) }),
  } satisfies SeedBoard as SeedBoard,
};

/** A board for every three minutes, each with a successor. */
export const sprint = {
  game: 'moonlit-drift',
  series: {
    name: 'Three-minute sprint',
    slug: 'three-minute-sprint',
    nameTemplate: 'Sprint {series}',
    series: 'sprint',
    unit: 'seconds',
    format: { kind: 'TIME' },
    icon: 'fa-bolt',
    boardType: 'RUN_IDENTITY',
    sortDirection: 'ASC',
    keepStrategy: 'BEST',
    runs: 1,
    play: ({ skill }, random) => timed(41.5 - 3 * skill + 4 * random.bell()),
  } satisfies SeedSeries as SeedSeries,
};
const SPRINT_MS = 3 * MINUTE_MS;
const SPRINTS_BEFORE = 3;
/** The first visitor sees the present one end. */
const FIRST_ENDS_IN_MS = 75_000;

/** Views of the board that is shown first: its history is in them as soon as they are declared. */
const MAIN = { game: 'moonlit-drift', slug: 'high-scores' };
const MAIN_VIEWS = [
  { name: 'day', period: 'DAY' },
  { name: 'week', period: 'WEEK' },
  // Of players of the history; simulated ones play from an address without a country.
  { name: 'country', by: ['country'] },
  { name: 'platform', by: ['platform'] },
];

const RUSH_CODE = 'NIGHTRUSH';
/** Short codes for the first page. They are fixed: the setting is read before any board is planted. */
export const LANDING_BOARDS = [RUSH_CODE, 'MOONDRIFT', 'VAULTCOINS'].join(',');

/** Gems of the leaders when the demo begins; of everyone else, most have few. */
const LEADERS_FROM = 3_900;
const LEADERS_TO = 4_200;
const OTHERS_TO = 3_890;

function gemsBefore(isLeader: boolean, random: Random): number {
  if (isLeader) return random.whole(LEADERS_FROM, LEADERS_TO);
  return Math.max(1, Math.round(OTHERS_TO * random.next() ** 3));
}

export interface DemoBoards {
  rush: string;
  sprint: string;
}

/**
 * Plants the boards that only the demo has; existing ones stay.
 * @param everyone has a score on the first one @param isPlaying whether a player keeps playing while the demo runs
 */
export async function plantDemoBoards(
  operator: Operator,
  planted: Planted,
  everyone: Player[],
  isPlaying: (index: number) => boolean,
): Promise<DemoBoards> {
  operator.time = Date.now();
  const { runs: _runs, play: _play, ...facts } = rush.board;
  const owners = { accountId: planted.accountId, gameId: planted.games.get(rush.game)! };
  const rushId = await plantBoard(operator, owners, rush.game, { ...facts, shortCode: RUSH_CODE });
  const [importer] = await peopleOf(operator, planted.accountId);
  const imported = await operator.as(importer!, () =>
    plantMultitude(operator, rushId, everyone, (i, random) => gemsBefore(isPlaying(i), random)),
  );
  await plantFestival(operator, planted);
  const id = planted.boards.get(`${MAIN.game}/${MAIN.slug}`)!;
  await operator.run(documents.SET_VIEWS, { id, views: MAIN_VIEWS });
  const crew = planted.crews.find(({ game }) => game.slug === sprint.game)!;
  const now = Date.now();
  const { boardId } = await plantSeries(operator, crew, sprint.series, now, sprintWindows(now));
  await imported();
  return { rush: rushId, sprint: boardId };
}

function sprintWindows(now: number): Windows {
  const first = now + FIRST_ENDS_IN_MS - (SPRINTS_BEFORE + 1) * SPRINT_MS;
  return { repeatInterval: '3 minutes', millis: SPRINT_MS, first };
}

/** A board that opens on a Saturday: there is always one to come. */
async function plantFestival(operator: Operator, { accountId, games }: Planted): Promise<void> {
  const game = rush.game;
  const now = Date.now();
  const today = now - (now % DAY_MS);
  const saturday = today + (((6 - new Date(today).getUTCDay() + 6) % 7) + 1) * DAY_MS;
  const startsAt = new Date(saturday + 18 * 60 * MINUTE_MS);
  const slug = `lantern-festival-${startsAt.toISOString().slice(0, 10)}`;
  await plantBoard(operator, { accountId, gameId: games.get(game)! }, game, {
    name: 'Lantern festival',
    slug,
    description: 'Two days, one vault, every lantern counts.',
    unit: 'lanterns',
    icon: 'fa-fire',
    boardType: 'COUNTER',
    sortDirection: 'DESC',
    keepStrategy: 'ALL',
    startsAt: startsAt.toISOString(),
    endsAt: new Date(startsAt.getTime() + 2 * DAY_MS).toISOString(),
  });
}
