import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { EXPIRE_BOARDS } from '../../src/boards/board/expire.js';
import { RUN_TEMPLATES } from '../../src/boards/templates/run.js';
import { SETTINGS, startApp, type TestApp } from '../support/app.js';
import { addPasskey } from '../support/authenticator.js';
import { DAY } from '../support/clock.js';
import { makePlayer } from '../support/flags.js';
import { type Caller, type Data, send } from '../support/http.js';
import { full, quick } from '../support/lane.js';
import { change, makeBoard, makeGame, makeStudio, makeTemplate, type Studio } from '../support/make.js';
import { Terminal } from '../support/terminal.js';

let app: TestApp;
let studio: Studio;
let game: Data;
beforeAll(async () => {
  app = await startApp({ trustedProxies: ['127.0.0.1'], sessionAddressDays: 90, auditRetentionDays: 730 });
  studio = await makeStudio(app);
  game = await makeGame(studio);
});
afterAll(() => app.close());

const HERE = { 'x-forwarded-for': '203.0.113.9' };
/** What a browser adds to its requests. */
const BROWSER = { 'sec-fetch-site': 'same-origin' };

const LIST = `query ($filter: AuditEntryFilter) { auditEntries(filter: $filter, first: 50, orderBy: [{ field: CREATED_AT,
  direction: DESC }, { field: ID, direction: DESC }]) { nodes {
  action by agent userId apiKeyId apiKey { id } ipAddress subjectId gameId before after
} } }`;
const entries = async (filter: Data, caller: Caller = studio.admin): Promise<Data[]> =>
  (await caller.data(LIST, { filter })).auditEntries.nodes;
const about = (subjectId: string, caller?: Caller) => entries({ subjectId }, caller);

quick('a change is one entry: by whom, with which key, from where, from what to what', async () => {
  const admin = studio.admin.with(HERE);
  await change(admin, 'Game', game.id, { antiCheatEnabled: false });
  await change(admin, 'Game', game.id, { antiCheatEnabled: false });
  const { me } = await admin.data('{ me { apiKey { id } } }');
  const [changed, created, ...more] = await about(game.id);
  expect(changed).toEqual({
    action: 'RECORD_CHANGED',
    by: 'USER',
    agent: null,
    userId: studio.userId,
    apiKeyId: me.apiKey.id,
    apiKey: me.apiKey,
    ipAddress: '203.0.113.9',
    subjectId: game.id,
    gameId: game.id,
    before: { antiCheatEnabled: true },
    after: { antiCheatEnabled: false },
  });
  expect(created).toMatchObject({ action: 'RECORD_CREATED', before: null, after: { name: game.name } });
  expect(more).toEqual([]);
});

quick('what is deleted has its name in the entry', async () => {
  const board = await makeBoard(studio, game.id, { name: 'Gone by noon' });
  await change(studio.admin, 'Board', board.id, { deleted: true });
  await change(studio.admin, 'Board', board.id, { deleted: false });
  expect((await about(board.id)).slice(0, 2)).toMatchObject([
    { action: 'RECORD_RESTORED', before: { name: 'Gone by noon', deleted: true }, after: { deleted: false } },
    { action: 'RECORD_DELETED', before: { name: 'Gone by noon', deleted: false }, after: { deleted: true } },
  ]);
});

quick('a board with its ratio and rankings is one record', async () => {
  const [numerator, denominator] = [
    await makeBoard(studio, game.id, { boardType: 'COUNTER' }),
    await makeBoard(studio, game.id, { boardType: 'COUNTER' }),
  ];
  const ratioConfig = { numeratorBoardId: numerator.id, denominatorBoardId: denominator.id };
  const board = await makeBoard(studio, game.id, { boardType: 'RATIO', ratioConfig });
  await change(studio.admin, 'Board', board.id, { name: 'Accuracy', ratioConfig: { decimals: 3 } });
  await change(studio.admin, 'Board', numerator.id, { views: [{ name: 'weekly', period: 'WEEK' }] });
  expect(await about(board.id)).toMatchObject([
    {
      action: 'RECORD_CHANGED',
      before: { name: board.name, ratioConfig: { decimals: 2 } },
      after: { name: 'Accuracy', ratioConfig: { decimals: 3 } },
    },
    { action: 'RECORD_CREATED', after: { boardType: 'ratio', ratioConfig: { decimals: 2 } } },
  ]);
  const [viewed] = await about(numerator.id);
  expect(viewed).toMatchObject({
    before: { views: [] },
    after: { views: [{ name: 'weekly', period: 'week' }] },
  });
});

