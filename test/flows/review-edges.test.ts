import { uuidOf } from '../../src/base/ids.js';
import { startApp, type TestApp } from '../support/app.js';
import {
  entriesOf,
  flag,
  makePlayer,
  play,
  RUNS,
  review,
  reviewFault,
  reviewRuns,
  targeted,
  undo,
} from '../support/flags.js';
import type { Caller, Data } from '../support/http.js';
import { holding, waiting } from '../support/locks.js';
import { change, makeBoard, makeGame, makeStudio, type Studio, startSession } from '../support/make.js';
import { submit } from '../support/play.js';
import { expectSound } from '../support/standings.js';

/** The code with which a review of runs is refused. */
const reviewRunsFault = (admin: Caller, input: Data) => admin.code(RUNS, { input: targeted(input) });

let app: TestApp;
let studio: Studio;
let game: Data;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio, { antiCheatEnabled: false });
});
afterAll(() => app.close());

test('a review of a foreign flag is refused without a lock of the board', async () => {
  const board = await makeBoard(studio, game.id);
  const { id } = await flag(
    studio.admin,
    await play(studio.admin, board.id, await makePlayer(studio.admin, game.id, 'locked'), 1),
  );
  const stranger = await makeStudio(app);
  const letGo = await holding(
    app,
    'select from board_rankings where board_id = $1 for update',
    uuidOf(board.id),
  );
  expect(await reviewFault(stranger.admin, id, { status: 'DISMISSED' })).toBe('FORBIDDEN');
  expect(await reviewFault(studio.admin, id, {})).toBe('INVALID_FLAG_UPDATE');
  await letGo();
  await review(studio.admin, id, { deleted: true });
  expect(await reviewFault(stranger.admin, id, { status: 'DISMISSED' })).toBe('NOT_FOUND');
  expect(await reviewFault(stranger.admin, id, { deleted: false })).toBe('FORBIDDEN');
});

test('a first run on a board that is being committed while its player is reviewed is reviewed, too', async () => {
  const board = await makeBoard(studio, game.id, { keepStrategy: 'ALL' });
  const cheat = await makePlayer(studio.admin, game.id, 'in flight');
  // The batch writes the player's new name last.
  const letGo = await holding(app, 'select from identities where id = $1 for no key update', uuidOf(cheat));
  const playing = play(studio.admin, board.id, cheat, 5, { playerName: 'Renamed' });
  await waiting(app, 1);
  let isAnswered = false;
  const reviewing = reviewRuns(studio.admin, { identityId: cheat, decision: 'CONFIRMED_CHEAT' }).finally(
    () => {
      isAnswered = true;
    },
  );
  await waiting(app, 2, () => isAnswered);
  await letGo();
  await playing;
  const { review: done } = await reviewing;
  expect(done.status).toBe('APPLIED');
  expect(await entriesOf(app, board.id, cheat)).toEqual(['5 rejected']);
  await undo(studio.admin, done.id);
  expect(await entriesOf(app, board.id, cheat)).toEqual(['5 active']);
  await expectSound(app.database, board.id);
});

test('a device that was reactivated by hand is not banned again by an earlier review', async () => {
  const device = await startSession(app, game.id);
  const { deviceId: id, identityId } = device.session;
  const board = await makeBoard(studio, game.id, { keepStrategy: 'ALL' });
  await submit(device, board.id, 1);
  const status = async () =>
    (await studio.admin.data('query ($id: ID!) { device(id: $id) { status } }', { id })).device.status;
  const ban = async () => {
    const answer = await reviewRuns(studio.admin, {
      identityId,
      decision: 'CONFIRMED_CHEAT',
      banDevices: true,
    });
    expect(answer.bannedDevices).toEqual([{ id }]);
    return answer.review.id;
  };
  const first = await ban();
  await change(studio.admin, 'Device', id, { status: 'ACTIVE' });
  const second = await ban();
  expect(await status()).toBe('BANNED');
  await undo(studio.admin, second);
  expect(await status()).toBe('ACTIVE');
  await undo(studio.admin, first);
  expect(await status()).toBe('ACTIVE');
});

