import { uuidOf } from '../../src/base/ids.js';
import { ImportClient } from '../support/imports.js';
import { KillableService } from '../support/killable.js';
import { expectSound } from '../support/standings.js';

// Each start takes seconds.

/** So many that writing and ranking take several steps. */
const LINES = 9_000;
const NIL = '00000000-0000-0000-0000-000000000000';

const service = new KillableService();
const imports = new ImportClient(() => service.admin);

test('an import goes on after kills while it writes and while the board is ranked', async () => {
  const { accountId, gameId } = await service.game();
  const { id: boardId } = await service.created('/v1/boards', {
    account_id: accountId,
    game_id: gameId,
    name: 'Board',
    keep_strategy: 'best',
    views: [{ name: 'yearly', period: 'year' }],
  });
  const { id: player } = await service.created('/v1/identities', {
    ...{ game_id: gameId, kind: 'custom', external_key: 'first' },
  });
  await service.created('/v1/score-events', { board_id: boardId, identity_id: player, value: 1 });
  // As if the view had not kept this year: every row lies in it.
  await service.database.knex.raw(
    `with gone as (update rankings set status = 'dropped', podium = '[]', total_at_drop = 1, dropped_at = now()
      where board_id = ? and view_no > 0 returning *)
     select clear_generation(board_id, generation, 100) from gone`,
    [uuidOf(boardId)],
  );
  const year = new Date().getUTCFullYear();
  const id = await imports.begin(boardId);
  for (const number of [0, 1]) {
    const lines = Array.from(
      { length: LINES / 2 },
      (_, n) => `p${(n * 7 + number) % 8_000},${n},${year}-01-01T00:00:00Z`,
    );
    const content = `external_key,value,occurred_at\n${lines.join('\n')}`;
    expect((await imports.send(id, number, content)).status).toBe(200);
  }
  const { knex } = service.database;
  const row = () => knex('score_imports').where('id', uuidOf(id)).first();
  const build = async () =>
    (await knex('board_rankings').where('board_id', uuidOf(boardId)).first('build')).build;
  await service.admin.post(`/v1/imports/${id}/finish`, {});
  await service.killWhen(async () => (await row()).written > 0);
  expect((await row()).written).toBeLessThan(LINES);
  await service.start();
  await service.killWhen(async () => {
    const present = await build();
    return present?.phase === 'entries' && present.after !== NIL;
  });
  expect(
    await knex('entries').join('board_rankings as r', (on) =>
      on.on('r.board_id', 'entries.board_id').on('r.generation', 'entries.generation'),
    ),
  ).toMatchObject([{ event_seq: 1 }]);
  await service.start();
  expect(await imports.finish(id)).toMatchObject({
    ...{ rows: LINES, written: LINES, known: 0, in_dropped_periods: LINES },
  });
  const { rows } = await knex.raw(
    `select count(*) as players, count(*) filter (where e.value = m.best) as right
     from (select identity_id, max(amount) as best from score_events where board_id = :id group by identity_id) m
     left join board_rankings b on b.board_id = :id
     left join entries e on e.board_id = :id and e.generation = b.generation and e.slot = m.identity_id`,
    { id: uuidOf(boardId) },
  );
  expect(rows[0].players).toBe(rows[0].right);
  await expectSound(service.database, boardId);
});