quick('a refused change leaves no entry', async () => {
  const board = await makeBoard(studio, game.id);
  const input = { id: board.id, name: 'Other', views: [{ name: 'none' }, { name: 'none' }] };
  await studio.admin.fault(
    'mutation ($input: UpdateBoardInput!) { updateBoard(input: $input) { board { id } } }',
    {
      input,
    },
  );
  expect((await about(board.id)).map(({ action }) => action)).toEqual(['RECORD_CREATED']);
});

quick('jobs and the start of the service are authors', async () => {
  const due = new Date(app.clock.now()).toISOString();
  const template = await makeTemplate(studio, game.id, {
    slug: 'daily',
    nextRunAt: due,
    repeatInterval: '1 day',
  });
  await app.app.jobs.run(RUN_TEMPLATES);
  const { boardTemplate } = await studio.admin.data(
    'query ($id: ID!) { boardTemplate(id: $id) { boards { nodes { id } } } }',
    { id: template.id },
  );
  const [{ id }] = boardTemplate.boards.nodes;
  expect(await about(id)).toMatchObject([
    { action: 'RECORD_CREATED', by: 'JOB', agent: RUN_TEMPLATES, userId: null, ipAddress: null },
  ]);
  await change(studio.admin, 'BoardTemplate', template.id, { isActive: false });
  app.clock.advance(2 * DAY);
  await app.app.jobs.run(EXPIRE_BOARDS);
  const [closed] = await about(id);
  expect(closed).toMatchObject({
    by: 'JOB',
    agent: EXPIRE_BOARDS,
    before: { isActive: true },
    after: { isActive: false },
  });
  // The moves of its window are the job's clockwork.
  const actions = (await about(template.id)).map(({ action, after }) => [action, Object.keys(after)]);
  expect(actions).toEqual([
    ['RECORD_CHANGED', ['isActive']],
    ['RECORD_CREATED', expect.any(Array)],
  ]);
  const { me } = await app.superadmin.data('{ me { user { id } apiKey { id } account { id } } }');
  for (const { id } of [me.user, me.apiKey, me.account]) {
    const [entry] = (await about(id, app.superadmin)).slice(-1);
    expect(entry).toMatchObject({ action: 'RECORD_CREATED', by: 'OPERATOR', agent: 'start', userId: null });
  }
});

/** The operator's commands that change no record of an account, and the test that shows the entries of the others. */
const COMMANDS = {
  backup: null,
  cells: null,
  migrate: null,
  'move-account': 'cells-moves',
  'pause-webhooks': 'audit',
  'reset-passkeys': 'audit',
  restore: 'backup',
  'upgrade-database': null,
  'verify-ranks': null,
  'verify-recordings': null,
};

full("the operator's commands are authors", async () => {
  const folder = path.join(__dirname, '../../src/operator');
  const files = readdirSync(folder).filter(
    (name) => name.endsWith('.ts') && readFileSync(path.join(folder, name), 'utf8').includes('runProcess('),
  );
  expect(files.map((name) => name.replace('.ts', '')).toSorted()).toEqual(Object.keys(COMMANDS));

  const { record } = await addPasskey(studio.admin);
  const endpoint = { account_id: studio.accountId, name: 'Backend', url: 'https://hooks.example.com/a' };
  const { body: hook } = await studio.admin.post('/v1/webhook-endpoints', {
    events: ['board.closed'],
    ...endpoint,
  });
  const { me } = await studio.admin.data('{ me { user { email } } }');
  const terminal = new Terminal({
    DATA_DIR: app.dataDir,
    DATABASE_URL: app.database.connectionString,
    JWT_SECRET: SETTINGS.jwtSecret,
    KEY_SECRET: SETTINGS.keySecret,
  });
  try {
    const done = async (...words: string[]) => {
      const { code, stdout, stderr } = await terminal.run(words);
      return [code, stdout.split(';')[0]!.trim(), stderr];
    };
    expect(await done('reset-passkeys', me.user.email)).toEqual([0, 'Reset the passkeys of 1 user.', '']);
    expect(await done('reset-passkeys', '--all')).toEqual([0, 'Reset the passkeys of 0 users.', '']);
    const nobody = await done('reset-passkeys', 'nobody@example.com');
    expect(nobody).toEqual([1, '', expect.stringContaining('No user has the address')]);
    expect(await done('pause-webhooks')).toEqual([0, '1 webhook endpoints paused', '']);
  } finally {
    terminal.close();
  }
  // The commands' clock is not the tests'.
  const byCommand = async (id: string) => (await about(id)).filter(({ by }) => by === 'OPERATOR');
  const byNobody = { userId: null, apiKeyId: null, ipAddress: null };
  const removed = { action: 'RECORD_DELETED', agent: 'reset-passkeys', ...byNobody };
  expect(await byCommand(record.id)).toMatchObject([removed]);
  const paused = { action: 'RECORD_CHANGED', agent: 'pause-webhooks', after: { status: 'paused' } };
  expect(await byCommand(hook.id)).toMatchObject([{ ...paused, ...byNobody }]);
  const { user } = (await studio.admin.data('{ me { user { passkeys { id } } } }')).me;
  expect(user.passkeys).toEqual([]);
});

