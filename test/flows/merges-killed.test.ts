import { uuidOf } from '../../src/base/ids.js';
import { crowdPlays, makeCrowd } from '../support/crowd.js';
import { KillableService } from '../support/killable.js';
import { boardText, expectSound } from '../support/standings.js';
import { until } from '../support/wait.js';

const KINDS = [{ keep_strategy: 'best' }, { keep_strategy: 'all' }, { board_type: 'counter' }];
/** So many that a merge takes a while, board after board. */
const BOARDS = 12;
const PLAYERS = 5;
const RUNS = 80;

const service = new KillableService();

test('a merge and its undo survive a kill, and every board follows', async () => {
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
  const [source, target] = crowd as [string, string];
  const played = async (by: string): Promise<number> => {
    const { rows } = await database.pool.query(
      'select count(distinct board_id)::int as n from score_events where identity_id = $1',
      [by],
    );
    return rows[0].n;
  };
  const status = async () => (await database.knex('player_merges').first('status'))?.status;
  /** Kills the service when some boards have followed and others have not; the next process need not wait for the lease. */
  const killAmid = async (followed: () => Promise<number>) => {
    await service.killWhen(async () => (await followed()) > 1);
    expect(await followed()).toBeLessThan(BOARDS);
    await database.knex('player_merges').update({ leased_until: new Date() });
    await service.start();
  };

  const asked = { source_id: `ide_${source}`, target_id: `ide_${target}` };
  const lost = service.admin.post('/v1/player-merges', asked).catch(() => 'no answer');
  await killAmid(async () => BOARDS - (await played(source)));
  expect(await lost).toBe('no answer');
  await until(async () => (await status()) === 'applied');
  expect([await played(source), await played(target)]).toEqual([0, BOARDS]);
  for (const board of boards) {
    expect(await database.knex('entries').where({ board_id: uuidOf(board), identity_id: source })).toEqual(
      [],
    );
    await expectSound(database, board);
  }

  const { id } = await database.knex('player_merges').first('id');
  const undoing = service.admin
    .patch(`/v1/player-merges/mrg_${id}`, { undone: true })
    .catch(() => 'no answer');
  await killAmid(() => played(source));
  expect(await undoing).toBe('no answer');
  await until(async () => (await status()) === 'undone');
  expect(await texts()).toEqual(before);
  for (const board of boards) await expectSound(database, board);
  await service.expectToStop();
});
