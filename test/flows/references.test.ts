import { type GraphQLObjectType, getNamedType, isInterfaceType, isListType, isObjectType } from 'graphql';
import { uuidOf } from '../../src/base/ids.js';
import { startApp, type TestApp } from '../support/app.js';
import { flag, makeAlert, makePlayer, play, review, reviewRuns, undo } from '../support/flags.js';
import type { Caller, Data } from '../support/http.js';
import {
  change,
  makeBoard,
  makeGame,
  makeStudio,
  makeTemplate,
  type Player,
  type Studio,
  startSession,
} from '../support/make.js';
import { makeLogin } from '../support/own-tokens.js';
import { submit } from '../support/play.js';

let app: TestApp;
let studio: Studio;
let board: Data;
let template: Data;
let ann: Player;
let score: Data;

/** The fields of a type that have an id beside them. */
function references(type: GraphQLObjectType): string[] {
  const fields = type.getFields();
  return Object.values(fields)
    .filter(({ name, type: of }) => {
      const named = getNamedType(of);
      const isRecord =
        isInterfaceType(named) ||
        (isObjectType(named) && named.getInterfaces().some((one) => one.name === 'Node'));
      return isRecord && !isListType(of) && fields[`${name}Id`];
    })
    .map(({ name }) => name);
}

const records = () =>
  Object.values(app.app.schema.getTypeMap())
    .filter(isObjectType)
    .filter((type) => type.getInterfaces().some(({ name }) => name === 'Node'));

/** Reads records with all that they refer to. */
async function read(caller: Caller, ids: string[]): Promise<Data[]> {
  const { nodes } = await caller.data('query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }', { ids });
  const types = new Map(records().map((type) => [type.name, type]));
  const reads = nodes.map(async ({ __typename, id }: Data) => {
    const fields = references(types.get(__typename)!).map((name) => `${name}Id ${name} { __typename id }`);
    const query = `query ($id: ID!) { node(id: $id) { __typename ... on ${__typename} { ${fields.join(' ')} } } }`;
    return (await caller.data(query, { id })).node;
  });
  return Promise.all(reads);
}

/** `Type.field`: the record is there, or null although its id is. */
function found(node: Data): Map<string, boolean> {
  const named = Object.keys(node).filter((name) => node[`${name}Id`] != null);
  return new Map(
    named.map((name) => {
      const record = node[name] as Data | null;
      if (record) expect(record.id).toBe(node[`${name}Id`]);
      return [`${node.__typename}.${name}`, record !== null];
    }),
  );
}

beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  const game = await makeGame(studio);
  template = await makeTemplate(studio, game.id);
  board = await makeBoard(studio, game.id, { createdFromTemplateId: template.id });
  await change(studio.admin, 'Game', game.id, { defaultBoardId: board.id });
  ann = await startSession(app, game.id);
  score = (await submit(ann, board.id, 5)).score;
});
afterAll(() => app.close());

