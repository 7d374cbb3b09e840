import type { TestApp } from './app.js';
import { makePlayer, play } from './flags.js';
import type { Data } from './http.js';
import { change, makeBoard, makeGame, type Studio, unique } from './make.js';
import { boardText } from './standings.js';
import { until } from './wait.js';

export interface ReviewGround {
  game: Data;
  boards: Data[];
  ratio: Data;
  cheat: string;
  rivals: string[];
}

/** A game with boards of every kind, one of them over, on which a cheater and two rivals have played. */
export async function makeReviewGround(app: TestApp, studio: Studio): Promise<ReviewGround> {
  const game = await makeGame(studio, { antiCheatEnabled: false });
  const boards = [
    await makeBoard(studio, game.id, { keepStrategy: 'BEST' }),
    await makeBoard(studio, game.id, { keepStrategy: 'ALL' }),
    await makeBoard(studio, game.id, { boardType: 'COUNTER' }),
    await makeBoard(studio, game.id, { boardType: 'COUNTER' }),
    await makeBoard(studio, game.id, { keepStrategy: 'FIRST', sortDirection: 'ASC' }),
  ];
  const ratio = await makeBoard(studio, game.id, {
    boardType: 'RATIO',
    ratioConfig: { numeratorBoardId: boards[2]!.id, denominatorBoardId: boards[3]!.id },
  });
  const players = [];
  for (const name of ['cheat', 'ann', 'bob']) {
    players.push(await makePlayer(studio.admin, game.id, `${name} ${unique()}`));
  }
  const [cheat, ...rivals] = players as [string, string, string];
  const fill = async (board: Data) => {
    for (const [i, player] of [cheat, ...rivals].entries()) {
      for (const value of [30 - i, 60 - 2 * i]) await play(studio.admin, board.id, player, value);
    }
  };
  await Promise.all(boards.map(fill));
  await change(studio.admin, 'Board', boards[4]!.id, { isActive: false });
  app.clock.advance(1_000);
  const follows = () =>
    app.database
      .knex('board_rankings as r')
      .where('r.board_id', ratio.id.slice(4))
      .whereRaw(
        `numerator_seq = (select n.seq from board_rankings n where n.board_id = ?)
         and denominator_seq = (select d.seq from board_rankings d where d.board_id = ?)`,
        [boards[2]!.id.slice(4), boards[3]!.id.slice(4)],
      )
      .first();
  await until(async () => (await follows()) !== undefined);
  return { game, boards, ratio, cheat, rivals };
}

/** All that its boards show. */
export function textsOf({ database }: TestApp, { boards, ratio }: ReviewGround): Promise<string[][]> {
  return Promise.all([...boards, ratio].map(({ id }) => boardText(database, id)));
}