test('a review lists the devices that it has banned itself', async () => {
  const device = await startSession(app, game.id);
  const { deviceId: id, identityId } = device.session;
  const input = { identityId, decision: 'CONFIRMED_CHEAT', banDevices: true };
  const both = await Promise.all([reviewRuns(studio.admin, input), reviewRuns(studio.admin, input)]);
  expect(both.flatMap(({ bannedDevices }) => bannedDevices)).toEqual([{ id }]);
});

test('a board that could be turned back at last has no failure left', async () => {
  const board = await makeBoard(studio, game.id, { boardType: 'COUNTER' });
  const device = await startSession(app, game.id);
  const { identityId, deviceId: id } = device.session;
  await play(studio.admin, board.id, identityId, 0);
  await submit(device, board.id, 1.7e308);
  app.clock.advance(1_000);
  const { review: done } = await reviewRuns(studio.admin, { deviceId: id, decision: 'CONFIRMED_CHEAT' });
  const more = await play(studio.admin, board.id, identityId, 1.7e308);
  const failed = await undo(studio.admin, done.id);
  expect(failed.boards).toMatchObject([{ undone: false, failure: expect.stringContaining('overflow') }]);
  const { id: flagId } = await flag(studio.admin, more);
  await review(studio.admin, flagId, { status: 'CONFIRMED_CHEAT' });
  const again = await undo(studio.admin, done.id);
  expect(again.boards).toMatchObject([{ undone: true, failure: null }]);
  expect(await entriesOf(app, board.id, identityId)).toEqual(['1.7e+308 active']);
});

test('a reviewer of another account is shown by id only', async () => {
  const board = await makeBoard(studio, game.id);
  const run = await play(studio.admin, board.id, await makePlayer(studio.admin, game.id, 'judged'), 1);
  const { id } = await flag(studio.admin, run);
  await review(app.superadmin, id, { status: 'DISMISSED' });
  const read =
    'query ($id: ID!) { scoreFlag(id: $id) { reviewerId reviewer { email account { name } } } ' +
    'auditEntries(filter: {subjectId: $id, action: FLAG_REVIEWED}) { nodes { userId user { email } } } }';
  const { scoreFlag, auditEntries } = await studio.admin.data(read, { id });
  expect(scoreFlag).toEqual({ reviewerId: expect.stringMatching(/^usr_/), reviewer: null });
  expect(auditEntries.nodes).toEqual([{ userId: scoreFlag.reviewerId, user: null }]);
  const own = await app.superadmin.data(read, { id });
  expect(own.scoreFlag.reviewer.email).toMatch(/@/);
  expect(own.auditEntries.nodes[0].user.email).toMatch(/@/);
});

test('a cheater on a counter can be removed, however large the deltas are', async () => {
  const board = await makeBoard(studio, game.id, { boardType: 'COUNTER' });
  const cheat = await makePlayer(studio.admin, game.id, 'huge');
  for (let n = 0; n < 2; n += 1) {
    const { id } = await flag(studio.admin, await play(studio.admin, board.id, cheat, 1.7e308));
    await review(studio.admin, id, { status: 'CONFIRMED_CHEAT' });
    expect(await entriesOf(app, board.id, cheat)).toEqual([expect.stringMatching(/ rejected$/)]);
  }
  await play(studio.admin, board.id, cheat, 3);
  expect(await entriesOf(app, board.id, cheat)).toEqual(['3 active']);
  const { review: done, boards } = await reviewRuns(studio.admin, {
    identityId: cheat,
    decision: 'CONFIRMED_CHEAT',
  });
  expect(boards).toMatchObject([{ runs: 1, failure: null }]);
  await expectSound(app.database, board.id);
  await undo(studio.admin, done.id);
  expect(await entriesOf(app, board.id, cheat)).toEqual(['3 active']);
  await expectSound(app.database, board.id);
});

