import { uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { MergeWorker } from '../../src/rankings/upkeep/merges.js';
import { startApp, type TestApp } from '../support/app.js';
import { flag, makePlayer, play, reviewRuns, undo as undoReview } from '../support/flags.js';
import type { Caller, Data } from '../support/http.js';
import { ImportClient } from '../support/imports.js';
import {
  change,
  changeFault,
  makeBoard,
  makeGame,
  makeStudio,
  type Player,
  type Studio,
  startSession,
  unique,
} from '../support/make.js';
import { submit, takeNonce } from '../support/play.js';
import { boardText, expectSound } from '../support/standings.js';

let app: TestApp;
let studio: Studio;
let game: Data;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio, { antiCheatEnabled: false });
});
afterAll(() => app.close());

const idOf = ({ session }: Player): string => session.identityId;
const merge = (sourceId: string, targetId: string, more: Data = {}, caller = studio.admin) =>
  caller.post('/v1/player-merges', { source_id: sourceId, target_id: targetId, ...more });
/** @returns the merge, which is applied */
async function merged(sourceId: string, targetId: string): Promise<Data> {
  const { status, body } = await merge(sourceId, targetId);
  expect([status, body]).toEqual([
    200,
    { merge: expect.objectContaining({ status: 'applied' }), boards: [] },
  ]);
  return body.merge;
}
const undo = (id: string) => studio.admin.patch(`/v1/player-merges/${id}`, { undone: true });
async function undone(id: string): Promise<void> {
  expect((await undo(id)).body).toMatchObject({ id, status: 'undone', undone_at: expect.any(String) });
}
const codeOf = async (answer: Promise<{ body: Data }>) => (await answer).body.code;
/** Rank, player and value of every entry. */
async function ranking(board: Data): Promise<unknown[]> {
  const { body } = await studio.admin.get(
    `/v1/scores?account_id=${studio.accountId}&board_id=${board.id}&limit=50`,
  );
  return body.data.map((one: Data) => [one.rank, one.identity_id, one.value]);
}
/** A client with the tokens that a refresh returns, and the player that they name. */
async function refreshed({ session }: Player): Promise<Player> {
  const { body } = await app.anyone.post('/v1/client/sessions/refresh', {
    refresh_token: session.refreshToken,
  });
  const client = app.anyone.with({ authorization: `Bearer ${body.access_token}` });
  const { me } = await client.data('{ me { identity { id } device { id } } }');
  return {
    client,
    session: {
      ...session,
      accessToken: body.access_token,
      refreshToken: body.refresh_token,
      identityId: me.identity.id,
    },
  };
}

