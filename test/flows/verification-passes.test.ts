import { uuidOf } from '../../src/base/ids.js';
import { checkedGame } from '../support/checked-game.js';
import { SECOND } from '../support/clock.js';
import type { Caller, Data } from '../support/http.js';
import { makeGame, makeStudio } from '../support/make.js';
import { standings } from '../support/play.js';
import { recordedRuns } from '../support/recorded.js';
import { expectSound } from '../support/standings.js';
import { until } from '../support/wait.js';

const { on, session, board } = checkedGame();
const { record, verifier, give, raised } = recordedRuns(on);

const ranks = (boardId: string) => standings(on.studio.admin, boardId);
const post = async (path: string, body: Data = {}) => {
  const { status, body: answer } = await on.studio.admin.post(path, body);
  return { status, ...answer } as Data;
};
const passes = async (boardId: string): Promise<Data[]> =>
  (await on.studio.admin.got(on.studio.admin.get(`/v1/boards/${boardId}/verification-passes`)))
    .verification_passes;
const work = () => on.app.app.jobs.run('verification-passes');

/** Events sent by a pass. */
const sent = async (passId: string): Promise<string[]> => {
  const { rows } = await on.app.database.pool.query<Data>(
    `select subject ->> 'score_event_id' as id from webhook_events where type = 'run.verify' and subject ->> 'pass_id' = $1 order by 1`,
    [passId],
  );
  return rows.map(({ id }) => id);
};

let by: Caller;
beforeAll(async () => {
  by = await verifier();
  await on.studio.admin.data(
    `mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { webhookEndpoint { id } } }`,
    {
      input: {
        ...{ accountId: on.studio.accountId, name: 'verifier', url: 'https://verifier.example/hook' },
        events: ['run.verify'],
      },
    },
  );
});

// An account has three at a time.
afterEach(async () => {
  await on.app.database.knex('verification_passes').update({ status: 'cancelled' });
});

/** Four players' recorded runs on a board that takes verdicts, best first. */
async function played(input: Data = {}): Promise<{ id: string; events: string[] }> {
  const { id } = await board({ recordings: { keepTop: 5 }, verdicts: { mode: 'LOG' }, ...input });
  const events: string[] = [];
  for (const value of [40, 30, 20, 10]) events.push(await record(await session(), id, value));
  return { id, events };
}

test('a pass sends every recording again, does nothing before it is applied, previews exactly, and is one undo', async () => {
  const { id, events } = await played();
  const pass = await post(`/v1/boards/${id}/reverify`);
  expect(pass).toMatchObject({ status: 'sending', recording_count: 4, sent: 0 });
  await work();
  expect((await passes(id))[0]).toMatchObject({ id: pass.id, status: 'open', sent: 4 });
  expect(await sent(pass.id)).toEqual(events.toSorted());
  const list = await by.get(`/v1/score-events?board_id=${id}&verdict=none&pass_id=${pass.id}`);
  expect(list.body.data).toHaveLength(4);

  const [first, second, third, fourth] = events as [string, string, string, string];
  const inPass = { pass_id: pass.id };
  expect(await give(by, first, 'rejected', { ...inPass, reason: 'Now known.' })).toBe('201 rejected');
  expect(await give(by, second, 'rejected', inPass)).toBe('201 rejected');
  expect(await give(by, second, 'verified', { ...inPass, verifier: 'b' })).toBe('201 verified');
  expect(await give(by, third, 'verified', inPass)).toBe('201 verified');
  expect(await give(by, fourth, 'unknown', inPass)).toBe('201 unknown');
  const before = ['1 Ann 40', '2 Ann 30', '3 Ann 20', '4 Ann 10'];
  expect([await raised(id), await ranks(id)]).toEqual([[], before]);

  const preview = await post(`/v1/verification-passes/${pass.id}/apply`, { dry_run: true });
  expect(preview.effect).toMatchObject({ runs: 1, moved: 4 });
  expect(preview.effect.podium[0].after.value).toBe(30);
  expect([await raised(id), await ranks(id)]).toEqual([[], before]);
  const applied = await post(`/v1/verification-passes/${pass.id}/apply`);
  expect(applied.verification_pass.status).toBe('applied');
  expect(applied.effect).toEqual(preview.effect);
  expect(await raised(id)).toEqual(['1 verdict confirmed_cheat']);
  expect(await ranks(id)).toEqual(['1 Ann 30', '2 Ann 20', '3 Ann 10']);
  await expectSound(on.app.database, id);
  const again = await post(`/v1/verification-passes/${pass.id}/apply`);
  expect(again.code).toBe('INVALID_TRANSITION');
  expect(await give(by, fourth, 'rejected', { ...inPass, verifier: 'late' })).toBe('400 INVALID_TRANSITION');

  const undone = await post(`/v1/verification-passes/${pass.id}/undo`);
  expect(undone.status).toBe('undone');
  expect([await raised(id), await ranks(id)]).toEqual([[], before]);
  expect((await post(`/v1/verification-passes/${pass.id}/undo`)).status).toBe('undone');
  await expectSound(on.app.database, id);
  const { auditEntries } = await on.studio.admin.data('{ auditEntries { nodes { action subjectId } } }');
  const actions = auditEntries.nodes
    .filter(({ subjectId }: Data) => subjectId === id)
    .map(({ action }: Data) => action);
  expect(actions.filter((action: string) => action.startsWith('PASS')).toSorted()).toEqual([
    ...['PASS_APPLIED', 'PASS_REQUESTED', 'PASS_UNDONE'],
  ]);
});

