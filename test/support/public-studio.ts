import { RUN_TEMPLATES } from '../../src/boards/templates/run.js';
import type { TestApp } from './app.js';
import { DAY } from './clock.js';
import type { Data } from './http.js';
import { ImportClient } from './imports.js';
import { makeBoard, makeGame, makeStudio, makeTemplate, type Studio, unique } from './make.js';
import { tagsOf } from './play.js';

/** A game with public boards. */
export interface PublicStudio {
  studio: Studio;
  game: Data;
  /** The newest board of a weekly series of three, with 120 scores. */
  weekly: Data;
  /** The previous boards, newest first. */
  earlier: Data[];
}

/** One score of a new player. @returns the identity's id */
export async function play(
  { admin }: Studio,
  board: Pick<Data, 'id' | 'gameId'>,
  playerName: string,
  value: number,
  more: Data = {},
): Promise<string> {
  const { createIdentity } = await admin.data(
    'mutation ($input: CreateIdentityInput!) { createIdentity(input: $input) { identity { id } } }',
    {
      input: {
        gameId: board.gameId,
        kind: 'CUSTOM',
        externalKey: `player ${unique()}`,
        displayName: playerName,
      },
    },
  );
  const identityId = createIdentity.identity.id;
  await score({ admin } as Studio, board, identityId, value, { playerName, ...more });
  return identityId;
}

/** One more score of a player. */
export async function score(
  { admin }: Pick<Studio, 'admin'>,
  board: Pick<Data, 'id'>,
  identityId: string,
  value: number,
  more: Data = {},
): Promise<void> {
  await admin.data(
    'mutation ($input: CreateScoreEventInput!) { createScoreEvent(input: $input) { submission { score { id } } } }',
    { input: { boardId: board.id, identityId, value, ...more, tags: tagsOf(more.tags) } },
  );
}

const NAMES = ['Ásdís', 'BlinkFox', 'captain_mo', 'Dewdrop', 'ElKaiser', 'Fenja', 'gizmo77', 'Hana Sato'];

export async function makePublicStudio(app: TestApp): Promise<PublicStudio> {
  const studio = await makeStudio(app);
  const game = await makeGame(studio, {
    name: 'Moonlit Drift',
    slug: 'moonlit-drift',
    description: 'Arcade racing through a port that sleeps by day.',
    pageUrl: 'https://lanternfish.example/moonlit-drift',
  });
  const template = await makeTemplate(studio, game.id, {
    name: 'Weekly',
    slug: 'weekly',
    nameTemplate: 'Harbour cup, week {week}',
    series: 'cup',
    unit: 'points',
    keepStrategy: 'BEST',
    nextRunAt: new Date(app.clock.now() - DAY).toISOString(),
  });
  for (let week = 0; week < 3; week += 1) {
    if (week > 0) app.clock.advance(7 * DAY);
    await app.app.jobs.run(RUN_TEMPLATES);
  }
  const { boardTemplate } = await studio.admin.data(
    `{ boardTemplate(id: "${template.id}") { boards(first: 3) { nodes { id gameId name shortCode } } } }`,
  );
  const [weekly, ...earlier] = boardTemplate.boards.nodes;
  const scores = Array.from({ length: 120 }, (_, n) => {
    const name = `${NAMES[n % NAMES.length]}${n < NAMES.length ? '' : ` ${n}`}`;
    return `player ${unique()},${name},${52_000 - 310 * n}`;
  });
  await new ImportClient(() => studio.admin).bringIn(weekly.id, [
    ['external_key,player_name,value', ...scores].join('\n'),
  ]);
  return { studio, game, weekly, earlier };
}

/** A board of the game, published unless `more` says otherwise. */
export function showBoard({ studio, game }: PublicStudio, input: Data = {}): Promise<Data> {
  return makeBoard(studio, game.id, { keepStrategy: 'BEST', ...input });
}