test('all runs of a player count for another one in every ranking, and an undo leaves no trace', async () => {
  const boards = [
    await makeBoard(studio, game.id, { keepStrategy: 'BEST' }),
    await makeBoard(studio, game.id, { keepStrategy: 'LAST', sortDirection: 'ASC' }),
    await makeBoard(studio, game.id, { keepStrategy: 'ALL', tiePolicy: 'DENSE' }),
    await makeBoard(studio, game.id, { boardType: 'COUNTER' }),
  ];
  const [ann, ben, cleo] = [
    await startSession(app, game.id),
    await startSession(app, game.id),
    await startSession(app, game.id),
  ];
  const [best, last, runs, counter] = boards as [Data, Data, Data, Data];
  for (const board of boards) {
    await submit(ann, board.id, 30, { playerName: 'Ann' });
    await submit(ben, board.id, 20, { playerName: 'Ben' });
    await submit(cleo, board.id, 25, { playerName: 'Cleo' });
    await submit(ben, board.id, 40, { playerName: 'Ben' });
  }
  const texts = () => Promise.all(boards.map(({ id }) => boardText(app.database, id)));
  const before = await texts();
  const [a, b, c] = [ann, ben, cleo].map(idOf) as [string, string, string];

  const { status, body: dry } = await merge(b, a, { dry_run: true });
  expect([status, dry.merge]).toEqual([200, null]);
  const shown = dry.boards.find(({ board_id }: Data) => board_id === best.id);
  expect(shown).toMatchObject({
    ...{ runs: 2, flags: 0, moved: 3 },
    podium: [
      { rank: 1, before: { identity_id: b, value: 40 }, after: { identity_id: a, value: 40 }, moves: true },
      { rank: 2, before: { identity_id: a, value: 30 }, after: { identity_id: c, value: 25 }, moves: true },
      { rank: 3, before: { identity_id: c, value: 25 }, after: null, moves: true },
    ],
  });
  expect(await texts()).toEqual(before);

  const made = await merged(b, a);
  expect(made).toMatchObject({ source_id: b, target_id: a, requested_by: studio.userId, undone_by: null });
  expect(await ranking(best)).toEqual([
    [1, a, 40],
    [2, c, 25],
  ]);
  expect(await ranking(last)).toEqual([
    [1, c, 25],
    [2, a, 40],
  ]);
  expect(await ranking(counter)).toEqual([
    [1, a, 90],
    [2, c, 25],
  ]);
  expect((await ranking(runs)).map((row) => (row as unknown[])[1])).toEqual([a, a, c, a]);
  for (const { id } of boards) await expectSound(app.database, id);
  // The target keeps the id of its score.
  const own = (text: string[], board: Data) =>
    text.find((line) => line.includes(uuidOf(a)) && board)!.split(' ')[3];
  expect(own(await boardText(app.database, best.id), best)).toBe(own(before[0]!, best));

  // The same again changes nothing.
  expect(await codeOf(merge(b, a))).toBe('INVALID_TRANSITION');
  await undone(made.id);
  expect(await texts()).toEqual(before);
  await undone(made.id);
  for (const { id } of boards) await expectSound(app.database, id);
  const { body: list } = await studio.admin.get(`/v1/player-merges?identity_id=${b}`);
  expect(list.data).toMatchObject([{ id: made.id, status: 'undone' }]);
  const { body: trail } = await studio.admin.get(`/v1/audit-entries?subject_id=${made.id}`);
  expect(trail.data.map(({ action }: Data) => action).toSorted()).toEqual([
    'players_merge_undone',
    'players_merged',
  ]);
});

test('merges that cannot be are refused with a sentence', async () => {
  const [one, two, three] = await Promise.all(
    [1, 2, 3].map(() => makePlayer(studio.admin, game.id, `cannot ${unique()}`)),
  );
  const other = await makePlayer(studio.admin, (await makeGame(studio)).id, 'other');
  expect(await codeOf(merge(one!, one!))).toBe('INVALID_TRANSITION');
  expect(await codeOf(merge(one!, other))).toBe('INVALID_TRANSITION');
  const made = await merged(one!, two!);
  // A cycle, and a player that is merged already.
  expect(await codeOf(merge(two!, one!))).toBe('INVALID_TRANSITION');
  expect(await codeOf(merge(one!, three!))).toBe('INVALID_TRANSITION');
  expect(await codeOf(merge(three!, one!))).toBe('INVALID_TRANSITION');
  expect(await codeOf(studio.admin.patch(`/v1/player-merges/${made.id}`, { undone: false }))).toBeUndefined();
  await undone(made.id);
  expect(await codeOf(studio.admin.patch(`/v1/player-merges/${made.id}`, { undone: false }))).toBe(
    'INVALID_TRANSITION',
  );
  await change(studio.admin, 'Identity', three!, { deleted: true });
  expect(await codeOf(merge(three!, one!))).toBe('NOT_FOUND');
  const rival = await makeStudio(app);
  expect(await codeOf(merge(one!, two!, {}, rival.admin))).toBe('FORBIDDEN');
  expect((await rival.admin.patch(`/v1/player-merges/${made.id}`, { undone: true })).body.code).toBe(
    'FORBIDDEN',
  );
  const player = await startSession(app, game.id);
  expect(await codeOf(merge(one!, two!, {}, player.client))).toBe('API_KEY_REQUIRED');
});

test('chains: each merge is undone alone, in any order', async () => {
  const board = await makeBoard(studio, game.id, { boardType: 'COUNTER' });
  const [a, b, c] = (await Promise.all(
    [1, 2, 3].map(() => makePlayer(studio.admin, game.id, `chain ${unique()}`)),
  )) as [string, string, string];
  for (const [player, value] of [
    [a, 1],
    [b, 10],
    [c, 100],
  ] as const)
    await play(studio.admin, board.id, player, value);
  const before = await boardText(app.database, board.id);
  const [first, second] = [await merged(a, b), await merged(b, c)];
  expect(await ranking(board)).toEqual([[1, c, 111]]);
  const found = await app.database.knex('identities').whereIn('id', [a, b].map(uuidOf));
  expect(found.map(({ merged_into }) => merged_into)).toEqual([uuidOf(c), uuidOf(c)]);
  // From the middle: the first player is its own again, the second one's runs stay.
  await undone(first.id);
  expect(await ranking(board)).toEqual([
    [1, c, 110],
    [2, a, 1],
  ]);
  await undone(second.id);
  expect(await boardText(app.database, board.id)).toEqual(before);
  const [again, then] = [await merged(a, b), await merged(b, c)];
  await undone(then.id);
  expect(await ranking(board)).toEqual([
    [1, c, 100],
    [2, b, 11],
  ]);
  await undone(again.id);
  expect(await boardText(app.database, board.id)).toEqual(before);
});