test('what was reviewed differently since stays, and waiting runs are cleared by a pass', async () => {
  const { id, events } = await played({ verdicts: { mode: 'HOLD', verifyTop: 1 } });
  expect(await raised(id)).toEqual([
    '1 verdict pending',
    '2 verdict pending',
    '3 verdict pending',
    '4 verdict pending',
  ]);
  const pass = await post(`/v1/boards/${id}/reverify`);
  await work();
  for (const [index, event] of events.entries())
    expect(await give(by, event, index === 0 ? 'rejected' : 'verified', { pass_id: pass.id })).toMatch(
      /^201/,
    );
  expect(await ranks(id)).toEqual([]);
  await post(`/v1/verification-passes/${pass.id}/apply`);
  expect(await ranks(id)).toEqual(['1 Ann 30', '2 Ann 20', '3 Ann 10']);
  const { body } = await on.studio.admin.get(`/v1/score-flags?board_id=${id}`);
  const flag = body.data.find(({ score_event_id: event }: Data) => event === events[1]);
  await on.studio.admin.got(
    on.studio.admin.patch(`/v1/score-flags/${flag.id}`, { status: 'false_positive' }),
  );
  await post(`/v1/verification-passes/${pass.id}/undo`);
  expect(await ranks(id)).toEqual(['1 Ann 30']);
  await expectSound(on.app.database, id);
});

test('a rejection raises the flag that an undone pass has left behind', async () => {
  const { id, events } = await played({ verdicts: { mode: 'HOLD', verifyTop: 0 } });
  const pass = await post(`/v1/boards/${id}/reverify`);
  await work();
  await give(by, events[0]!, 'rejected', { pass_id: pass.id });
  await post(`/v1/verification-passes/${pass.id}/apply`);
  await post(`/v1/verification-passes/${pass.id}/undo`);
  expect(await raised(id)).toEqual([]);
  expect(await give(by, events[0]!, 'rejected')).toBe('201 rejected');
  expect(await raised(id)).toEqual(['1 verdict pending']);
  await expectSound(on.app.database, id);
});

