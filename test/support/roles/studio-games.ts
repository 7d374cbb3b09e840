import { antiCheat, change, makeBoard, makeGame, makeTemplate, type Studio } from '../make.js';
import type { TextClass } from './studio-shape.js';

/** The games, boards and templates of a studio. @param say makes a text of a class, see studio-shape.ts */
export async function makeGames(studio: Studio, say: (kind: TextClass, what: string) => string) {
  const game = await makeGame(studio, {
    name: say('public', 'game'),
    platformAppId: say('inside', 'app'),
    antiCheatSettings: antiCheat({ rate_limit: { a: 1_000, b: 1_000, c: 1_000 } }),
  });
  const [other, ended] = [
    await makeGame(studio, { name: say('sibling', 'game') }),
    await makeGame(studio, { name: say('gone', 'game') }),
  ];
  const views = [{ name: 'weekly_class', period: 'WEEK', by: ['class'] }];
  const dimensions = [{ name: 'class' }, { name: 'guild', source: 'PLAYER' }];
  const tickets = { mode: 'ASKED', clock: {} };
  const board = await makeBoard(studio, game.id, {
    name: say('public', 'board'),
    ...{ dimensions, views, tickets },
  });
  const hidden = await makeBoard(studio, game.id, { name: say('inside', 'board'), isPublished: false });
  const dropped = await makeBoard(studio, game.id, { name: say('gone', 'board') });
  // Clients of the sibling game set tags of their players, too.
  await makeBoard(studio, other.id, { name: say('sibling', 'board'), isPublished: false, dimensions });

  const counter = () =>
    makeBoard(studio, game.id, { name: say('inside', 'counter'), boardType: 'COUNTER', isPublished: false });
  const [numerator, denominator] = [await counter(), await counter()];
  const ratio = async (kind: TextClass) => {
    const made = await makeBoard(studio, game.id, {
      name: say(kind, 'ratio'),
      boardType: 'RATIO',
      isPublished: false,
      ratioConfig: { numeratorBoardId: numerator.id, denominatorBoardId: denominator.id },
    });
    const { board: read } = await studio.admin.data(
      'query ($id: ID!) { board(by: { id: $id }) { ratioConfig { id } } }',
      {
        id: made.id,
      },
    );
    return { board: made.id as string, config: read.ratioConfig.id as string };
  };
  const [divided, undone] = [await ratio('inside'), await ratio('gone')];
  await change(studio.admin, 'Board', undone.board, { deleted: true });

  const [template, unmade] = [
    await makeTemplate(studio, game.id, { name: say('private', 'template') }),
    await makeTemplate(studio, game.id, { name: say('gone', 'template') }),
  ];

  const boards = { board, hidden, dropped, numerator, denominator, divided, undone };
  return { game, other, ended, ...boards, template, unmade };
}