test('sessions and devices of the source act for the target, and what they play since returns with them', async () => {
  const board = await makeBoard(studio, game.id, { boardType: 'COUNTER' });
  const fingerprint = `phone ${unique()}`;
  const [phone, tablet] = [
    await startSession(app, game.id, { clientFingerprint: fingerprint }),
    await startSession(app, game.id),
  ];
  const [guest, known] = [idOf(phone), idOf(tablet)];
  const nonce = await takeNonce(phone.client);
  const retry = {
    headers: { 'idempotency-key': 'run 1', 'service-client-nonce': nonce },
    body: { board_id: board.id, value: 5, player_name: 'P' },
  };
  const send = async (client: Caller, headers: Record<string, string> = retry.headers) =>
    client.with(headers).post('/v1/client/scores', retry.body);
  expect((await send(phone.client)).status).toBe(201);
  await submit(tablet, board.id, 1);
  const made = await merged(guest, known);

  // Tokens name the player: the old ones are refused, a refresh returns new ones.
  expect((await send(phone.client)).body.code).toBe('INVALID_TOKEN');
  expect((await phone.client.get('/v1/client/boards')).body.code).toBe('INVALID_TOKEN');
  const moved = await refreshed(phone);
  expect(idOf(moved)).toBe(known);
  // A submission repeated with the new tokens is the same one.
  const again = await send(moved.client, {
    ...retry.headers,
    'service-client-nonce': await takeNonce(moved.client),
  });
  expect([again.status, again.headers?.get?.('service-replayed') ?? 'true']).toEqual([201, 'true']);
  expect(await ranking(board)).toEqual([[1, known, 6]]);
  await submit(moved, board.id, 30);
  // Also of a session that starts now.
  const fresh = await startSession(app, game.id, { clientFingerprint: fingerprint });
  expect(idOf(fresh)).toBe(known);
  await submit(fresh, board.id, 100);
  await submit(tablet, board.id, 1000);
  expect(await ranking(board)).toEqual([[1, known, 1136]]);
  // Nobody submits for a merged player.
  const event = { board_id: board.id, identity_id: guest, value: 1 };
  expect((await studio.admin.post('/v1/score-events', event)).body.code).toBe('NOT_FOUND');

  await undone(made.id);
  expect(await ranking(board)).toEqual([
    [1, known, 1001],
    [2, guest, 135],
  ]);
  expect((await fresh.client.get('/v1/client/boards')).body.code).toBe('INVALID_TOKEN');
  expect(idOf(await refreshed(fresh))).toBe(guest);
  expect(idOf(await startSession(app, game.id, { clientFingerprint: fingerprint }))).toBe(guest);
  await expectSound(app.database, board.id);
});

