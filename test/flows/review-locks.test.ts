import { uuidOf } from '../../src/base/ids.js';
import { startApp, type TestApp } from '../support/app.js';
import { entriesOf, flag, makePlayer, play, review, reviewRuns, undo } from '../support/flags.js';
import type { Data } from '../support/http.js';
import { holding, waiting } from '../support/locks.js';
import { makeBoard, makeGame, makeStudio, type Studio } from '../support/make.js';
import { boardText, expectSound } from '../support/standings.js';

let app: TestApp;
let studio: Studio;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
});
afterAll(() => app.close());

/** Keeps the player's flags from being changed until it is released. */
const holdFlags = (player: string) =>
  holding(app, 'select from score_flags where identity_id = $1 for update', uuidOf(player));

const eventsOf = async (player: string): Promise<Data[]> =>
  app.database.knex('score_events').where('identity_id', uuidOf(player)).orderBy('seq');

test.each([
  ['all runs', { keepStrategy: 'ALL' }, ['5 rejected', '9 rejected', '7 rejected']],
  ['best runs', { keepStrategy: 'BEST' }, ['9 rejected']],
  ['sums', { boardType: 'COUNTER' }, ['21 rejected']],
])(
  'a board of %s takes submissions while flags are decided, and earlier ones are reviewed, too',
  async (_name, kind, hidden) => {
    const game = await makeGame(studio, { antiCheatEnabled: false });
    const board = await makeBoard(studio, game.id, kind);
    const [cheat, rival] = [
      await makePlayer(studio.admin, game.id, 'cheat'),
      await makePlayer(studio.admin, game.id, 'rival'),
    ];
    await play(studio.admin, board.id, rival, 6);
    const first = await play(studio.admin, board.id, cheat, 5);
    await play(studio.admin, board.id, cheat, 9);
    const held = await flag(studio.admin, first);
    const letGo = await holdFlags(cheat);
    const reviewing = reviewRuns(studio.admin, { identityId: cheat, decision: 'CONFIRMED_CHEAT' });
    await waiting(app, 1);
    // A moderator who decides about one of them, too, waits without the board.
    const alone = review(studio.admin, held.id, { status: 'DISMISSED' });
    await waiting(app, 2);
    // The clock stands still: this was sent before the review was asked for.
    await play(studio.admin, board.id, cheat, 7);
    expect(await play(studio.admin, board.id, rival, 8)).toMatch(/^sev_/);
    await letGo();
    const { review: done } = await reviewing;
    expect(done.boards[0]).toMatchObject({ boardId: board.id, runs: 3 });
    // Decided after the others, whichever request came first.
    expect(await alone).toMatchObject({ status: 'DISMISSED' });
    const flags: Data[] = await app.database.knex('score_flags').where('identity_id', uuidOf(cheat));
    expect(flags.map(({ status }) => status).toSorted()).toEqual([
      'confirmed_cheat',
      'confirmed_cheat',
      'dismissed',
    ]);
    expect(new Set(flags.map(({ event_id }) => event_id))).toEqual(
      new Set((await eventsOf(cheat)).map(({ id }) => id)),
    );
    await expectSound(app.database, board.id);

    await review(studio.admin, held.id, { status: 'CONFIRMED_CHEAT' });
    expect(await entriesOf(app, board.id, cheat)).toEqual(hidden);
    // Undone, only what was decided by hand is left.
    await undo(studio.admin, done.id);
    await expectSound(app.database, board.id);
    await review(studio.admin, held.id, { status: 'FALSE_POSITIVE' });
    await expectSound(app.database, board.id);
    const after = await boardText(app.database, board.id);
    await app.database.knex('rulings').where('board_id', uuidOf(board.id)).delete();
    await app.database.knex('score_flags').where('board_id', uuidOf(board.id)).delete();
    await expectSound(app.database, board.id);
    expect(await boardText(app.database, board.id)).toEqual(after);
  },
);

test('single decisions, new flags, reviews of all runs and submissions at once succeed, and the board is sound', async () => {
  const game = await makeGame(studio, { antiCheatEnabled: false });
  const board = await makeBoard(studio, game.id, { keepStrategy: 'ALL' });
  const player = await makePlayer(studio.admin, game.id, 'busy');
  const events: string[] = [];
  for (let n = 0; n < 12; n += 1) events.push(await play(studio.admin, board.id, player, n));
  const flags = await Promise.all(events.slice(0, 6).map((event) => flag(studio.admin, event)));
  const decisions = ['CONFIRMED_CHEAT', 'DISMISSED', 'CONFIRMED_CHEAT'];
  await Promise.all([
    ...decisions.map((decision) => reviewRuns(studio.admin, { identityId: player, decision })),
    ...flags.map(({ id }, n) => review(studio.admin, id, { status: decisions[n % 3] })),
    ...events.slice(6).map((event) => flag(studio.admin, event)),
    ...events.map((_, n) => play(studio.admin, board.id, player, 100 + n)),
  ]);
  await expectSound(app.database, board.id);
});