test('a review may take longer than other statements', async () => {
  const board = await makeBoard(studio, game.id);
  const cheat = await makePlayer(studio.admin, game.id, 'tireless');
  await play(studio.admin, board.id, cheat, 1);
  const { knex } = app.database;
  await knex.raw(
    `create table review_timeouts as select current_setting('statement_timeout') as seen limit 0`,
  );
  await knex.raw(`create function note_timeout() returns trigger language plpgsql as $$
    begin insert into review_timeouts values (current_setting('statement_timeout')); return new; end $$`);
  await knex.raw(
    'create trigger note_timeout before insert on identity_review_boards for each row execute function note_timeout()',
  );
  const { review: done } = await reviewRuns(studio.admin, { identityId: cheat, decision: 'CONFIRMED_CHEAT' });
  expect(done.status).toBe('APPLIED');
  await knex.raw('drop trigger note_timeout on identity_review_boards');
  expect(await knex('review_timeouts')).toEqual([{ seen: '10min' }]);
  const { rows } = await app.database.pool.query('show statement_timeout');
  expect(rows).toEqual([{ statement_timeout: '30s' }]);
});

test('a contradictory or foreign review is refused', async () => {
  const game = await makeGame(studio, { antiCheatEnabled: false });
  const cheat = await makePlayer(studio.admin, game.id, 'cheat');
  const device = await startSession(app, game.id);
  const both = { identityId: cheat, deviceId: device.session.deviceId, decision: 'DISMISSED' };
  expect(await reviewRunsFault(studio.admin, both)).toBe('VALIDATION_FAILED');
  expect(await reviewRunsFault(studio.admin, { decision: 'DISMISSED' })).toBe('VALIDATION_FAILED');
  const ban = { identityId: cheat, decision: 'DISMISSED', banDevices: true };
  expect(await reviewRunsFault(studio.admin, ban)).toBe('VALIDATION_FAILED');
  const stranger = await makeStudio(app);
  expect(await reviewRunsFault(stranger.admin, { identityId: cheat, decision: 'DISMISSED' })).toBe(
    'FORBIDDEN',
  );
  await change(studio.admin, 'Identity', cheat, { deleted: true });
  expect(await reviewRunsFault(studio.admin, { identityId: cheat, decision: 'DISMISSED' })).toBe('NOT_FOUND');
});

test('a board whose sum would leave the range reports a failure, and the others follow', async () => {
  const game = await makeGame(studio, { antiCheatEnabled: false });
  const [counter, runs] = [
    await makeBoard(studio, game.id, { boardType: 'COUNTER' }),
    await makeBoard(studio, game.id, { keepStrategy: 'ALL' }),
  ];
  const device = await startSession(app, game.id);
  const { identityId } = device.session;
  await play(studio.admin, counter.id, identityId, 1.7e308);
  await submit(device, counter.id, -1.7e308);
  await play(studio.admin, counter.id, identityId, 1.7e308);
  await submit(device, runs.id, 5);
  app.clock.advance(1_000);
  const input = { deviceId: device.session.deviceId, decision: 'CONFIRMED_CHEAT' };
  const sentence = expect.stringContaining('overflow');
  const dry = await reviewRuns(studio.admin, { ...input, dryRun: true });
  const done = await reviewRuns(studio.admin, input);
  for (const { boards } of [dry, done]) {
    expect(new Map(boards.map((board: Data) => [board.boardId, board.failure]))).toEqual(
      new Map([
        [counter.id, sentence],
        [runs.id, null],
      ]),
    );
  }
  expect(await entriesOf(app, counter.id, identityId)).toEqual(['1.7e+308 active']);
  expect(await entriesOf(app, runs.id, identityId)).toEqual(['5 rejected']);
  expect(await undo(studio.admin, done.review.id)).toMatchObject({ status: 'UNDONE' });
  expect(await entriesOf(app, runs.id, identityId)).toEqual(['5 active']);
});