test('the key of a merged player stays its own and leads to the other one', async () => {
  const board = await makeBoard(studio, game.id, { boardType: 'COUNTER' });
  const key = `login-${unique()}`;
  const [source, target] = [
    await makePlayer(studio.admin, game.id, key),
    await makePlayer(studio.admin, game.id, `login-${unique()}`),
  ];
  await play(studio.admin, board.id, source, 1);
  const made = await merged(source, target);
  const create = { game_id: game.id, kind: 'custom', external_key: key };
  expect((await studio.admin.post('/v1/identities', create)).body.code).toBe('CONFLICT');
  const find = `query ($game: ID!, $key: String!) {
    identities(filter: { gameId: $game, kind: CUSTOM, externalKey: $key }) { nodes { id mergedIntoId } } }`;
  expect((await studio.admin.data(find, { game: game.id, key })).identities.nodes).toEqual([
    { id: target, mergedIntoId: null },
  ]);
  expect((await studio.admin.get(`/v1/identities/${source}`)).body.code).toBe('NOT_FOUND');
  expect(await changeFault(studio.admin, 'Identity', source, { deleted: false })).toBe('INVALID_TRANSITION');
  // A game server that starts a session by its old id gets one of the player who stays.
  const { body: session } = await studio.admin.post(`/v1/identities/${source}/sessions`, {
    client_fingerprint: 'pc',
  });
  expect(session.identity_id).toBe(target);
  const client = app.anyone.with({ authorization: `Bearer ${session.access_token}` });
  await submit({ client, session } as never, board.id, 10);
  // Imported rows, too.
  const imports = new ImportClient(() => studio.admin);
  await imports.bringIn(board.id, [`kind,external_key,player_name,value\ncustom,${key},P,100\n`]);
  expect(await ranking(board)).toEqual([[1, target, 111]]);
  await undone(made.id);
  expect(await ranking(board)).toEqual([[1, source, 111]]);
  await expectSound(app.database, board.id);
});

test('flags, reviews and bans move along and survive both ways', async () => {
  const board = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  const [phone, tablet] = [await startSession(app, game.id), await startSession(app, game.id)];
  const [source, target] = [idOf(phone), idOf(tablet)];
  const run = (await submit(phone, board.id, 50, { playerName: 'P' })) as Data;
  await submit(tablet, board.id, 10, { playerName: 'T' });
  const raised = await flag(studio.admin, run.scoreEvent.id, {});
  const own = await reviewRuns(studio.admin, { identityId: source, decision: 'CONFIRMED_CHEAT' });
  expect(await ranking(board)).toEqual([[1, target, 10]]);
  const made = await merged(source, target);
  expect(await ranking(board)).toEqual([[1, target, 10]]);
  const tier = async (id: string) =>
    (await app.database.knex('identities').where('id', uuidOf(id)).first()).trust_tier;
  expect(await tier(target)).toBe('c');
  expect((await studio.admin.get(`/v1/score-flags/${raised.id}`)).body.identity_id).toBe(target);
  // The source's review is undone while it is merged: its run counts for the target.
  await undoReview(studio.admin, own.review.id);
  expect(await ranking(board)).toEqual([[1, target, 50]]);
  expect(await tier(target)).toBeNull();
  // A ban of the target covers both, and devices of both.
  const both = await reviewRuns(studio.admin, {
    identityId: target,
    decision: 'CONFIRMED_CHEAT',
    banDevices: true,
  });
  expect(await ranking(board)).toEqual([]);
  const banned = await app.database
    .knex('devices')
    .where('status', 'banned')
    .whereIn(
      'id',
      [phone, tablet].map(({ session }) => uuidOf(session.deviceId)),
    );
  expect(banned).toHaveLength(2);
  await undone(made.id);
  expect(await ranking(board)).toEqual([]);
  expect([await tier(source), await tier(target)]).toEqual(['c', 'c']);
  await undoReview(studio.admin, both.review.id);
  expect(await ranking(board)).toEqual([
    [1, source, 50],
    [2, target, 10],
  ]);
  await expectSound(app.database, board.id);
});

test('friends: a merged one is the player that its runs count for', async () => {
  const [me, old, now] = (await Promise.all(
    [1, 2, 3].map(() => makePlayer(studio.admin, game.id, `friend ${unique()}`)),
  )) as [string, string, string];
  const set = (ids: string[]) => studio.admin.patch(`/v1/identities/${me}/friends`, { ids: ids });
  const list = async (of = me) =>
    (await studio.admin.get(`/v1/identities/${of}/friends`)).body.data.map(({ id }: Data) => id);
  expect((await set([old])).status).toBe(200);
  const made = await merged(old, now);
  expect(await list()).toEqual([now]);
  await undone(made.id);
  expect(await list()).toEqual([old]);
  // Not one's own friend.
  const own = await merged(old, me);
  expect(await list()).toEqual([]);
  await undone(own.id);
  const third = await merged(old, now);
  await studio.admin.post(`/v1/identities/${me}/friends/remove`, { ids: [now] });
  expect(await list()).toEqual([]);
  await undone(third.id);
});

