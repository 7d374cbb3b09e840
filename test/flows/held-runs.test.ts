import { uuidOf } from '../../src/base/ids.js';
import { END_HOLDS } from '../../src/boards/board/hold.js';
import { checkedGame } from '../support/checked-game.js';
import { HOUR, SECOND } from '../support/clock.js';
import { entriesOf, flag, review, reviewRuns, undo } from '../support/flags.js';
import { change, changeFault, type Player } from '../support/make.js';
import { post, standings, takeNonce } from '../support/play.js';
import { expectSound } from '../support/standings.js';

const { on, flags, events, session, board, plays } = checkedGame();

/** Submits after a pause. @returns the answer's score and what is held of it: `value rank status[, held value rank]` */
async function runs(player: Player, boardId: string, value: number, pause = 10 * SECOND): Promise<string> {
  on.app.clock.advance(pause);
  const { status, body } = await post(player, { board_id: boardId, value });
  expect(status).toBe(201);
  const held = body.held ? `, held ${body.held.value} at ${body.held.rank}` : '';
  return `${body.value} ${body.rank} ${body.status}${held}`;
}

const dispositions = async (boardId: string) =>
  (await events(boardId)).map(({ amount, disposition }) => `${amount} ${disposition}`);

async function rule(boardId: string, status: string, ofEvent?: number): Promise<void> {
  const all = await flags(boardId);
  for (const { id, event_seq } of all)
    if (ofEvent === undefined || event_seq === ofEvent)
      await review(on.studio.admin, `flg_${id}`, { status });
}

test('held runs never become the best value, so that the next one is held, too', async () => {
  const { id } = await board({ holdTop: 3 });
  const player = await session();
  for (const value of [100, 110, 120]) await runs(player, id, value);
  expect(await runs(player, id, 1_000_000)).toBe('120 1 active, held 1000000 at 1');
  expect(await runs(player, id, 1_000_001)).toBe('120 1 active, held 1000001 at 1');
  expect(await standings(on.studio.admin, id)).toEqual(['1 Ann 120']);
  expect((await flags(id)).map(({ flag_type }) => flag_type)).toEqual(['progression', 'progression']);
  expect(await dispositions(id)).toEqual(
    expect.arrayContaining(['1000000 held', '1000001 held', '120 accepted']),
  );
  await expectSound(on.app.database, id);
});

test("visitors read a player's runs where the board says so, never held or rejected ones", async () => {
  const shown = await board({ holdTop: 3, isPublished: true, views: [{ name: 'daily', period: 'DAY' }] });
  const other = await board({ isPublished: true });
  const hidden = await board({ isPublished: false });
  const player = await session();
  for (const value of [100, 120, 110]) await runs(player, shown.id, value);
  expect(await runs(player, shown.id, 1_000_000)).toBe('120 1 active, held 1000000 at 1');
  for (const { id } of [other, hidden]) await runs(player, id, 7);
  const { identityId } = player.session;
  const seen = async () => {
    const { publicBoard } = await on.app.anyone.data(
      `query ($board: ID!, $player: ID!) { publicBoard(by: { id: $board }) {
        historyOf(identityId: $player) { value } entriesOf(identityId: $player) { value metadata ranking { view } }
        placesElsewhere(identityId: $player) { board { boardId } entry { rank value ranking { totalCount } } } } }`,
      { board: shown.id, player: identityId },
    );
    return { ...publicBoard, historyOf: publicBoard.historyOf?.map(({ value }: { value: number }) => value) };
  };
  const entriesOf = [{ value: 120, metadata: null, ranking: { view: 'daily' } }];
  expect(await seen()).toEqual({ entriesOf, historyOf: undefined, placesElsewhere: null });
  await change(on.studio.admin, 'Board', shown.id, { publicFields: ['HISTORY'] });
  const entry = { rank: 1, value: 7, ranking: { totalCount: 1 } };
  const placesElsewhere = [{ board: { boardId: other.id }, entry }];
  expect(await seen()).toEqual({ entriesOf, historyOf: [110, 120, 100], placesElsewhere });
  await rule(shown.id, 'FALSE_POSITIVE');
  expect((await seen()).historyOf).toEqual([1_000_000, 110, 120, 100]);
  await rule(shown.id, 'CONFIRMED_CHEAT');
  expect((await seen()).historyOf).toEqual([110, 120, 100]);
});

