import { uuidOf } from '../../src/base/ids.js';
import { verifyBoard } from '../../src/rankings/upkeep/verify.js';
import { startApp, type TestApp } from '../support/app.js';
import type { Caller, Data } from '../support/http.js';
import { ImportClient } from '../support/imports.js';
import { begin, until as seen } from '../support/live.js';
import { holding, waiting } from '../support/locks.js';
import {
  change,
  makeBoard,
  makeGame,
  makeStudio,
  type Player,
  type Studio,
  startSession,
} from '../support/make.js';
import { submit, submitFault, tagsOf, takeNonce } from '../support/play.js';
import { TestSocket } from '../support/socket.js';
import { expectSound } from '../support/standings.js';
import { expectExactViews } from '../support/views.js';
import { until } from '../support/wait.js';

let app: TestApp;
let studio: Studio;
let game: Data;
let ann: Player;
let bob: Player;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  studio = await makeStudio(app);
  game = await makeGame(studio, { antiCheatEnabled: false });
  [ann, bob] = [await startSession(app, game.id), await startSession(app, game.id)];
});

const GUILD = { name: 'guild', source: 'PLAYER' };
const VIEWS = [
  { name: 'guild', by: ['guild'] },
  { name: 'weekly_class', period: 'WEEK', by: ['guild', 'class'] },
];
const DECLARED = { keepStrategy: 'BEST', dimensions: [GUILD, { name: 'class' }], views: VIEWS };
const OWN_TAGS = '{ me { identity { tags { name value } } } }';
const SET = 'mutation ($input: SetIdentityTagsInput!) { setIdentityTags(input: $input) { identity { id } } }';
const idOf = (player: Player): string => player.session.identityId;

/** Groups of a view with the values of its players, best first. */
async function groups(boardId: string, view = 'guild'): Promise<Record<string, number[]>> {
  const list = `query ($id: ID!) { board(by: { id: $id }) { view(name:
    "${view}") { groups { nodes { key totalCount tags { name value } } } } } }`;
  const listed = await studio.admin.data(list, { id: boardId });
  const read = `query ($id: ID!, $where: [TagInput!]) { board(by: { id: $id }) {
    ranking(view: "${view}", where: $where) { entries { totalCount nodes { rank value } } } } }`;
  const found: Record<string, number[]> = {};
  for (const { key, totalCount: total, tags: where } of listed.board.view.groups.nodes) {
    if (total === 0) continue;
    const { board: of } = await studio.admin.data(read, { id: boardId, where });
    expect([key, of.ranking.entries.totalCount]).toEqual([key, total]);
    found[key] = of.ranking.entries.nodes.map(({ value }: Data) => value);
  }
  return found;
}

async function exact(...boards: Data[]): Promise<void> {
  for (const { id } of boards) {
    await expectExactViews(app.database, id);
    await expectSound(app.database, id);
  }
}

