import { uuidOf } from '../../src/base/ids.js';
import { checkedGame } from '../support/checked-game.js';
import { DAY, HOUR } from '../support/clock.js';
import { reviewRuns, undo } from '../support/flags.js';
import type { Caller, Data } from '../support/http.js';
import {
  change,
  changeFault,
  makeBoard,
  makeGame,
  makeStudio,
  type Player,
  startSession,
} from '../support/make.js';
import { post, standings } from '../support/play.js';
import { recordedRuns } from '../support/recorded.js';
import { expectSound } from '../support/standings.js';

const { on, session, board } = checkedGame();
const { play, put, record, verifier, give, raised, queued } = recordedRuns(on);

const verified = (mode: string, more: Data = {}) =>
  board({ recordings: { keepTop: 5 }, verdicts: { mode, verifyTop: 2, confirmed: true, ...more } });
const ranks = (boardId: string) => standings(on.studio.admin, boardId);

let by: Caller;
beforeAll(async () => {
  by = await verifier();
});

test('LOG stores verdicts, and nothing follows from them', async () => {
  const { id } = await verified('LOG');
  const ann = await session();
  const event = await record(ann, id, 10);
  expect(await give(by, event, 'rejected', { reason: 'It gives 9.', verifier_version: '7' })).toBe(
    '201 rejected',
  );
  expect([await raised(id), await ranks(id)]).toEqual([[], ['1 Ann 10']]);
  const { body } = await on.studio.admin.get(`/v1/score-events/${event}`);
  expect(body.verdicts).toEqual([
    {
      ...{ score_event_id: event, verdict: 'rejected', reason: 'It gives 9.', verifier: 'arcade' },
      ...{ verifier_version: '7', pass_id: null, created_at: expect.any(String), undone_at: null },
    },
  ]);
  // The first one stays; another verifier has its own.
  expect(await give(by, event, 'verified')).toBe('201 rejected');
  expect(await give(by, event, 'verified', { verifier: 'other' })).toBe('201 verified');
});

test('HOLD: runs of the first ranks wait, VERIFIED ranks them, REJECTED and UNKNOWN leave them to a person', async () => {
  const { id } = await verified('HOLD');
  const [ann, bob, cyd] = [await session(), await session(), await session()];
  const first = await play(ann, id, 30);
  expect([first.held.rank, await raised(id), await ranks(id)]).toEqual([1, ['1 verdict pending'], []]);
  expect(await put(ann, first)).toBe('200 stored');
  const event = first.recording.score_event_id;
  expect([await ranks(id), await queued(id)]).toEqual([[], []]);
  expect(await give(by, event, 'verified')).toBe('201 verified');
  expect([await raised(id), await ranks(id)]).toEqual([['1 verdict dismissed'], ['1 Ann 30']]);

  const second = await record(bob, id, 40);
  expect(await give(by, second, 'rejected', { reason: 'It gives 4.' })).toBe('201 rejected');
  expect([await ranks(id), await queued(id)]).toEqual([
    ['1 Ann 30'],
    ['The verifier played its recording again, with another result.'],
  ]);
  const third = await record(cyd, id, 35);
  expect(await give(by, third, 'unknown')).toBe('201 unknown');
  expect((await queued(id)).toSorted()).toEqual([
    'It waits for a verdict of the verifier.',
    'The verifier played its recording again, with another result.',
  ]);
  // A later one of another verifier clears it, but nobody clears what one has rejected.
  expect(await give(by, third, 'verified', { verifier: 'b' })).toBe('201 verified');
  expect(await give(by, second, 'verified', { verifier: 'b' })).toBe('201 verified');
  expect(await ranks(id)).toEqual(['1 Ann 35', '2 Ann 30']);
  // Rulings have numbers, too.
  expect(await raised(id)).toEqual(['1 verdict dismissed', '3 verdict pending', '4 verdict dismissed']);
  // Behind the first two, nothing waits; what is rejected there is flagged.
  const fourth = await session();
  const event4 = await record(fourth, id, 5);
  expect(await ranks(id)).toEqual(['1 Ann 35', '2 Ann 30', '3 Ann 5']);
  expect(await give(by, event4, 'rejected')).toBe('201 rejected');
  expect(await raised(id)).toContain('6 verdict pending');
  await expectSound(on.app.database, id);
});

