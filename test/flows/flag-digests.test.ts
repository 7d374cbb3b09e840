import { uuidOf } from '../../src/base/ids.js';
import { startApp, type TestApp } from '../support/app.js';
import { DAY, HOUR, MINUTE } from '../support/clock.js';
import { flag, makePlayer, play, review } from '../support/flags.js';
import type { Caller, Data } from '../support/http.js';
import { makeBoard, makeGame, makeStudio, makeUser, type Studio, unique } from '../support/make.js';
import { MailServer } from '../support/smtp.js';

let server: MailServer;
let app: TestApp;
beforeAll(async () => {
  server = await MailServer.start();
  app = await startApp({
    smtpUrl: server.url,
    mailFrom: 'boards@play.example.com',
    publicUiUrl: 'https://play.example.com',
    consoleUrl: 'https://studio.example.com/lb/',
  });
});
afterAll(async () => {
  await app.close();
  await server.stop();
});

const UPDATE = 'mutation ($input: UpdateUserInput!) { updateUser(input: $input) { user { flagDigest } } }';

interface Reader extends Studio {
  email: string;
  boardId: string;
  game: Data;
}

/** A studio whose owner has a verified address, and a board to flag runs on. */
async function makeReader(): Promise<Reader> {
  const studio = await makeStudio(app);
  await app.database
    .knex('users')
    .where('id', uuidOf(studio.userId))
    .update({ email_verified_at: new Date(app.clock.now()) });
  const { user } = await studio.admin.data('query ($id: ID!) { user(id: $id) { email } }', {
    id: studio.userId,
  });
  const game = await makeGame(studio, { antiCheatEnabled: false });
  const board = await makeBoard(studio, game.id);
  return { ...studio, email: user.email, boardId: board.id, game };
}

const choose = (of: Studio, flagDigest: string, id = of.userId) =>
  of.admin.data(UPDATE, { input: { id, flagDigest } });

async function raise({ admin, game, boardId }: Reader): Promise<Data> {
  const player = await makePlayer(admin, game.id, `player ${unique()}`);
  return flag(admin, await play(admin, boardId, player, unique()));
}

/** Runs the job as several processes at once, then the sender. */
async function sent(): Promise<void> {
  await Promise.all([1, 2, 3].map(() => app.app.jobs.run('send-flag-digests')));
  await app.app.jobs.run('send-mails');
}

const mailsTo = ({ email }: Reader) => server.taken.filter(({ to }) => to.includes(email));
const subjects = (reader: Reader) => mailsTo(reader).map(({ text }) => /^Subject: (.*)\r$/m.exec(text)![1]);

test('new flags are told once, at most once an hour, with a link to the console; reviewed ones are not', async () => {
  const reader = await makeReader();
  await choose(reader, 'HOURLY');
  await sent();
  expect(mailsTo(reader)).toEqual([]);
  const first = await raise(reader);
  await raise(reader);
  app.clock.advance(HOUR);
  await sent();
  expect(subjects(reader)).toEqual(['2 flags to review']);
  const { text } = mailsTo(reader)[0]!;
  expect(text).toContain('https://studio.example.com/lb/console/moderation');
  expect(text).toContain('Email notifications');

  // The same flags wait: nothing new to tell.
  app.clock.advance(2 * HOUR);
  await sent();
  expect(mailsTo(reader)).toHaveLength(1);

  await review(reader.admin, first.id, { status: 'DISMISSED' });
  await raise(reader);
  app.clock.advance(2 * MINUTE);
  await sent();
  expect(mailsTo(reader)).toHaveLength(1);
  app.clock.advance(HOUR);
  await sent();
  expect(subjects(reader)).toEqual(['2 flags to review', '2 flags to review']);
  expect(mailsTo(reader)[1]!.text).toMatch(/1 of\s+them new since the last email/);

  const last = await raise(reader);
  await review(reader.admin, last.id, { status: 'FALSE_POSITIVE' });
  app.clock.advance(2 * HOUR);
  await sent();
  expect(mailsTo(reader)).toHaveLength(2);
});