test('the present value counts for all events of a player, on all its boards, as administrators and its own client set it', async () => {
  const [board, other] = [
    await makeBoard(studio, game.id, DECLARED),
    await makeBoard(studio, game.id, DECLARED),
  ];
  await submit(ann, board.id, 5, { tags: { class: 'mage' } });
  await submit(ann, board.id, 9);
  await studio.admin.data(
    'mutation ($input: CreateScoreEventInput!) { createScoreEvent(input: $input) { submission { kept } } }',
    { input: { boardId: other.id, identityId: idOf(ann), value: 3, playerName: 'Ann', isTest: true } },
  );
  await submit(bob, board.id, 7);
  expect(await groups(board.id)).toEqual({});

  const set = await studio.admin.data(SET, {
    input: { identityId: idOf(ann), tags: tagsOf({ guild: 'Ravens' }) },
  });
  expect(set.setIdentityTags).toEqual({ identity: { id: idOf(ann) } });
  expect(await groups(board.id)).toEqual({ Ravens: [9] });
  expect(await groups(board.id, 'weekly_class')).toEqual({ 'Ravens,mage': [5] });
  await exact(board, other);

  const fresh = { 'service-client-nonce': await takeNonce(bob.client) };
  const { body } = await bob.client.with(fresh).patch('/v1/client/tags', { tags: { guild: 'Ravens' } });
  expect(body).toEqual({ identity_id: idOf(bob), tags: { guild: 'Ravens' } });
  expect(await groups(board.id)).toEqual({ Ravens: [9, 7] });
  expect((await submit(bob, board.id, 11)).kept).toBe(true);
  expect(await groups(board.id)).toEqual({ Ravens: [11, 9] });

  const path = `/v1/identities/${idOf(bob)}/tags`;
  expect((await studio.admin.patch(path, { tags: { guild: 'Wolves' } })).status).toBe(200);
  expect((await studio.admin.get(path)).body.tags).toEqual({ guild: 'Wolves' });
  expect((await bob.client.get('/v1/client/tags')).body.tags).toEqual({ guild: 'Wolves' });
  expect(await groups(board.id)).toEqual({ Ravens: [9], Wolves: [11] });
  const standings = `query ($id: ID!) { board(by: { id: $id }) { entriesOf(identityId: "me",
    views: ["guild"]) { rank ranking { tags { name value } totalCount } } } }`;
  expect((await bob.client.data(standings, { id: board.id })).board.entriesOf).toEqual([
    { rank: 1, ranking: { tags: [{ name: 'guild', value: 'Wolves' }], totalCount: 1 } },
  ]);

  // A repeated request changes nothing, null removes.
  const seq = async () =>
    (await app.database.knex('board_rankings').where('board_id', uuidOf(board.id)).first()).seq;
  const before = await seq();
  await studio.admin.patch(path, { tags: { guild: 'Wolves' } });
  expect(await seq()).toBe(before);
  await bob.client.data(SET, {
    input: { tags: tagsOf({ guild: null }), nonce: await takeNonce(bob.client) },
  });
  expect((await bob.client.data(OWN_TAGS)).me.identity.tags).toEqual([]);
  expect(await groups(board.id)).toEqual({ Ravens: [9] });
  await exact(board, other);
});