test('runs are held where they would be among the first, and are under review below', async () => {
  const { id } = await board({ holdTop: 2 });
  const others = [await session(), await session()];
  await runs(others[0]!, id, 1_000);
  await runs(others[1]!, id, 900);
  const player = await session();
  expect(await runs(player, id, 10)).toBe('10 3 active');
  // Within two seconds: a flag.
  expect(await runs(player, id, 20, SECOND)).toBe('20 3 under_review');
  expect(await runs(player, id, 950, SECOND)).toBe('20 3 under_review, held 950 at 2');
  expect(await runs(player, id, 2_000, SECOND)).toBe('20 3 under_review, held 2000 at 1');
  // Not better than the entry: it moves nothing.
  expect(await runs(player, id, 15, SECOND)).toBe('20 3 under_review');
  // They count for the pace.
  expect(await plays(player, id, 21, SECOND)).toBe('under_review velocity/high');
  await expectSound(on.app.database, id);
});

test('a held run of a player without an entry in a group is not ranked there', async () => {
  const dimensions = [{ name: 'class' }];
  const { id } = await board({ holdTop: 3, dimensions, views: [{ name: 'class', by: ['class'] }] });
  const [player, other] = [await session(), await session()];
  for (const value of [100, 110, 120]) await runs(player, id, value);
  await post(other, { board_id: id, value: 1, tags: { class: 'mage' } });
  const nonce = await takeNonce(player.client);
  const { status, body } = await player.client
    .with({ 'service-client-nonce': nonce })
    .post('/v1/client/scores?standings=all', {
      ...{ board_id: id, player_name: 'Ann', value: 1_000_000, tags: { class: 'mage' } },
    });
  expect([status, body.held?.rank]).toEqual([201, 1]);
  expect(body.standings).toMatchObject([{ view: 'class', state: 'not_ranked', rank: null }]);
});

test('a player of whom nothing else counts has a provisional score, which only that player and the studio see', async () => {
  const { id } = await board({ holdTop: 1, keepStrategy: 'ALL' });
  const [player, other] = [await session(), await session()];
  await runs(player, id, 5);
  expect(await runs(player, id, 7, SECOND)).toBe('7 1 provisional, held 7 at 1');
  expect(await standings(on.studio.admin, id)).toEqual(['1 Ann 5']);
  const [, held] = await events(id);
  const read = (caller: Player['client']) =>
    caller.data('query ($id: ID!) { score(id: $id) { value rank status } }', { id: `scr_${held!.id}` });
  expect(await read(player.client)).toEqual({ score: { value: 7, rank: 1, status: 'PROVISIONAL' } });
  expect(await read(on.studio.admin)).toEqual({ score: { value: 7, rank: 1, status: 'PROVISIONAL' } });
  expect(
    await other.client.code('query ($id: ID!) { score(id: $id) { value } }', { id: `scr_${held!.id}` }),
  ).toBe('NOT_FOUND');
  await expectSound(on.app.database, id);
});