test('silence: after the hours, the flag is for people', async () => {
  const { id } = await verified('HOLD', { hours: 5 });
  const ann = await session();
  const run = await play(ann, id, 10);
  on.app.clock.advance(5 * HOUR - 1);
  expect(await queued(id)).toEqual([]);
  on.app.clock.advance(1);
  expect(await queued(id)).toEqual(['It waits for a verdict of the verifier.']);
  // What a person decides, stays.
  const { body } = await on.studio.admin.get(`/v1/score-flags?board_id=${id}`);
  await on.studio.admin.got(
    on.studio.admin.patch(`/v1/score-flags/${body.data[0].id}`, { status: 'false_positive' }),
  );
  expect(await ranks(id)).toEqual(['1 Ann 10']);
  expect(await put(ann, run)).toBe('200 stored');
  expect(await give(by, run.recording.score_event_id, 'rejected')).toBe('201 rejected');
  expect([await raised(id), await ranks(id)]).toEqual([['1 verdict false_positive'], ['1 Ann 10']]);
});

test('DECIDE: REJECTED confirms cheating as a review of the key, and verifiers that disagree leave it to a person', async () => {
  const { id } = await verified('DECIDE');
  const [ann, bob] = [await session(), await session()];
  const event = await record(ann, id, 50);
  expect(await give(by, event, 'rejected', { reason: 'It gives 4.' })).toBe('201 rejected');
  expect(await raised(id)).toEqual(['1 verdict confirmed_cheat']);
  const { body } = await on.studio.admin.get(`/v1/score-flags?board_id=${id}`);
  expect(body.data[0]).toMatchObject({
    reviewer_id: on.studio.userId,
    reviewer_decision: 'arcade: It gives 4.',
  });
  const tier = async () =>
    (await on.studio.admin.get(`/v1/identities/${ann.session.identityId}`)).body.trust_tier;
  expect(await tier()).toBe('c');
  const { auditEntries } = await on.studio.admin.data(
    '{ auditEntries(filter: { action: FLAG_REVIEWED }) { nodes { subjectId userId after } } }',
  );
  expect(auditEntries.nodes).toContainEqual({
    ...{ subjectId: body.data[0].id, userId: on.studio.userId },
    after: { status: 'confirmed_cheat', reviewerDecision: 'arcade: It gives 4.' },
  });
  expect(await give(by, event, 'verified', { verifier: 'b' })).toBe('201 verified');
  expect([await raised(id), await tier()]).toEqual([['1 verdict pending'], null]);
  // A person undoes a confirmation as any other.
  const second = await record(bob, id, 60);
  expect(await give(by, second, 'rejected')).toBe('201 rejected');
  const flags = (await on.studio.admin.get(`/v1/score-flags?board_id=${id}`)).body.data;
  const flag = flags.find(({ status }: Data) => status === 'confirmed_cheat');
  await on.studio.admin.got(on.studio.admin.patch(`/v1/score-flags/${flag.id}`, { status: 'dismissed' }));
  expect(await ranks(id)).toEqual(['1 Ann 60']);
  await expectSound(on.app.database, id);
});

test('a lying verifier is undone as a whole, and its later verdicts count', async () => {
  const { id } = await verified('DECIDE', { verifyTop: 5 });
  const players = await Promise.all([1, 2, 3, 4].map(() => session()));
  const events: string[] = [];
  for (const [index, player] of players.entries()) events.push(await record(player, id, 10 * (index + 1)));
  for (const [index, event] of events.entries())
    expect(await give(by, event, index < 2 ? 'verified' : 'rejected')).toMatch(/^201/);
  expect(await ranks(id)).toEqual(['1 Ann 20', '2 Ann 10']);
  const undo = async (more: Data = {}) =>
    (await on.studio.admin.post(`/v1/boards/${id}/undo-verdicts`, { verifier: 'arcade', ...more })).body;
  const shown = await undo({ dry_run: true });
  expect([shown.undone_count, shown.effect.runs, shown.effect.moved]).toEqual([4, 4, 2]);
  expect(await ranks(id)).toEqual(['1 Ann 20', '2 Ann 10']);
  expect(await undo()).toMatchObject({ undone_count: 4, effect: { runs: 4, moved: 2 } });
  expect([await ranks(id), await raised(id)]).toEqual([
    [],
    ['1 verdict pending', '2 verdict pending', '3 verdict pending', '4 verdict pending'],
  ]);
  expect(await queued(id)).toHaveLength(4);
  expect((await undo()).undone_count).toBe(0);
  const { rows } = await on.app.database.pool.query(
    `select from identities where id = any($1) and trust_tier = 'c'`,
    [players.map(({ session: { identityId } }) => uuidOf(identityId))],
  );
  expect(rows).toEqual([]);
  // Repaired, it says something else.
  for (const event of events) expect(await give(by, event, 'verified')).toBe('201 verified');
  expect(await ranks(id)).toEqual(['1 Ann 40', '2 Ann 30', '3 Ann 20', '4 Ann 10']);
  await expectSound(on.app.database, id);
});