test('limits: one pass of a board, three of an account; other tenants see none', async () => {
  const { id } = await played();
  const since = new Date(on.app.clock.now() - 90 * SECOND).toISOString();
  const pass = await post(`/v1/boards/${id}/reverify`, { since });
  expect(pass.recording_count).toBe(2);
  expect((await post(`/v1/boards/${id}/reverify`)).code).toBe('CONFLICT');
  const others = await Promise.all([1, 2].map(() => board({ recordings: {}, verdicts: { mode: 'LOG' } })));
  for (const other of others) expect((await post(`/v1/boards/${other.id}/reverify`)).status).toBe('sending');
  const fourth = await board({ recordings: {}, verdicts: { mode: 'LOG' } });
  expect((await post(`/v1/boards/${fourth.id}/reverify`)).code).toBe('CONFLICT');
  const stranger = (await makeStudio(on.app)).admin;
  expect((await stranger.post(`/v1/verification-passes/${pass.id}/apply`, {})).status).toBe(403);
  expect((await stranger.get(`/v1/boards/${id}/verification-passes`)).status).toBe(403);
  expect((await by.post(`/v1/boards/${id}/reverify`, {})).status).toBe(403);
  expect((await post(`/v1/verification-passes/${pass.id}/undo`)).status).toBe('cancelled');
  expect((await post(`/v1/boards/${fourth.id}/reverify`)).status).toBe('sending');
  await work();
  expect(await sent(pass.id)).toEqual([]);
  // Of another board, and unknown ones.
  const [event] = (await played()).events;
  expect(await give(by, event!, 'verified', { pass_id: pass.id })).toBe('400 INVALID_TRANSITION');
  const plain = await board({}, (await makeGame(on.studio)).id);
  expect((await post(`/v1/boards/${plain.id}/reverify`)).code).toBe('INVALID_TRANSITION');
});

test('a kill between a step and the next: the job goes on, and nothing is sent twice', async () => {
  const { id, events } = await played();
  const pass = await post(`/v1/boards/${id}/reverify`);
  const { pool } = on.app.database;
  const step = async (most: number) =>
    (await pool.query('select send_pass($1, $2, now()) as more', [uuidOf(pass.id), most])).rows[0].more;
  expect(await step(3)).toBe(true);
  expect(await sent(pass.id)).toHaveLength(3);
  await work();
  expect(await sent(pass.id)).toEqual(events.toSorted());
  await give(by, events[0]!, 'rejected', { pass_id: pass.id });
  // Its process ended after the request was stored.
  await pool.query(
    `update verification_passes set status = 'applying', applied_by = requested_by where id = $1`,
    [uuidOf(pass.id)],
  );
  await work();
  expect(await ranks(id)).toEqual(['1 Ann 30', '2 Ann 20', '3 Ann 10']);
  await pool.query(
    `update verification_passes set status = 'undoing', undone_by = requested_by where id = $1`,
    [uuidOf(pass.id)],
  );
  await Promise.all([work(), work()]);
  await until(async () => (await passes(id))[0]!.status === 'undone');
  expect(await ranks(id)).toHaveLength(4);
  await expectSound(on.app.database, id);
});

test('after a closing, an applied pass is a late ban: prizes are compared, and given anew', async () => {
  const prize = { name: 'gold', firstRank: 1, lastRank: 1, title: 'Gold', grant: { coins: 1 } };
  const { id, events } = await played({
    closingRules: [{ places: 3, prizes: { lines: [prize] } }],
  });
  await on.studio.admin.got(on.studio.admin.post(`/v1/boards/${id}/close`, {}));
  await on.app.app.jobs.run('close-rankings');
  const { board: found } = await on.studio.admin.data(
    'query ($id: ID!) { board(by: { id: $id }) { closings { nodes { id } } } }',
    { id },
  );
  const [closing] = found.closings.nodes;
  const pass = await post(`/v1/boards/${id}/reverify`);
  await work();
  await give(by, events[0]!, 'rejected', { pass_id: pass.id });
  await post(`/v1/verification-passes/${pass.id}/apply`);
  const compared = await post(`/v1/closings/${closing.id}/reissue-prizes`, { dry_run: true });
  expect([compared.missing_count, compared.wrong_count]).toEqual([1, 1]);
});