test('rewards of the source are claimed by the target, and prizes are not given twice', async () => {
  const prizes = {
    lines: [
      { name: 'gold', title: 'Gold', firstRank: 1 },
      { name: 'all', title: 'All' },
    ],
  };
  const board = await makeBoard(studio, game.id, { closingRules: [{ places: 3, prizes }] });
  const [phone, tablet] = [await startSession(app, game.id), await startSession(app, game.id)];
  await submit(phone, board.id, 50, { playerName: 'P' });
  await submit(tablet, board.id, 10, { playerName: 'T' });
  await studio.admin.data(
    'mutation($input: CloseBoardInput!) { closeBoard(input: $input) { board { id } } }',
    {
      input: { id: board.id },
    },
  );
  await app.app.jobs.run('close-rankings');
  const { body } = await studio.admin.get(`/v1/boards/${board.id}/closings`);
  const [closing] = body.data;
  const made = await merged(idOf(phone), idOf(tablet));
  const own = async () => (await tablet.client.get('/v1/client/rewards')).body.data as Data[];
  const gold = (await own()).find(({ line }) => line === 'gold')!;
  expect(
    (await own()).map(({ line, identity_id }) => [line, identity_id === idOf(phone)]).toSorted(),
  ).toEqual([
    ['all', false],
    ['all', true],
    ['gold', true],
  ]);
  // Nothing is missing now, and of two for one line one is too many.
  const compare = `mutation($input: ReissuePrizesInput!) {
    reissuePrizes(input: $input) { missingCount differences { kind line identityId } } }`;
  const { reissuePrizes } = await studio.admin.data(compare, { input: { id: closing.id, dryRun: true } });
  expect(reissuePrizes).toEqual({
    missingCount: 0,
    differences: [{ kind: 'WRONG', line: 'all', identityId: idOf(phone) }],
  });
  const claimed = await tablet.client
    .with({ 'service-client-nonce': await takeNonce(tablet.client) })
    .post(`/v1/client/rewards/${gold.id}/claim`, {});
  expect([claimed.status, claimed.body.status]).toEqual([200, 'claimed']);
  // The places stay as they were fixed.
  const places = await app.database
    .knex('closing_places')
    .where('board_id', uuidOf(board.id))
    .orderBy('rank');
  expect(places.map(({ identity_id }) => `ide_${identity_id}`)).toEqual([idOf(phone), idOf(tablet)]);
  await undone(made.id);
  expect((await own()).map(({ line }) => line)).toEqual(['all']);
});

test('the target is exported and erased with those merged into it; alone, the source asks for an undo', async () => {
  const board = await makeBoard(studio, game.id, { keepStrategy: 'ALL' });
  const [source, target] = [
    await makePlayer(studio.admin, game.id, `secret ${unique()}`),
    await makePlayer(studio.admin, game.id, `erased ${unique()}`),
  ];
  await play(studio.admin, board.id, source, 1, { playerName: 'Secret' });
  await play(studio.admin, board.id, target, 2, { playerName: 'Known' });
  const made = await merged(source, target);
  const answer = await fetch(`${app.url}/v1/identities/${target}/export`, { headers: studio.admin.headers });
  const lines = (await answer.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Data);
  const of = (record: string) => lines.filter((line) => line.record === record);
  expect(of('identity').map(({ id }) => id)).toEqual([target, source]);
  expect(
    of('score_event')
      .map(({ played_by }) => played_by)
      .toSorted(),
  ).toEqual([source, null]);
  expect(of('player_merge').length).toBeGreaterThan(0);
  expect((await studio.admin.post(`/v1/identities/${source}/erase`, {})).body.code).toBe(
    'INVALID_TRANSITION',
  );
  expect((await studio.admin.post(`/v1/identities/${target}/erase`, { scores: 'keep' })).status).toBe(200);
  const rows: Data[] = await app.database.knex('identities').whereIn('id', [source, target].map(uuidOf));
  expect(rows.map(({ erased_at }) => erased_at !== null)).toEqual([true, true]);
  expect((await app.database.knex('identity_erasures').where('status', 'running')).length).toBe(0);
  const events: Data[] = await app.database.knex('score_events').where('board_id', uuidOf(board.id));
  expect(new Set(events.map(({ player_name }) => player_name))).toEqual(new Set(['deleted player']));
  expect((await undo(made.id)).body.code).toBe('INVALID_TRANSITION');
  await expectSound(app.database, board.id);
});