quick(
  'where superadmins come from is shown to superadmins; their jam codes are in their account',
  async () => {
    const chief = app.superadmin.with(HERE);
    const board = await makeBoard({ ...studio, admin: chief }, game.id);
    expect(await about(board.id)).toMatchObject([{ by: 'SUPERADMIN', ipAddress: null }]);
    expect(await about(board.id, chief)).toMatchObject([{ by: 'SUPERADMIN', ipAddress: '203.0.113.9' }]);
    const { createJamCode } = await chief.data(
      'mutation { createJamCode(input: { code: "TRAIL", description: "Of the trail" }) { jamCode { id } } }',
    );
    const { me } = await chief.data('{ me { account { id } } }');
    const [made] = await about(createJamCode.jamCode.id, chief);
    expect(made).toMatchObject({ action: 'RECORD_CREATED', after: { description: 'Of the trail' } });
    expect(JSON.stringify(made)).not.toContain('TRAIL');
    const { auditEntries } = await chief.data(
      'query ($of: ID!, $subject: ID!) { auditEntries(accountId: $of, filter: { subjectId: $subject }) { nodes { id } } }',
      { of: me.account.id, subject: createJamCode.jamCode.id },
    );
    expect(auditEntries.nodes).toHaveLength(1);
  },
);

const BEFRIEND = `mutation ($input: SetFriendsInput!) { setFriends(input: $input) { identity { id } } }`;

quick('friends and tags have entries where a person changes them; erased players leave them', async () => {
  await makeBoard(studio, game.id, { dimensions: [{ name: 'guild', source: 'PLAYER' }] });
  const [ann, bob, cid] = [
    await makePlayer(studio.admin, game.id, 'ann'),
    await makePlayer(studio.admin, game.id, 'bob'),
    await makePlayer(studio.admin, game.id, 'cid'),
  ];
  const befriend = (caller: Caller, friendIds: string[]) =>
    caller.data(BEFRIEND, { input: { identityId: ann, friendIds } });
  await befriend(studio.admin, [bob]);
  expect(await about(ann)).toEqual([]);
  await befriend(studio.admin.with(BROWSER), [cid]);
  await befriend(studio.admin.with({ 'user-agent': 'leaderboard-terminal' }), [cid]);
  await studio.admin
    .with(BROWSER)
    .data('mutation ($input: SetIdentityTagsInput!) { setIdentityTags(input: $input) { identity { id } } }', {
      input: { identityId: ann, tags: [{ name: 'guild', value: 'owls' }] },
    });
  const friends = (before: string[], after: string[]) => ({
    action: 'FRIENDS_CHANGED',
    before: { friends: before },
    after: { friends: after },
  });
  expect(await about(ann)).toMatchObject([
    { action: 'PLAYER_TAGS_CHANGED', before: { tags: {} }, after: { tags: { guild: 'owls' } } },
    friends([bob], [cid]),
  ]);
  const erase = (id: string) =>
    studio.admin.data('mutation ($id: ID!) { eraseIdentity(input: { id: $id }) { erasure { status } } }', {
      id,
    });
  await erase(cid);
  expect((await about(ann))[1]).toMatchObject(friends([bob], []));
  await change(studio.admin, 'Identity', ann, { displayName: 'Ann the Great' });
  expect((await about(ann))[0]).toMatchObject({ after: { displayName: 'Ann the Great', nameLocked: true } });
  await erase(ann);
  const { rows } = await app.database.knex.raw<{ rows: object[] }>(
    `select from audit_entries where before::text ~ ? or after::text ~ ?`,
    ['Ann the Great|owls', 'Ann the Great|owls'],
  );
  expect(rows).toEqual([]);
});