test('verdicts follow their verifier beneath a review too: undone, it leaves what they say by then', async () => {
  const { id } = await verified('DECIDE');
  const [ann, bob] = [await session(), await session()];
  const [event, cleared] = [await record(ann, id, 50), await record(bob, id, 40)];
  const all = async (player: Player, decision: string) =>
    (await reviewRuns(on.studio.admin, { identityId: player.session.identityId, decision })).review.id;
  expect(await give(by, event, 'rejected')).toBe('201 rejected');
  const reviews = [await all(ann, 'FALSE_POSITIVE'), await all(bob, 'CONFIRMED_CHEAT')];
  expect(await give(by, cleared, 'verified')).toBe('201 verified');
  expect(await raised(id)).toEqual(['1 verdict false_positive', '2 verdict confirmed_cheat']);
  await on.studio.admin.got(
    on.studio.admin.post(`/v1/boards/${id}/undo-verdicts`, { verifier: 'arcade', since: new Date(0) }),
  );
  expect(await give(by, cleared, 'verified')).toBe('201 verified');
  for (const review of reviews) await undo(on.studio.admin, review);
  // The rejection was taken back, and the run is verified.
  expect(await raised(id)).toEqual(['1 verdict pending', '2 verdict dismissed']);
  expect(await ranks(id)).toEqual(['1 Ann 40']);
  await expectSound(on.app.database, id);
});

test('a flag that a person deleted is not raised again, and follows the verdicts once it is restored', async () => {
  const { id } = await verified('DECIDE', { verifyTop: 0 });
  const event = await record(await session(), id, 10);
  await give(by, event, 'rejected');
  const [flag] = (await on.studio.admin.get(`/v1/score-flags?board_id=${id}`)).body.data;
  const set = (deleted: boolean) => change(on.studio.admin, 'ScoreFlag', flag.id, { deleted });
  await set(true);
  await on.studio.admin.got(on.studio.admin.post(`/v1/boards/${id}/undo-verdicts`, { verifier: 'arcade' }));
  await give(by, event, 'rejected');
  expect([await raised(id), await ranks(id)]).toEqual([[], ['1 Ann 10']]);
  await set(false);
  expect([await raised(id), await ranks(id)]).toEqual([['1 verdict confirmed_cheat'], []]);
  await expectSound(on.app.database, id);
});

test('runs that wait for a verdict stay held without a hold of the board, and go on once none is awaited', async () => {
  const { id } = await verified('HOLD', { hours: 24 });
  await play(await session(), id, 10);
  await change(on.studio.admin, 'Board', id, { holdHours: 100 });
  await change(on.studio.admin, 'Board', id, { holdTop: 5 });
  await change(on.studio.admin, 'Board', id, { holdTop: 0 });
  expect([await ranks(id), await queued(id)]).toEqual([[], []]);
  await change(on.studio.admin, 'Board', id, { verdicts: { mode: 'LOG' } });
  expect([await ranks(id), await queued(id)]).toEqual([
    ['1 Ann 10'],
    ['It waits for a verdict of the verifier.'],
  ]);
  await expectSound(on.app.database, id);
});

test('visitors see which entries were verified, caches too, until a verifier rejects or is taken back', async () => {
  const { id, shortCode } = await verified('LOG');
  const ann = await session();
  const event = await record(ann, id, 10);
  const page = (path: string) => fetch(`${on.app.url}/b/${shortCode}${path}`);
  const text = async (path: string) => (await page(path)).text();
  const isMarked = async (path: string) => (await text(path)).includes('Played again by the studio');
  const shown = async () => {
    const { publicBoard } = await on.app.anyone.data(
      'query ($id: ID!) { publicBoard(by: { id: $id }) { hasVerdicts ranking { entries { nodes { verifiedAt } } } } }',
      { id },
    );
    const [first] = publicBoard.ranking.entries.nodes;
    const player = `/p/${ann.session.identityId}`;
    return [
      first.verifiedAt !== null,
      await isMarked(player),
      await isMarked(''),
      await isMarked('?embed=1'),
    ];
  };
  expect(await shown()).toEqual([false, false, false, false]);
  const before = (await page('')).headers.get('etag');
  await give(by, event, 'verified');
  on.app.clock.advance(HOUR);
  expect(await shown()).toEqual([true, true, true, true]);
  // A verdict that is logged changes no version of the board.
  expect((await page('')).headers.get('etag')).not.toBe(before);
  expect(await text('?overlay=1')).not.toContain('Verified');
  await post(await session(), { board_id: id, value: 1 });
  expect(await shown()).toEqual([true, true, true, true]);
  expect((await text('')).match(/class="verified"/g)).toHaveLength(1);
  await give(by, event, 'rejected', { verifier: 'b' });
  expect(await shown()).toEqual([false, false, false, false]);
});