test('of a player of whom nothing counts, held runs make a hidden entry by the rule of the board', async () => {
  for (const [keepStrategy, shown] of [
    ['BEST', '30 provisional'],
    ['FIRST', '20 provisional'],
    ['LAST', '25 provisional'],
  ]) {
    const { id } = await board({ holdTop: 5, keepStrategy: 'BEST' });
    const player = await session();
    await runs(player, id, 10);
    expect(await runs(player, id, 20, SECOND)).toBe('10 1 active, held 20 at 1');
    await change(on.studio.admin, 'Board', id, { keepStrategy });
    const first = await flag(on.studio.admin, `sev_${(await events(id))[0]!.id}`);
    await review(on.studio.admin, first.id, { status: 'CONFIRMED_CHEAT' });
    const entry = () => entriesOf(on.app, id, player.session.identityId);
    expect(await entry()).toEqual(['20 provisional']);
    expect(await runs(player, id, 30, SECOND)).toMatch(/ 1 provisional, held 30 at 1$/);
    expect(await runs(player, id, 25, SECOND)).toMatch(/ 1 provisional, held 25 at 1$/);
    expect(await entry()).toEqual([shown]);
    await expectSound(on.app.database, id);
    await rule(id, 'FALSE_POSITIVE', 2);
    expect(await entry()).toEqual(['20 active']);
    await expectSound(on.app.database, id);
  }
});

test('a review ranks, rejects and holds again; after the hold it is under review', async () => {
  const { id } = await board({ holdTop: 3, holdHours: 2 });
  const player = await session();
  await runs(player, id, 10);
  expect(await runs(player, id, 50, SECOND)).toBe('10 1 active, held 50 at 1');
  const entry = () => entriesOf(on.app, id, player.session.identityId);
  await rule(id, 'FALSE_POSITIVE');
  expect(await entry()).toEqual(['50 active']);
  await rule(id, 'PENDING');
  expect(await entry()).toEqual(['10 active']);
  await rule(id, 'DISMISSED');
  expect(await entry()).toEqual(['50 active']);
  await rule(id, 'CONFIRMED_CHEAT');
  expect(await entry()).toEqual(['10 active']);
  await expectSound(on.app.database, id);
  await rule(id, 'PENDING');
  expect(await entry()).toEqual(['10 active']);

  on.app.clock.advance(2 * HOUR - 2 * SECOND);
  expect(await on.app.app.jobs.run(END_HOLDS)).toBe(0);
  on.app.clock.advance(2 * SECOND);
  expect(await on.app.app.jobs.run(END_HOLDS)).toBe(1);
  expect(await on.app.app.jobs.run(END_HOLDS)).toBe(0);
  expect(await entry()).toEqual(['50 under_review']);
  await expectSound(on.app.database, id);
  await rule(id, 'CONFIRMED_CHEAT');
  expect(await entry()).toEqual(['10 active']);
  // No later review holds it anew.
  await rule(id, 'PENDING');
  expect(await entry()).toEqual(['50 under_review']);
  await expectSound(on.app.database, id);
});

test('a review of all runs and its undo hold runs again; flags by hand hold nothing', async () => {
  const { id } = await board({ holdTop: 3 });
  const player = await session();
  await runs(player, id, 10);
  await runs(player, id, 50, SECOND);
  const { identityId } = player.session;
  const entry = () => entriesOf(on.app, id, identityId);
  const cleared = await reviewRuns(on.studio.admin, { identityId, decision: 'FALSE_POSITIVE' });
  expect(await entry()).toEqual(['50 active']);
  const held = (await events(id)).find(({ amount }) => amount === 50)!;
  const manual = await flag(on.studio.admin, `sev_${held.id}`);
  expect(await entry()).toEqual(['50 under_review']);
  await review(on.studio.admin, manual.id, { status: 'DISMISSED' });
  await undo(on.studio.admin, cleared.review.id);
  expect(await entry()).toEqual(['10 active']);
  const caught = await reviewRuns(on.studio.admin, { identityId, decision: 'CONFIRMED_CHEAT' });
  expect(await entry()).toEqual(['50 rejected']);
  await undo(on.studio.admin, caught.review.id);
  expect(await entry()).toEqual(['10 active']);
  await expectSound(on.app.database, id);
});