quick('lists and exports take person, thing, kind and time', async () => {
  const other = await makeGame(studio);
  const began = app.clock.now();
  app.clock.advance(1_000);
  await change(studio.admin, 'Game', other.id, { description: 'One, "two"' });
  app.clock.advance(1_000);
  await change(studio.admin, 'Game', other.id, { description: '=1+1' });
  const span = { after: new Date(began).toISOString(), before: new Date(began + 1_500).toISOString() };
  const filter = { gameId: other.id, userId: studio.userId, action: 'RECORD_CHANGED', createdAt: span };
  expect(await entries(filter)).toMatchObject([{ after: { description: 'One, "two"' } }]);
  const query = `game_id=${other.id}&user_id=${studio.userId}&action=record_changed`;
  const times = `created_after=${span.after}&created_before=${span.before}`;
  const listed = await studio.admin.get(`/v1/audit-entries?${query}&${times}`);
  expect(listed.body.data).toMatchObject([{ by: 'user', after: { description: 'One, "two"' } }]);
  const exported = async (more: string) =>
    send(`${app.url}/v1/audit-entries/export?${query}${more}`, { headers: studio.admin.headers });
  const csv = ((await exported('')).body as string).split('\n');
  expect(csv).toHaveLength(5);
  expect(csv[0]).toMatch(/^id,created_at,by,user_id/);
  expect(csv[2]).toContain('"{""description"":""One, \\""two\\""""}"');
  expect(csv[3]).toBe('# trailer what=audit count=2');
  const lines = ((await exported(`&format=ndjson&${times}`)).body as string).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { by: 'user', subject_id: other.id, before: { description: null }, after: { description: 'One, "two"' } },
    { trailer: { what: 'audit', count: 1 } },
  ]);
  const wrong = await exported('&subject_id=x&created_after=x');
  expect(wrong.status).toBe(422);
  expect(wrong.body.details.map(({ loc }: Data) => loc[1])).toEqual(['subject_id', 'created_after']);
  // Exports are acts themselves.
  const { accountId } = studio;
  const [last] = await entries({ action: 'DATA_EXPORTED' });
  expect(last).toMatchObject({
    subjectId: accountId,
    after: { what: 'audit', format: 'ndjson', game_id: other.id },
  });
  const player = await makePlayer(studio.admin, game.id, 'exported');
  await studio.admin.get(`/v1/identities/${player}/export`);
  await send(`${app.url}/v1/games/${game.id}/export?what=players`, { headers: studio.admin.headers });
  expect(await about(player)).toMatchObject([{ action: 'DATA_EXPORTED', after: { what: 'identity' } }]);
  const [whole] = await entries({ action: 'DATA_EXPORTED', subjectId: game.id });
  expect(whole).toMatchObject({ gameId: game.id, after: { what: 'players', format: 'csv' } });
});

quick('the terminal exports the log, with the filters by name', async () => {
  const terminal = new Terminal({
    LEADERBOARD_API: app.url,
    LEADERBOARD_API_KEY: studio.admin.headers['service-api-key'],
  });
  const words = ['--game', game.slug, '--action', 'record_changed', '--format', 'ndjson'];
  const { code, stdout } = await terminal.run(['audit', 'export', ...words]);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(code).toBe(0);
  expect(lines.length).toBeGreaterThan(1);
  expect(lines.at(-1)).toEqual({ trailer: { what: 'audit', count: lines.length - 1 } });
  expect(new Set(lines.slice(0, -1).map(({ game_id: id }) => id))).toEqual(new Set([game.id]));
});

quick('an export of many entries has each of them once, newest first', async () => {
  await app.database.knex.raw(
    `insert into audit_entries (id, account_id, action, subject_id, created_at)
     select gen_random_uuid(), ?::uuid, 'signed_in', 'key_' || gen_random_uuid(), '2020-01-01'::timestamptz + (n / 700) * interval '1 ms'
     from generate_series(1, 2500) n`,
    [studio.accountId.slice(4)],
  );
  const url = `${app.url}/v1/audit-entries/export?action=signed_in&format=ndjson`;
  const { body: text } = await send(url, { headers: studio.admin.headers });
  const lines = (text as string)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.at(-1)).toEqual({ trailer: { what: 'audit', count: 2500 } });
  const found = lines.slice(0, -1);
  expect(new Set(found.map(({ id }) => id)).size).toBe(2500);
  const times = found.map(({ created_at: at }) => at);
  expect(times).toEqual(times.toSorted().toReversed());
});

quick('addresses are forgotten earlier than entries', async () => {
  const board = await makeBoard({ ...studio, admin: studio.admin.with(HERE) }, game.id);
  const forget = () => app.app.jobs.run('forget-audit-entries');
  app.clock.advance(89 * DAY);
  await forget();
  expect(await about(board.id)).toMatchObject([{ ipAddress: '203.0.113.9' }]);
  app.clock.advance(2 * DAY);
  await forget();
  expect(await about(board.id)).toMatchObject([{ ipAddress: null, userId: studio.userId }]);
  app.clock.advance(700 * DAY);
  await forget();
  expect(await about(board.id)).toEqual([]);
});