test('callers set tags that boards declare, with their values, where they may', async () => {
  const values = ['Ravens', 'Wolves'];
  const strict = await makeBoard(studio, game.id, {
    dimensions: [{ ...GUILD, values, setBy: 'SERVER' }, { ...GUILD, name: 'team' }, { name: 'class' }],
    views: [{ name: 'guild', by: ['guild'] }],
  });
  const input = (tags: Data, identityId?: string) => ({ input: { identityId, tags: tagsOf(tags) } });
  const { client } = ann;
  expect(await client.code(SET, input({ guild: 'Ravens' }))).toBe('INVALID_VIEW');
  expect(await client.code(SET, input({ guild: null }))).toBe('INVALID_VIEW');
  expect(await client.code(SET, input({ class: 'mage' }))).toBe('INVALID_VIEW');
  expect(await client.code(SET, input({ team: 'red' }, idOf(bob)))).toBe('FORBIDDEN');
  const twice = tagsOf({ team: 'red' }).concat(tagsOf({ team: 'blue' }));
  expect(await client.code(SET, { input: { tags: twice } })).toBe('VALIDATION_FAILED');
  expect(await studio.admin.code(SET, input({ guild: 'Crows' }, idOf(ann)))).toBe('INVALID_VIEW');
  expect(await studio.admin.code(SET, input({ clan: 'a' }, idOf(ann)))).toBe('INVALID_VIEW');
  for (const tags of [{ team: 'a,b' }, { team: '' }, { team: 7 }, { team: ['a'] }]) {
    expect(await studio.admin.code(SET, input(tags, idOf(ann)))).toBe('VALIDATION_FAILED');
  }
  expect(await studio.admin.code(SET, input({ team: 'red' }))).toBe('VALIDATION_FAILED');
  const rival = await makeStudio(app);
  expect(await rival.admin.code(SET, input({ team: 'red' }, idOf(ann)))).toBe('FORBIDDEN');
  expect(await app.anyone.code(SET, input({ team: 'red' }, idOf(ann)))).toBe('API_KEY_REQUIRED');
  // One that is set by itself names it in a submission in vain.
  expect(await submitFault(ann, strict.id, 1, { tags: { team: 'red' } })).toBe('INVALID_VIEW');

  await studio.admin.data(SET, input({ guild: 'Ravens', team: 'red' }, idOf(ann)));
  const nonce = await takeNonce(client);
  await client.data(SET, { input: { tags: tagsOf({ team: 'blue' }), nonce } });
  await submit(ann, strict.id, 4);
  expect(await groups(strict.id)).toEqual({ Ravens: [4] });
  expect((await client.data(OWN_TAGS)).me.identity.tags).toEqual(tagsOf({ guild: 'Ravens', team: 'blue' }));
  // Those of others are null for a game client.
  const seen = `query ($id: ID!) { board(by: { id: $id }) {
    ranking { entries { nodes { identity { tags { name } } } } } } }`;
  const tagsSeenBy = async (caller: Caller) =>
    (await caller.data(seen, { id: strict.id })).board.ranking.entries.nodes[0].identity.tags;
  expect(await tagsSeenBy(client)).toHaveLength(2);
  expect(await tagsSeenBy(studio.admin)).toHaveLength(2);
  expect(await tagsSeenBy(bob.client)).toBeNull();

  // A tag keeps its source once the board has events.
  const update = 'mutation ($input: UpdateBoardInput!) { updateBoard(input: $input) { board { id } } }';
  const code = (dimensions: Data[], more: Data = {}) =>
    studio.admin.code(update, { input: { id: strict.id, dimensions, ...more } });
  expect(await code([{ name: 'guild' }])).toBe('INVALID_VIEW');
  await change(studio.admin, 'Board', strict.id, { dimensions: [], views: [] });
  expect(await code([{ name: 'guild' }])).toBe('INVALID_VIEW');
  expect(await code([{ name: 'class', source: 'PLAYER' }])).toBe('INVALID_VIEW');
  // Undeclared for a while, it still follows the player.
  const free = await makeBoard(studio, game.id, { dimensions: [GUILD] });
  await studio.admin.data(SET, input({ guild: 'Crows' }, idOf(ann)));
  await change(studio.admin, 'Board', strict.id, {
    dimensions: [GUILD],
    views: [{ name: 'again', by: ['guild'] }],
  });
  expect(await groups(strict.id, 'again')).toEqual({ Crows: [4] });
  await exact(strict, free);
});

test('events from before the tag was declared, imports, deletion, restoration and erasure follow', async () => {
  const board = await makeBoard(studio, game.id);
  await submit(ann, board.id, 6);
  await change(studio.admin, 'Board', board.id, DECLARED);
  await studio.admin.data(SET, { input: { identityId: idOf(ann), tags: tagsOf({ guild: 'Ravens' }) } });
  expect(await groups(board.id)).toEqual({ Ravens: [6] });

  const { createIdentity } = await studio.admin.data(
    'mutation ($input: CreateIdentityInput!) { createIdentity(input: $input) { identity { id } } }',
    { input: { gameId: game.id, kind: 'CUSTOM', externalKey: 'cid' } },
  );
  const cid: string = createIdentity.identity.id;
  await studio.admin.data(SET, { input: { identityId: cid, tags: tagsOf({ guild: 'Wolves' }) } });
  const csv = ['identity_kind,external_key,player_name,value', 'custom,cid,Cid,8', 'custom,new,New,9'].join(
    '\n',
  );
  await new ImportClient(() => studio.admin).bringIn(board.id, [csv]);
  expect(await groups(board.id)).toEqual({ Ravens: [6], Wolves: [8] });
  await exact(board);

  const deleted = (value: boolean) => change(studio.admin, 'Identity', idOf(ann), { deleted: value });
  await deleted(true);
  expect(
    await studio.admin.code(SET, { input: { identityId: idOf(ann), tags: tagsOf({ guild: 'Wolves' }) } }),
  ).toBe('NOT_FOUND');
  expect(await groups(board.id)).toEqual({ Wolves: [8] });
  await deleted(false);
  expect(await groups(board.id)).toEqual({ Ravens: [6], Wolves: [8] });

  const { body: lines } = await studio.admin.get(`/v1/identities/${cid}/export`);
  expect(String(lines)).toContain('"record":"player_tag"');
  await studio.admin.data(
    'mutation ($input: EraseIdentityInput!) { eraseIdentity(input: $input) { erasure { status } } }',
    { input: { id: cid, scores: 'KEEP' } },
  );
  await until(
    async () => (await app.database.knex('identity_erasures').where({ status: 'running' })).length === 0,
  );
  expect(await groups(board.id)).toEqual({ Ravens: [6] });
  expect(await app.database.knex('player_tags').where('identity_id', uuidOf(cid))).toEqual([]);
  const kept = await app.database.knex('score_events').where('identity_id', uuidOf(cid));
  expect(JSON.stringify(kept.map(({ tags }) => tags))).not.toContain('Wolves');
  await exact(board);
});

