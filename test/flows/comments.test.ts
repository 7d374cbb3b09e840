import { uuidOf } from '../../src/base/ids.js';
import { startApp, type TestApp } from '../support/app.js';
import { flag, makePlayer, play } from '../support/flags.js';
import type { Caller, Data } from '../support/http.js';
import { change, makeBoard, makeGame, makeKey, makeStudio, makeUser, type Studio } from '../support/make.js';

let app: TestApp;
let studio: Studio;
let game: Data;
let player: string;
let flagId: string;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  studio = await makeStudio(app);
  game = await makeGame(studio, { antiCheatEnabled: false });
  const board = await makeBoard(studio, game.id);
  player = await makePlayer(studio.admin, game.id, 'mia');
  flagId = (await flag(studio.admin, await play(studio.admin, board.id, player, 5))).id;
});

const CREATE = `mutation ($input: CreateCommentInput!) { createComment(input: $input) { comment {
  id text createdAt identityId scoreFlagId author { id } scoreFlag { id } identity { id } } } }`;
const DELETE = 'mutation ($id: ID!) { deleteComment(input: { id: $id }) { deletedId } }';
const comment = async (text: string, target: Data, by = studio.admin): Promise<Data> =>
  (await by.data(CREATE, { input: { target, text } })).createComment.comment;
const texts = ({ comments }: Data) => comments.nodes.map(({ text }: Data) => text);
const ofPlayer = async () =>
  texts(
    (
      await studio.admin.data('query ($id: ID!) { identity(id: $id) { comments { nodes { text } } } }', {
        id: player,
      })
    ).identity,
  );
const trail = async (filter: Data): Promise<Data[]> =>
  (
    await studio.admin.data(
      'query ($filter: AuditEntryFilter) { auditEntries(filter: $filter) { nodes { action userId subjectId before after } } }',
      { filter },
    )
  ).auditEntries.nodes;
const colleague = async (): Promise<{ user: Data; by: Caller }> => {
  const user = await makeUser(app.superadmin, studio.accountId);
  const key = await makeKey(app.superadmin, studio.accountId, user.id);
  return { user, by: app.anyone.with({ 'service-api-key': key.key }) };
};

test('comments on a player and on a flag are shown with it, newest first, with who and when', async () => {
  const first = await comment(' Seen in the replay ', { identityId: player });
  expect(first).toMatchObject({
    id: expect.stringMatching(/^cmt_/),
    text: 'Seen in the replay',
    createdAt: new Date(app.clock.now()).toISOString(),
    author: { id: studio.userId },
    identity: { id: player },
    scoreFlag: null,
  });
  app.clock.advance(1_000);
  const onFlag = await comment('A known bug', { scoreFlagId: flagId }, (await colleague()).by);
  expect(onFlag).toMatchObject({ identityId: player, scoreFlagId: flagId, scoreFlag: { id: flagId } });
  expect(await ofPlayer()).toEqual(['A known bug', 'Seen in the replay']);
  const { scoreFlag, node } = await studio.admin.data(
    'query ($flag: ID!, $id: ID!) { scoreFlag(id: $flag) { comments { nodes { text } } } node(id: $id) { id ... on Comment { text } } }',
    { flag: flagId, id: first.id },
  );
  expect(texts(scoreFlag)).toEqual(['A known bug']);
  expect(node).toEqual({ id: first.id, text: 'Seen in the replay' });
});

test('only the author deletes a comment; the audit trail has both acts, of the flag or the player', async () => {
  const mine = await comment('One', { scoreFlagId: flagId });
  const other = await colleague();
  expect(await other.by.code(DELETE, { id: mine.id })).toBe('FORBIDDEN');
  app.clock.advance(1_000);
  await studio.admin.data(DELETE, { id: mine.id });
  expect(await studio.admin.code(DELETE, { id: mine.id })).toBe('NOT_FOUND');
  expect(await ofPlayer()).toEqual([]);
  const [deleted, added] = (await trail({ subjectId: flagId })).filter(({ action }) =>
    action.startsWith('COMMENT'),
  );
  const about = { userId: studio.userId, subjectId: flagId };
  expect(added).toEqual({ ...about, action: 'COMMENT_ADDED', before: null, after: { comment: 'One' } });
  expect(deleted).toEqual({ ...about, action: 'COMMENT_DELETED', before: { comment: 'One' }, after: null });
  await comment('Two', { identityId: player });
  const left = await comment('Three', { identityId: player }, other.by);
  await change(studio.admin, 'User', other.user.id, { gameIds: [(await makeGame(studio)).id] });
  expect(await other.by.code(DELETE, { id: left.id })).toBe('FORBIDDEN');
  expect(await trail({ subjectId: player, action: 'COMMENT_ADDED' })).toHaveLength(2);
});

test('strangers and wrong input are refused, and nothing is written', async () => {
  const stranger = await makeStudio(app);
  const refused = (target: Data, text: string, by = studio.admin) =>
    by.code(CREATE, { input: { target, text } });
  expect(await refused({ identityId: player }, 'x', stranger.admin)).toBe('FORBIDDEN');
  expect(await refused({ scoreFlagId: flagId }, 'x', stranger.admin)).toBe('FORBIDDEN');
  expect(await refused({ scoreFlagId: player }, 'x')).toBe('VALIDATION_FAILED');
  expect(await refused({ identityId: player }, ' \n ')).toBe('VALIDATION_FAILED');
  expect(await refused({ identityId: player }, 'x'.repeat(2_001))).toBe('VALIDATION_FAILED');
  await comment('🏁'.repeat(2_000), { identityId: player });
  const own = await comment('x', { identityId: player });
  expect(await stranger.admin.code(DELETE, { id: own.id })).toBe('FORBIDDEN');
  expect(await ofPlayer()).toHaveLength(2);
});

test("a player's export has the comments, an erasure deletes them, in the audit trail too", async () => {
  const made = await comment('Mia cheats', { scoreFlagId: flagId });
  const { body } = await studio.admin.get(`/v1/identities/${player}/export`);
  const records = body
    .trim()
    .split('\n')
    .map((line: string) => JSON.parse(line));
  expect(records.find(({ record }: Data) => record === 'comment')).toMatchObject({
    id: made.id,
    identity_id: player,
    score_flag_id: flagId,
    author_id: studio.userId,
    text: 'Mia cheats',
  });
  await studio.admin.data(
    'mutation ($id: ID!) { eraseIdentity(input: { id: $id }) { erasure { status } } }',
    { id: player },
  );
  const { knex } = app.database;
  expect(await knex('comments').where('identity_id', uuidOf(player))).toEqual([]);
  const entries = await knex('audit_entries').where({ action: 'comment_added', subject_id: flagId });
  expect(entries.map(({ after }: Data) => after)).toEqual([{}]);
  expect(await studio.admin.code(CREATE, { input: { target: { identityId: player }, text: 'x' } })).toBe(
    'NOT_FOUND',
  );
});
