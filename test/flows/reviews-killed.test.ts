import { uuidOf } from '../../src/base/ids.js';
import { crowdPlays, makeCrowd } from '../support/crowd.js';
import { undo } from '../support/flags.js';
import type { Data } from '../support/http.js';
import { KillableService } from '../support/killable.js';
import { boardText, expectSound } from '../support/standings.js';
import { until } from '../support/wait.js';

const KINDS = [{ keep_strategy: 'best' }, { keep_strategy: 'all' }, { board_type: 'counter' }];
/** So many that a review takes a while, board after board. */
const BOARDS = 12;
const PLAYERS = 5;
const RUNS = 80;

const service = new KillableService();

/** Kills the service when some boards have followed and others have not; the next process need not wait for the lease. */
async function killAmid(followed: () => Promise<number>): Promise<void> {
  await service.killWhen(async () => (await followed()) > 1);
  const done = await followed();
  expect(done).toBeLessThan(BOARDS);
  await service.database.knex('identity_reviews').update({ leased_until: new Date() });
  await service.start();
}

test('a review and its undo survive a kill, and every board follows once', async () => {
  const { database } = service;
  const { accountId, gameId } = await service.game();
  const crowd = await makeCrowd(database, accountId, gameId, PLAYERS);
  const boards: string[] = [];
  for (let n = 0; n < BOARDS; n += 1) {
    const body = { account_id: accountId, game_id: gameId, name: `Board ${n}`, ...KINDS[n % KINDS.length] };
    boards.push((await service.created('/v1/boards', body)).id);
    await crowdPlays(database, boards[n]!, crowd, RUNS);
  }
  const texts = () => Promise.all(boards.map((board) => boardText(database, board)));
  const before = await texts();
  const boardRows = async (undone: boolean) =>
    (await database.knex('identity_review_boards').where({ undone })).length;
  const status = async () => (await database.knex('identity_reviews').first('status'))?.status;

  const asked = { identity_id: `ide_${crowd[0]}`, decision: 'confirmed_cheat' };
  const lost = service.admin.post('/v1/identity-reviews', asked).catch(() => 'no answer');
  await killAmid(() => boardRows(false));
  expect(await lost).toBe('no answer');
  await until(async () => (await status()) === 'applied');
  const rows: Data[] = await database.knex('identity_review_boards');
  expect(rows.map(({ runs, undone, failure }) => [runs, undone, failure])).toEqual(
    boards.map(() => [RUNS, false, null]),
  );
  const flags: Data[] = await database.knex('score_flags');
  expect(flags).toHaveLength(BOARDS * RUNS);
  expect(new Set(flags.map((flag) => flag.status))).toEqual(new Set(['confirmed_cheat']));
  expect(await database.knex('flag_reviews')).toHaveLength(BOARDS * RUNS);
  for (const board of boards) {
    const ranked = { board_id: uuidOf(board), ranked: true };
    expect(await database.knex('entries').where({ ...ranked, identity_id: crowd[0] })).toEqual([]);
    await expectSound(database, board);
  }

  const review = await database.knex('identity_reviews').first('id');
  const undoing = undo(service.admin, `rev_${review.id}`).catch(() => 'no answer');
  await killAmid(() => boardRows(true));
  expect(await undoing).toBe('no answer');
  await until(async () => (await status()) === 'undone');
  expect(await texts()).toEqual(before);
  for (const board of boards) await expectSound(database, board);
  await service.expectToStop();
});