test('a ratio board follows its sources in one step: a player is in one group', async () => {
  const views = [{ name: 'guild', by: ['guild'] }];
  const counter = { boardType: 'COUNTER', dimensions: [GUILD], views };
  const [kills, deaths] = [
    await makeBoard(studio, game.id, counter),
    await makeBoard(studio, game.id, counter),
  ];
  const ratioConfig = { numeratorBoardId: kills.id, denominatorBoardId: deaths.id };
  const ratio = await makeBoard(studio, game.id, { boardType: 'RATIO', ratioConfig, views });
  await submit(ann, kills.id, 6);
  await submit(ann, deaths.id, 3);
  for (const guild of ['Ravens', 'Wolves', null, 'Ravens']) {
    await studio.admin.data(SET, { input: { identityId: idOf(ann), tags: tagsOf({ guild }) } });
    expect(await groups(ratio.id)).toEqual(guild === null ? {} : { [guild]: [2] });
  }
  await exact(kills, deaths);
  await expectSound(app.database, ratio.id);
});

test('a first submission that was decided before a change is decided again', async () => {
  const board = await makeBoard(studio, game.id, DECLARED);
  const lock = 'select from board_rankings where board_id = $1 for update';
  const release = await holding(app, lock, uuidOf(board.id));
  const submitted = submit(ann, board.id, 6);
  await waiting(app, 1);
  const tag = { identity_id: uuidOf(idOf(ann)), name: 'guild', value: 'Ravens', updated_at: new Date() };
  await app.database.knex('player_tags').insert(tag);
  await release();
  await submitted;
  expect(await groups(board.id)).toEqual({ Ravens: [6] });
});

test('watchers of a group see a player come and go', async () => {
  const board = await makeBoard(studio, game.id, DECLARED);
  await submit(ann, board.id, 6);
  const socket = await TestSocket.connect(app.url, studio.admin.headers);
  const window = `subscription ($id: ID!, $where: [TagInput!]) {
    boardChanged(boardId: $id, view: "guild", where: $where, first: 3) { version entries { totalCount } } }`;
  begin(socket, window, { id: board.id, where: [{ name: 'guild', value: 'Ravens' }] });
  await seen(socket, ({ entries }) => entries.totalCount === 0);
  await studio.admin.data(SET, { input: { identityId: idOf(ann), tags: tagsOf({ guild: 'Ravens' }) } });
  await seen(socket, ({ entries }) => entries.totalCount === 1);
  await studio.admin.data(SET, { input: { identityId: idOf(ann), tags: tagsOf({ guild: 'Wolves' }) } });
  await seen(socket, ({ entries }) => entries.totalCount === 0);
  await socket.close();
});

test(
  'a change that a process left behind is finished by another, and submissions meanwhile are ranked by ' +
    'the tags of their board',
  async () => {
    const board = await makeBoard(studio, game.id, DECLARED);
    await submit(ann, board.id, 6);
    const identity_id = uuidOf(idOf(ann));
    const { knex } = app.database;
    await knex.transaction(async (trx) => {
      await trx('player_tags').insert({
        identity_id,
        name: 'guild',
        value: 'Ravens',
        updated_at: new Date(),
      });
      const leased_until = new Date(app.clock.now() + 60_000);
      await trx('player_tags_due').insert({ identity_id, ticket: identity_id, leased_until });
    });
    // Its earlier event has no guild yet: no ranking has a part of its events.
    await submit(ann, board.id, 4);
    expect(await groups(board.id)).toEqual({});
    app.clock.advance(61_000);
    await until(async () => (await knex('player_tags_due')).length === 0);
    expect(await groups(board.id)).toEqual({ Ravens: [6] });
    await exact(board);
  },
);