test('every link of a mail leads to the address of the console, whoever it is for', async () => {
  const reader = await makeReader();
  await choose(reader, 'HOURLY');
  await raise(reader);
  await reader.admin.got(reader.admin.post('/register/invite', { email: 'invited@example.com' }));
  app.clock.advance(HOUR);
  await sent();
  // Lines that the encoding has broken are whole again.
  const texts = server.taken.map(({ text }) => text.replace(/=\r\n/g, ''));
  const links = texts.flatMap((text) => text.match(/https?:\/\/[^\s"<>#?]+/g) ?? []);
  expect(new Set(links)).toEqual(
    new Set(['https://studio.example.com/lb/console/moderation', 'https://studio.example.com/lb/register']),
  );
});

test('only those who chose so get mails, of their own account, and none after they turn it off', async () => {
  const [reader, other] = [await makeReader(), await makeReader()];
  await choose(other, 'HOURLY');
  await choose(reader, 'HOURLY');
  await raise(reader);
  app.clock.advance(2 * MINUTE);
  await choose(reader, 'NONE');
  app.clock.advance(HOUR);
  await sent();
  expect([mailsTo(reader), mailsTo(other)]).toEqual([[], []]);
  await choose(reader, 'HOURLY');
  await sent();
  expect(subjects(reader)).toEqual(['1 flag to review']);
  // Off and on again repeats nothing.
  await choose(reader, 'NONE');
  await choose(reader, 'DAILY');
  app.clock.advance(2 * DAY);
  await sent();
  expect(mailsTo(reader)).toHaveLength(1);
});

test('a daily mail comes at nine in the morning where the account is, from the second on', async () => {
  const reader = await makeReader();
  const wanted = { id: reader.accountId, timeZone: 'Asia/Kathmandu' };
  await reader.admin.data(
    'mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { account { id } } }',
    { input: wanted },
  );
  await choose(reader, 'DAILY');
  await sent();
  const row = await app.database.knex('users').where('id', uuidOf(reader.userId)).first();
  const local = new Intl.DateTimeFormat('en-GB', { timeZone: 'Asia/Kathmandu', timeStyle: 'medium' });
  expect(local.format(row.digest_due_at)).toBe('09:00:00');
  const ahead = row.digest_due_at.getTime() - app.clock.now();
  expect(ahead).toBeGreaterThan(0);
  expect(ahead).toBeLessThanOrEqual(DAY);
  await raise(reader);
  app.clock.advance(ahead - 1);
  await sent();
  expect(mailsTo(reader)).toEqual([]);
  app.clock.advance(1);
  await sent();
  expect(mailsTo(reader)).toHaveLength(1);
});

test('a mail that could not be sent is replaced by the next one', async () => {
  const reader = await makeReader();
  await choose(reader, 'HOURLY');
  await raise(reader);
  app.clock.advance(2 * MINUTE);
  server.manners = { refuseReader: 451 };
  await sent();
  await raise(reader);
  app.clock.advance(HOUR);
  server.manners = {};
  await sent();
  expect(subjects(reader)).toEqual(['2 flags to review']);
});

test('an unverified address gets none, and the choice says so; suspended users get none', async () => {
  const reader = await makeReader();
  const second = await makeUser(reader.admin, reader.accountId);
  expect(await reader.admin.code(UPDATE, { input: { id: second.id, flagDigest: 'DAILY' } })).toBe(
    'VALIDATION_FAILED',
  );
  await choose(reader, 'HOURLY');
  await raise(reader);
  app.clock.advance(2 * MINUTE);
  await app.superadmin.data(UPDATE, { input: { id: reader.userId, status: 'SUSPENDED' } });
  await sent();
  expect(mailsTo(reader)).toEqual([]);
  await app.superadmin.data(UPDATE, {
    input: { id: reader.userId, status: 'ACTIVE', email: `new${unique()}@example.com` },
  });
  await sent();
  expect(server.taken.filter(({ to }) => to.some((at) => at.startsWith('new')))).toEqual([]);
});

test('the choice is in REST and, with who changed it, in the audit log', async () => {
  const reader = await makeReader();
  const rest: Caller = reader.admin;
  app.clock.advance(MINUTE);
  const { body } = await rest.patch(`/v1/users/${reader.userId}`, { flag_digest: 'daily' });
  expect(body.flag_digest).toBe('daily');
  const { auditEntries } = await reader.admin.data(
    'query ($id: ID!) { auditEntries(filter: {subjectId: $id}, first: 1) { nodes { action before after userId } } }',
    { id: reader.userId },
  );
  expect(auditEntries.nodes).toEqual([
    {
      action: 'RECORD_CHANGED',
      before: { flagDigest: 'none' },
      after: { flagDigest: 'daily' },
      userId: reader.userId,
    },
  ]);
});