test('a device of a merged player is reset and deleted without its new player', async () => {
  const [phone, tablet] = [await startSession(app, game.id), await startSession(app, game.id)];
  const made = await merged(idOf(phone), idOf(tablet));
  const text = `reset ${unique()}`;
  const { body: reset } = await studio.admin.post(`/v1/devices/${phone.session.deviceId}/reset`, {
    client_fingerprint: text,
  });
  expect(reset.client_fingerprint).toBe(text);
  // The source's key is that of its device.
  const { external_key } = await app.database
    .knex('identities')
    .where('id', uuidOf(idOf(phone)))
    .first();
  expect(external_key).toBe(text);
  await change(studio.admin, 'Device', phone.session.deviceId, { deleted: true });
  expect((await studio.admin.get(`/v1/identities/${idOf(tablet)}`)).status).toBe(200);
  await undone(made.id);
});

test('what concerns all runs of a player waits for its merge', async () => {
  const [one, two] = [await startSession(app, game.id), await startSession(app, game.id)];
  const made = await merged(idOf(one), idOf(two));
  await app.database
    .knex('player_merges')
    .where('id', uuidOf(made.id))
    .update({ status: 'applying', leased_until: new Date(app.clock.now() + 60_000) });
  const review = { identity_id: idOf(two), decision: 'dismissed' };
  expect(await codeOf(studio.admin.post('/v1/identity-reviews', review))).toBe('CONFLICT');
  expect(await codeOf(studio.admin.post(`/v1/identities/${idOf(two)}/erase`, {}))).toBe('CONFLICT');
  expect(await codeOf(merge(idOf(two), await makePlayer(studio.admin, game.id, `x ${unique()}`)))).toBe(
    'CONFLICT',
  );
  expect(await codeOf(undo(made.id))).toBe('CONFLICT');
  // Any process continues when the lease is over.
  app.clock.advance(60_001);
  const worker = new MergeWorker(
    app.database,
    () => app.clock.now(),
    makeLog('silent'),
    () => undefined,
  );
  expect(await worker.followDue()).toBe(1);
  await worker.close();
  await undone(made.id);
});

test('the public page of a merged player leads to whom its runs count for', async () => {
  const board = await makeBoard(studio, game.id, { isPublished: true });
  const [ann, ben] = [await startSession(app, game.id), await startSession(app, game.id)];
  await submit(ann, board.id, 30, { playerName: 'Ann' });
  await submit(ben, board.id, 20, { playerName: 'Ben' });
  const page = (player: Player) =>
    fetch(`${app.url}/b/${board.shortCode}/p/${idOf(player)}?embed=1`, { redirect: 'manual' });
  expect((await page(ben)).status).toBe(200);
  const { id } = await merged(idOf(ben), idOf(ann));
  const moved = await page(ben);
  expect([moved.status, moved.headers.get('location')]).toEqual([303, `${idOf(ann)}?embed=1`]);
  await undone(id);
  expect((await page(ben)).status).toBe(200);
  expect((await page(await startSession(app, game.id))).status).toBe(404);
});

/** Tables that name a player, each with what merges make of it: docs/decisions/merges.md. */
const NAMED: Record<string, string> = {
  ...{
    active_players: 'stays',
    alerts: 'stays',
    attempts: 'stays',
    closing_places: 'stays',
    comments: 'stays',
  },
  ...{ device_sessions: 'returns', devices: 'returns', entries: 'derived', first_submissions: 'stays' },
  ...{
    friend_lists: 'read',
    identities_due: 'refused',
    identity_erasures: 'refused',
    identity_reviews: 'refused',
  },
  ...{
    league_outcomes: 'stays',
    league_seats: 'stays',
    left_out_runs: 'derived',
    link_codes: 'stays',
    merged_states: 'own',
    player_proofs: 'read',
    player_tags: 'stays',
  },
  ...{ player_tags_due: 'stays', player_words: 'derived', proven_devices: 'read', renames_due: 'stays' },
  ...{
    rewards: 'read',
    rulings: 'stays',
    score_events: 'returns',
    score_flags: 'returns',
    states: 'derived',
  },
};

test('every table that names a player is known to merges', async () => {
  const { rows } = await app.database.pool.query<{ name: string }>(
    `select distinct c.table_name as name from information_schema.columns c
     join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.column_name = 'identity_id' order by 1`,
  );
  const listed = Object.keys(NAMED);
  expect(rows.map(({ name }) => name).filter((name) => !listed.includes(name))).toEqual([]);
});