test('changes of rules leave held runs where they are; holdTop 0 releases them, holdHours moves their end', async () => {
  const { id } = await board({ holdTop: 3, holdHours: null });
  const player = await session();
  await runs(player, id, 10);
  await runs(player, id, 50, SECOND);
  const { admin } = on.studio;
  const entries = () => entriesOf(on.app, id, player.session.identityId);
  const ends = async () =>
    (await on.app.database.knex('held_runs').where('board_id', uuidOf(id)))[0]!.ends_at;
  expect(await ends()).toBeNull();
  await change(admin, 'Board', id, { keepStrategy: 'ALL' });
  expect(await entries()).toEqual(['10 active', '50 provisional']);
  await expectSound(on.app.database, id);
  await change(admin, 'Board', id, { keepStrategy: 'LAST', sortDirection: 'ASC' });
  expect(await entries()).toEqual(['10 active']);
  await expectSound(on.app.database, id);
  await change(admin, 'Board', id, { holdHours: 5 });
  expect((await ends()).getTime()).toBe(on.app.clock.now() + 5 * HOUR);
  await change(admin, 'Board', id, { holdTop: 0 });
  expect(await entries()).toEqual(['50 under_review']);
  expect(await runs(player, id, 9, SECOND)).toBe('9 1 under_review');
  await expectSound(on.app.database, id);
});

test('a retry of a held submission gets the first answer', async () => {
  const { id } = await board({ holdTop: 3 });
  const player = await session();
  await runs(player, id, 10);
  on.app.clock.advance(SECOND);
  const key = { 'idempotency-key': 'k1' };
  const first = await post(player, { board_id: id, value: 50 }, key);
  const again = await post(player, { board_id: id, value: 50 }, key);
  expect(again.body).toEqual(first.body);
  expect(first.body.held).toEqual({ value: 50, rank: 1 });
  expect(await dispositions(id)).toEqual(['10 accepted', '50 held']);
});

test('only boards of runs and their templates hold runs', async () => {
  const { admin } = on.studio;
  const named = { accountId: on.studio.accountId, gameId: on.game.id, name: 'Sum' };
  const create = 'mutation ($input: CreateBoardInput!) { createBoard(input: $input) { board { id } } }';
  for (const input of [{ boardType: 'COUNTER', holdTop: 1 }, { holdTop: 101 }, { holdHours: 0 }])
    expect(await admin.code(create, { input: { ...named, ...input } })).toBe('VALIDATION_FAILED');
  const template =
    'mutation ($input: CreateBoardTemplateInput!) { createBoardTemplate(input: $input) { boardTemplate { id } } }';
  const weekly = {
    ...named,
    boardType: 'COUNTER',
    repeatInterval: '1 week',
    nextRunAt: '2030-02-01T00:00:00Z',
  };
  expect(await admin.code(template, { input: { ...weekly, holdTop: 1 } })).toBe('VALIDATION_FAILED');
  const counter = await board({ boardType: 'COUNTER', keepStrategy: undefined });
  expect(await changeFault(admin, 'Board', counter.id, { holdTop: 1 })).toBe('VALIDATION_FAILED');
  await change(admin, 'Board', counter.id, { holdTop: 0 });
});

test('submissions of one batch are held at their turn', async () => {
  const { id } = await board({ holdTop: 1 });
  const player = await session();
  await runs(player, id, 10);
  on.app.clock.advance(SECOND);
  const items = [12, 5, 11].map((value) => ({
    boardId: id,
    identityId: player.session.identityId,
    value,
    playerName: 'Ann',
  }));
  const { createScoreEvents } = await on.studio.admin.data(
    `mutation ($input: CreateScoreEventsInput!) { createScoreEvents(input: $input) { results {
      ... on Submission { kept isPersonalBest score { value rank status } held { value rank } } } } }`,
    { input: { items } },
  );
  expect(createScoreEvents.results).toEqual(
    [12, 5, 11].map((value) => ({
      kept: false,
      isPersonalBest: false,
      score: { value: 10, rank: 1, status: 'ACTIVE' },
      held: value > 10 ? { value, rank: 1 } : null,
    })),
  );
  await expectSound(on.app.database, id);
});