test('marks cost a page of a board with verdicts one statement, whatever its length, and other boards none', async () => {
  const { id, shortCode } = await verified('LOG');
  const plain = await board({});
  const { pool } = on.app.database;
  const statements = async (code: string) => {
    const seen: string[] = [];
    const spy = jest.spyOn(pool, 'query').mockImplementation(((...args: unknown[]) => {
      const [query] = args as [string | { text: string }];
      seen.push(typeof query === 'string' ? query : query.text);
      return real(...(args as [string]));
    }) as never);
    await (await fetch(`${on.app.url}/b/${code}?from=1`)).text();
    spy.mockRestore();
    return seen.filter((sql) => sql.includes('from verdicts x')).length;
  };
  const real = pool.query.bind(pool);
  for (const value of [1, 2, 3]) {
    const player = await session();
    await give(by, await record(player, id, value), 'verified');
    await post(player, { board_id: plain.id, value });
  }
  expect([await statements(shortCode), await statements(plain.shortCode)]).toEqual([1, 0]);
});

test('a flood: twenty verifiers speak of a run, however many ask at once, and one speaks once', async () => {
  const { id } = await verified('LOG');
  const event = await record(await session(), id, 10);
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, n) => give(by, event, 'verified', { verifier: `v${n % 30}` })),
  );
  expect(answers.filter((one) => one === '409 CONFLICT')).toHaveLength(20);
  expect(answers.filter((one) => one === '201 verified')).toHaveLength(40);
  const { body } = await on.studio.admin.get(`/v1/score-events/${event}`);
  expect(body.verdicts).toHaveLength(20);
});

test('undoing a flag that a verdict raised removes it, and a new verdict raises it again', async () => {
  const { id } = await verified('HOLD', { verifyTop: 0 });
  const ann = await session();
  const event = await record(ann, id, 10);
  expect(await raised(id)).toEqual([]);
  await give(by, event, 'rejected');
  expect(await raised(id)).toEqual(['1 verdict pending']);
  await on.studio.admin.got(on.studio.admin.post(`/v1/boards/${id}/undo-verdicts`, { verifier: 'arcade' }));
  expect(await raised(id)).toEqual([]);
  await give(by, event, 'rejected');
  expect(await raised(id)).toEqual(['1 verdict pending']);
  await expectSound(on.app.database, id);
});

test('a verifier reads runs with recordings and nothing else', async () => {
  const { id } = await verified('HOLD');
  const ann = await session();
  const event = await record(ann, id, 10);
  await post(await session(), { board_id: id, value: 1 });
  const list = (filter: string) => by.get(`/v1/score-events?board_id=${id}&${filter}`);
  const { body } = await list('verdict=none&has_recording=true');
  expect(body.data.map(({ id: found }: Data) => found)).toEqual([event]);
  const { url } = body.data[0].recording;
  expect((await fetch(on.app.url + url)).status).toBe(200);
  await give(by, event, 'verified');
  expect((await list('verdict=none')).body.data).toEqual([]);
  expect((await list('verdict=verified')).body.data).toHaveLength(1);
  expect((await list('has_recording=true')).body.data).toHaveLength(1);
  expect((await list('has_recording=false')).status).toBe(422);
  expect((await by.get('/v1/score-events?verdict=none')).status).toBe(422);
  for (const path of [`boards/${id}`, `score-flags?board_id=${id}`, `scores?board_id=${id}`, 'identities'])
    expect([path, (await by.get(`/v1/${path}`)).status]).toEqual([path, 403]);
  const { scoreEvent } = await by
    .data(
      'query ($id: ID!) { scoreEvent(id: $id) { flags { id } identity { id } board { id } verdicts { verdict } } }',
      { id: event },
    )
    .catch(() => ({ scoreEvent: null }));
  expect(scoreEvent?.flags ?? null).toBeNull();
  expect((await by.post(`/v1/boards/${id}/undo-verdicts`, { verifier: 'arcade' })).status).toBe(403);
});