test('boards on which a player has very many events follow after the request, with a timeout of their own', async () => {
  const board = await makeBoard(studio, game.id, DECLARED);
  const light = await makeBoard(studio, game.id, DECLARED);
  await submit(ann, board.id, 6);
  await submit(ann, light.id, 5);
  const { knex } = app.database;
  await knex('states')
    .where({ board_id: uuidOf(board.id) })
    .update({ submission_count: 20_001 });
  await knex.raw(`create table timeouts as select current_setting('statement_timeout') as seen limit 0`);
  await knex.raw(`create function note_timeout() returns trigger language plpgsql as $$
    begin insert into timeouts values (current_setting('statement_timeout')); return new; end $$`);
  await knex.raw(
    `create trigger note_timeout before insert on rulings for each row when (new.board_id = ` +
      `'${uuidOf(board.id)}') execute function note_timeout()`,
  );
  const input = { identityId: idOf(ann), tags: tagsOf({ guild: 'Ravens' }) };
  expect(await studio.admin.code(SET, { input })).toBe('UNAVAILABLE');
  expect(await groups(light.id)).toEqual({ Ravens: [5] });
  await until(async () => (await knex('player_tags_due')).length === 0);
  expect(await groups(board.id)).toEqual({ Ravens: [6] });
  expect(await knex('timeouts')).toEqual([{ seen: '10min' }]);
  await studio.admin.data(SET, { input });
  await knex.raw('drop trigger note_timeout on rulings');
  await exact(board, light);
});

test('verify-ranks finds events of a player with several values, and with another than the present one', async () => {
  const { knex } = app.database;
  const plain = await makeBoard(studio, game.id, { dimensions: [GUILD] });
  const { id } = await makeBoard(studio, game.id, { dimensions: [GUILD], views: [VIEWS[0]] });
  const identity_id = uuidOf(idOf(ann));
  // An event from before the first value, on a board without a view by the tag: neither has to have one.
  const early = await makeBoard(studio, game.id);
  await submit(ann, early.id, 1);
  for (const value of [5, 9]) await submit(ann, id, value);
  await submit(ann, plain.id, 5);
  await submit(bob, id, 7);
  await studio.admin.data(SET, { input: { identityId: idOf(ann), tags: tagsOf({ guild: 'Ravens' }) } });
  await change(studio.admin, 'Board', early.id, { dimensions: [GUILD] });
  await exact({ id }, plain, early);

  const sentences = async (board: Data) =>
    (await verifyBoard(app.database, board.id)).map(({ sentence }) => sentence);
  const events = () => knex('score_events').where({ board_id: uuidOf(id), identity_id });
  const to = (guild: string | null) => ({ tags: knex.raw('tags || ?::jsonb', [JSON.stringify({ guild })]) });
  const mixed = `player ${identity_id}: events have guild Ravens and none`;
  await events().where('amount', 5).update(to(null));
  expect(await sentences({ id })).toContain(mixed);
  await events().where('amount', 5).update(to('Ravens'));
  await exact({ id });

  await knex('player_tags').where({ identity_id }).update({ value: 'Wolves' });
  for (const board of [{ id }, plain]) {
    expect(await sentences(board)).toEqual([
      `player ${identity_id}: events have guild Ravens instead of Wolves`,
    ]);
  }
  expect(await sentences(early)).toEqual([]);
  // A change that is due makes the board follow; it excuses no mixed values.
  const leased_until = new Date(app.clock.now() + 60_000);
  await knex('player_tags_due').insert({ identity_id, ticket: identity_id, leased_until });
  expect(await sentences({ id })).toEqual([]);
  await events().where('amount', 5).update(to(null));
  expect(await sentences({ id })).toContain(mixed);
  await knex('player_tags_due').delete();
  await knex('player_tags').where({ identity_id }).delete();
});
