import { startApp, type TestApp } from '../support/app.js';
import { SECOND } from '../support/clock.js';
import { flag } from '../support/flags.js';
import type { Data } from '../support/http.js';
import { makeBoard, makeGame, makeStudio, type Player, type Studio, startSession } from '../support/make.js';
import { standings, submit } from '../support/play.js';
import { expectSound } from '../support/standings.js';

// Which of two runs is kept, and which of two equal players is ahead: the first, unless the other is better.

let app: TestApp;
let studio: Studio;
let game: Data;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio);
});
afterAll(() => app.close());

const board = (input: Data = {}) => makeBoard(studio, game.id, { keepStrategy: 'BEST', ...input });

// A player keeps its name: boards would follow to another one while a test reads them.
async function plays(
  player: Player,
  boardId: string,
  value: number,
  playerName: string,
  run = playerName,
): Promise<Data> {
  app.clock.advance(SECOND);
  return submit(player, boardId, value, { playerName, metadata: { run } });
}

test('a first run that is under review stays the one that counts', async () => {
  const { id } = await board({ keepStrategy: 'FIRST' });
  const player = await startSession(app, game.id);
  const first = await plays(player, id, 5, 'First');
  await flag(studio.admin, first.scoreEvent.id);
  const shown = { value: 5, playerName: 'First', metadata: { run: 'First' }, status: 'UNDER_REVIEW' };
  const again = await plays(player, id, 9, 'First', 'Again');
  expect(again).toMatchObject({ kept: false, score: shown });
  expect(await standings(studio.admin, id)).toEqual(['1 First 5']);
  await expectSound(app.database, id);
});

test.each(['DESC', 'ASC'])(
  'a run that equals the best one does not replace it (%s)',
  async (sortDirection) => {
    const { id } = await board({ sortDirection });
    const [ann, bob] = [await startSession(app, game.id), await startSession(app, game.id)];
    const { score } = await plays(ann, id, 7, 'Ann');
    await plays(bob, id, 7, 'Bob');
    const again = await plays(ann, id, 7, 'Ann', 'Again');
    expect(again).toMatchObject({ kept: false, previousRank: 1, score: { rank: 1, playerName: 'Ann' } });
    expect(again.score).toMatchObject({ metadata: { run: 'Ann' }, updatedAt: score.updatedAt });
    expect(await standings(studio.admin, id)).toEqual(['1 Ann 7', '2 Bob 7']);
    await expectSound(app.database, id);
  },
);

describe('of equal values the earlier one is ahead', () => {
  const NAMES = ['P1', 'P2', 'P3', 'P4', 'P5'];
  let id: string;
  let scores: Data[];
  beforeAll(async () => {
    ({ id } = await board());
    for (const name of NAMES) await plays(await startSession(app, game.id), id, 20, name);
    scores = (await page('limit=100')).data;
  });

  const page = async (query: string) => (await studio.admin.get(`/v1/scores?board_id=${id}&${query}`)).body;
  const lines = ({ data }: Data) => data.map(({ rank, player_name }: Data) => `${rank} ${player_name}`);
  const expected = (from: number, to: number) =>
    NAMES.slice(from, to).map((name, i) => `${from + i + 1} ${name}`);

  test('on a whole page', () => {
    expect(lines({ data: scores })).toEqual(expected(0, 5));
  });

  test('on pages that end among them, forward and back', async () => {
    const first = await page('limit=2');
    const second = await page(`limit=2&cursor=${first.pagination.next_cursor}`);
    const third = await page(`limit=2&cursor=${second.pagination.next_cursor}`);
    expect([first, second, third].map(lines)).toEqual([expected(0, 2), expected(2, 4), expected(4, 5)]);
    const back = await page(`limit=2&cursor=${third.pagination.prev_cursor}`);
    const start = await page(`limit=2&cursor=${back.pagination.prev_cursor}`);
    expect([start, back].map(lines)).toEqual([expected(0, 2), expected(2, 4)]);
  });

  test('in the opposite order on a page that begins at the end', async () => {
    expect(lines(await page('sort=value:asc&limit=2'))).toEqual(expected(3, 5).toReversed());
  });

  test('from a rank on, around a score and around a value', async () => {
    const { board: found } = await studio.admin.data(
      'query ($id: ID!) { board(by: { id: $id }) { ranking { entries(startRank: 2, first: 2) { nodes { rank playerName } } } } }',
      { id },
    );
    const data = found.ranking.entries.nodes.map(({ rank, playerName }: Data) => ({
      rank,
      player_name: playerName,
    }));
    expect(lines({ data })).toEqual(expected(1, 3));
    expect(lines(await page(`around_score_id=${scores[2].id}&limit=3`))).toEqual(expected(1, 4));
    expect(lines(await page(`around_score_id=${scores[4].id}&limit=3`))).toEqual(expected(2, 5));
    expect(lines(await page(`around_score_id=${scores[0].id}&limit=3`))).toEqual(expected(0, 3));
  });
});