test('verdicts need a stored recording, the own account and the scope', async () => {
  const { id } = await verified('HOLD');
  const ann = await session();
  const run = await play(ann, id, 10);
  const event = run.recording.score_event_id;
  expect(await give(by, event, 'verified')).toBe('400 INVALID_TRANSITION');
  expect(await put(ann, run)).toBe('200 stored');
  expect(await give((await makeStudio(on.app)).admin, event, 'verified')).toBe('403 FORBIDDEN');
  expect(await give(ann.client, event, 'verified')).toMatch(/^40[13]/);
  expect(await give(by, event, 'maybe')).toBe('422 VALIDATION_FAILED');
  expect(await give(by, event, 'verified', { verifier: ' ' })).toBe('422 VALIDATION_FAILED');
  expect(await give(by, event, 'verified', { reason: 'x'.repeat(501) })).toBe('422 VALIDATION_FAILED');
  expect(await give(on.studio.admin, event, 'verified')).toBe('201 verified');
});

test('settings: recordings are needed, and DECIDE without experience is confirmed', async () => {
  const game = await makeGame(on.studio);
  const { id } = await board({}, game.id);
  const set = (input: Data) => changeFault(on.studio.admin, 'Board', id, input);
  expect(await set({ verdicts: { mode: 'LOG' } })).toBe('VALIDATION_FAILED');
  await change(on.studio.admin, 'Board', id, { recordings: {}, verdicts: { mode: 'LOG' } });
  expect(await set({ recordings: null })).toBe('VALIDATION_FAILED');
  expect(await set({ verdicts: { mode: 'DECIDE' } })).toBe('CONFLICT');
  await change(on.studio.admin, 'Board', id, { verdicts: { mode: 'DECIDE', confirmed: true } });
  const { boards } = await on.studio.admin.data(
    'query ($id: ID!) { boards: board(by: { id: $id }) { verdicts { mode verifyTop hours confirmed } } }',
    { id },
  );
  expect(boards.verdicts).toEqual({ mode: 'DECIDE', verifyTop: 10, hours: 24, confirmed: true });
  await on.app.database.pool.query(
    `insert into verdicts (board_id, event_seq, pass_id, verifier, id, account_id, verdict, mode, given_by, created_at)
     select $1, n, '00000000-0000-0000-0000-000000000000', 'v', gen_random_uuid(), $2, 'verified', 'log', $3, now()
     from generate_series(1, 500) n`,
    [id, on.studio.accountId, on.studio.userId].map(uuidOf),
  );
  await change(on.studio.admin, 'Board', id, { verdicts: { mode: 'DECIDE' } });
  await change(on.studio.admin, 'Board', id, { verdicts: null, recordings: null });
});

test('without checks, and on boards of sums, nothing waits', async () => {
  const game = await makeGame(on.studio, { antiCheatEnabled: false });
  const settings = { recordings: {}, verdicts: { mode: 'HOLD' } };
  const unchecked = await board(settings, game.id);
  const player = await startSession(on.app, game.id);
  const run = await play(player, unchecked.id, 10);
  expect([run.held, run.recording !== undefined]).toEqual([undefined, true]);
  const sums = await makeBoard(on.studio, on.game.id, { boardType: 'COUNTER', ...settings });
  const ann = await session();
  expect((await play(ann, sums.id, 10)).held).toBeUndefined();
});

test('verdict, flag and board are one write: a failure in between leaves all as they were', async () => {
  const { id } = await verified('DECIDE');
  const ann = await session();
  const event = await record(ann, id, 10);
  const sql = (text: string) => on.app.database.pool.query(text);
  await sql(
    `create function fail_verdict() returns trigger language plpgsql as $$ begin raise exception 'gone'; end $$`,
  );
  for (const [table, verdict] of [
    ['flag_reviews', 'verified'],
    ['rulings', 'rejected'],
    ['audit_entries', 'rejected'],
  ]) {
    await sql(
      `create trigger fail_verdict before insert on ${table} for each row execute function fail_verdict()`,
    );
    expect(await give(by, event, verdict!)).toBe('500 INTERNAL');
    await sql(`drop trigger fail_verdict on ${table}`);
    expect([await raised(id), await ranks(id)]).toEqual([['1 verdict pending'], []]);
    const { rows } = await sql(`select from verdicts where board_id = '${uuidOf(id)}'`);
    expect(rows).toEqual([]);
  }
  expect(await give(by, event, 'verified')).toBe('201 verified');
  on.app.clock.advance(DAY);
  await expectSound(on.app.database, id);
});