test('a record beside an id is that record, on every kind', async () => {
  const { admin } = studio;
  const { score: event } = await admin.data('query ($id: ID!) { score(id: $id) { scoreEventId deviceId } }', {
    id: score.id,
  });
  const { identityId } = ann.session;
  const raised = await flag(admin, event.scoreEventId);
  await app.database
    .knex('devices')
    .where('id', uuidOf(event.deviceId))
    .update({ linked_identity_id: uuidOf(identityId) });
  const ofPlayer = await reviewRuns(admin, { identityId, decision: 'FALSE_POSITIVE' });
  await undo(admin, ofPlayer.review.id);
  await review(admin, raised.id, { status: 'FALSE_POSITIVE' });
  const ofDevice = await reviewRuns(admin, { deviceId: event.deviceId, decision: 'FALSE_POSITIVE' });
  const { createScoreImport: made } = await admin.data(
    'mutation ($id: ID!) { createScoreImport(input: { boardId: $id }) { scoreImport { id } } }',
    { id: board.id },
  );
  const numerator = await makeBoard(studio, board.gameId, { boardType: 'COUNTER' });
  const denominator = await makeBoard(studio, board.gameId, { boardType: 'COUNTER' });
  const ratio = await makeBoard(studio, board.gameId, {
    boardType: 'RATIO',
    ratioConfig: { numeratorBoardId: numerator.id, denominatorBoardId: denominator.id },
  });
  const { body: endpoint } = await admin.post('/v1/webhook-endpoints', {
    ...{ account_id: studio.accountId, name: 'Hook', url: 'https://hooks.example.com' },
    events: ['board.closed'],
  });
  const { body: provider } = await app.superadmin.post('/v1/identity-providers', {
    ...{ account_id: studio.accountId, kind: 'own' },
  });
  const closed = await makeBoard(studio, board.gameId);
  await change(admin, 'Board', closed.id, { isActive: false });
  await app.app.jobs.run('dispatch-webhooks');
  const season = await makeBoard(studio, board.gameId, { closingRules: [{}] });
  await play(admin, season.id, identityId, 5);
  const { body: rehearsal } = await admin.post(`/v1/boards/${season.id}/rehearse`, {});
  await admin.post(`/v1/boards/${season.id}/close`, {});
  await app.app.jobs.run('close-rankings');
  const closing = await app.database.knex('closings').where('board_id', uuidOf(season.id)).first('id');
  const delivery = await app.database.knex('webhook_deliveries').first('id');
  const { createComment: remark } = await admin.data(
    'mutation ($id: ID!) { createComment(input: { target: { scoreFlagId: $id }, text: "Seen before" }) { comment { id } } }',
    { id: raised.id },
  );
  const { createApiKey: ofGame } = await admin.data(
    'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey { id } } }',
    { input: { accountId: studio.accountId, userId: studio.userId, name: 'Server', gameId: board.gameId } },
  );
  const more = await admin.data(
    `query ($board: ID!, $game: ID!) {
      me { apiKeyId }
      board(by: { id: $board }) { ratioConfig { id } }
      deviceSessions(filter: { gameId: $game }) { nodes { id } }
      auditEntries(filter: { gameId: $game }) { nodes { id action } }
    }`,
    { board: ratio.id, game: board.gameId },
  );
  await app.database
    .knex('device_sessions')
    .where('id', uuidOf(more.deviceSessions.nodes[0].id))
    .update({ started_by: uuidOf(studio.userId) });
  // One that everything has happened to.
  const by = [more.deviceSessions.nodes[0].id, more.me.apiKeyId, studio.userId, identityId].map(uuidOf);
  await app.database.knex.raw(
    `insert into rewards (board_id, id, account_id, game_id, closing_id, line, is_test, rank, status, status_order, created_at, updated_at,
       claimed_at, acknowledged_at, claimed_by, acknowledged_by, revoked_by, identity_id)
     select board_id, id, account_id, game_id, id, 'gold', false, 1, 'acknowledged', 2, now(), now(), now(), now(), ?, ?, ?, ?
     from closings where id = ?`,
    [...by, closing.id],
  );
  await makeAlert(app, studio.accountId, board, closing.id);
  const others = await Promise.all(['one', 'two'].map((key) => makePlayer(admin, board.gameId, key)));
  const { body: joined } = await admin.post('/v1/player-merges', {
    source_id: others[0],
    target_id: others[1],
  });
  await admin.patch(`/v1/player-merges/${joined.merge.id}`, { undone: true });
  const ids = [
    rehearsal.board.id,
    ...[studio.userId, more.me.apiKeyId, board.gameId, board.id, template.id, more.board.ratioConfig.id],
    ...[score.id, score.id.replace('scr', 'bst'), score.id.replace('scr', 'sub'), event.scoreEventId],
    ...[raised.id, ofPlayer.review.id, ofDevice.review.id, made.scoreImport.id, event.deviceId, identityId],
    more.deviceSessions.nodes[0].id,
    joined.merge.id,
    ...[
      provider.id,
      await makeLogin(studio, board.gameId),
      endpoint.id,
      `dlv_${delivery.id}`,
      `cls_${closing.id}`,
      `rwd_${closing.id}`,
      `alr_${closing.id}`,
      remark.comment.id,
      ofGame.apiKey.id,
    ],
    more.auditEntries.nodes.find(({ action }: Data) => action === 'RUNS_REVIEWED').id,
  ];
  const nodes = await read(admin, ids);
  const all = new Map(nodes.flatMap((node) => [...found(node)]));
  expect([...all].filter(([, shown]) => !shown)).toEqual([]);
  // Jam codes are the operator's; merged players are in lists of deleted ones.
  const isApart = (name: string) => name.startsWith('JamCode') || name === 'Identity.mergedInto';
  const expected = records().flatMap((type) => references(type).map((name) => `${type.name}.${name}`));
  expect(expected.filter((name) => !all.has(name) && !isApart(name)).toSorted()).toEqual([]);
});

test('a game client reads what its score refers to, and nothing of an administrator', async () => {
  const [node] = await read(ann.client, [score.id]);
  expect(Object.fromEntries(found(node!))).toEqual({
    'Score.account': false,
    'Score.game': true,
    'Score.board': true,
    'Score.identity': true,
  });
  const { me } = await ann.client.data(
    '{ me { accountId account { id } userId user { id } gameId game { id } identity { externalKey } ' +
      'deviceId device { id sessions { nodes { id } } } } }',
  );
  expect(me).toEqual({
    accountId: studio.accountId,
    account: null,
    userId: null,
    user: null,
    gameId: board.gameId,
    game: { id: board.gameId },
    identity: { externalKey: null },
    deviceId: expect.any(String),
    device: { id: me.deviceId, sessions: null },
  });
});

test('a deleted record is null beside its id, and so is one of another account', async () => {
  await change(studio.admin, 'BoardTemplate', template.id, { deleted: true });
  const [node] = await read(studio.admin, [board.id]);
  expect(node).toMatchObject({ createdFromTemplateId: template.id, createdFromTemplate: null });
  const entry = async () => {
    const { auditEntries } = await studio.admin.data(
      'query ($id: ID!) { auditEntries(filter: { subjectId: $id }, first: 1) { nodes { subjectId subject { __typename id } } } }',
      { id: template.id },
    );
    return auditEntries.nodes[0];
  };
  expect(await entry()).toEqual({ subjectId: template.id, subject: null });
  await change(studio.admin, 'BoardTemplate', template.id, { deleted: false });
  expect(await entry()).toEqual({
    subjectId: template.id,
    subject: { __typename: 'BoardTemplate', id: template.id },
  });
  // The operator's own user is of another account.
  const event = await play(app.superadmin, board.id, ann.session.identityId as string, 9);
  const raised = await flag(app.superadmin, event);
  await app.superadmin.data(
    'mutation ($id: ID!) { reviewScoreFlag(input: { id: $id, status: DISMISSED }) { scoreFlag { id } } }',
    { id: raised.id },
  );
  const [reviewed] = await read(studio.admin, [raised.id]);
  expect(reviewed).toMatchObject({ reviewerId: expect.any(String), reviewer: null });
  expect((await read(app.superadmin, [raised.id]))[0]!.reviewer).toEqual({
    __typename: 'User',
    id: reviewed!.reviewerId,
  });
});
