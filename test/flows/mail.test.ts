import { makeLog } from '../../src/base/log.js';
import { deliverer } from '../../src/mail/delivery.js';
import { Outbox, Seal } from '../../src/mail/outbox.js';
import { MailSender, pauseAfter } from '../../src/mail/sender.js';
import { SETTINGS, startApp, type TestApp } from '../support/app.js';
import { HOUR, MINUTE, SECOND } from '../support/clock.js';
import { unique } from '../support/make.js';
import { MailServer } from '../support/smtp.js';
import { until } from '../support/wait.js';

let server: MailServer;
let app: TestApp;
beforeAll(async () => {
  server = await MailServer.start();
  app = await startApp({ smtpUrl: server.url, mailFrom: 'Boards <boards@play.example.com>' });
});
afterAll(async () => {
  await app.close();
  await server.stop();
});
beforeEach(() => {
  server.manners = {};
  server.taken.length = 0;
});

const send = (signal?: AbortSignal) => app.app.jobs.run('send-mails', {}, signal);
const mailOf = (email: string) => app.database.knex('mails').where('recipient', email).orderBy('id').first();

/** Asks for a code; the answer is the same whatever the mail server does. */
async function asked(): Promise<string> {
  const email = `reader${unique()}@example.com`;
  const { status, body } = await app.anyone.post('/register/initiate', { email });
  expect([status, body.code_expires_in]).toEqual([201, 600]);
  return email;
}

const takenFor = (email: string) => server.taken.filter(({ to }) => to.includes(email));

test('a mail goes out once, in plain text and HTML, and leaves no code behind', async () => {
  const email = await asked();
  expect(await mailOf(email)).toMatchObject({ status: 'queued', kind: 'code', content: expect.any(Buffer) });
  await send();
  await send();
  const [mail, ...more] = takenFor(email);
  expect(more).toEqual([]);
  expect(mail).toMatchObject({
    from: 'boards@play.example.com',
    messageId: expect.stringMatching(/^<[\w-]{36}@play\.example\.com>$/),
  });
  const { text } = mail!;
  expect(text).toMatch(/^From: Boards <boards@play\.example\.com>\r$/m);
  expect(text).toMatch(/^Auto-Submitted: auto-generated\r$/m);
  expect(text).toMatch(/multipart\/alternative/);
  const code = /^ {4}([A-HJ-NP-Z2-9]{6})\r$/m.exec(text)?.[1];
  expect(text).toMatch(new RegExp(`^Subject: .*\\b${code}\\b.*\\r$`, 'm'));
  expect(text).toContain('prefers-color-scheme');
  // The code is read without a mail program; the link, longer than a line may be, with one.
  const plain = text.slice(text.indexOf('text/plain'), text.indexOf('text/html'));
  expect(plain.replace(/=\r\n/g, '')).toMatch(
    new RegExp(
      `^https://play.example.com/register#email=3D${email.replace('@', '%40')}&code=3D[\\w-]{64}\r$`,
      'm',
    ),
  );
  expect(Math.max(...plain.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(76);
  expect(await mailOf(email)).toMatchObject({ status: 'sent', content: null, attempts: 1, last_error: null });
  const verified = await app.anyone.post('/register/verify', { email, code });
  expect(verified.status).toBe(200);
});

test.each([550, 553])('a reader who is refused with %i for good is not tried again', async (code) => {
  server.manners = { refuseReader: code };
  const email = await asked();
  await send();
  expect(await mailOf(email)).toMatchObject({
    status: 'failed',
    content: null,
    attempts: 1,
    last_error: expect.stringContaining(String(code)),
  });
  server.manners = {};
  app.clock.advance(HOUR);
  await send();
  expect(takenFor(email)).toEqual([]);
});

test('a mail that is refused for now is tried again, ever later, and comes once', async () => {
  server.manners = { refuseMail: 451 };
  const email = await asked();
  for (const [tries, pause] of [
    [1, 5],
    [2, 10],
    [3, 20],
  ] as const) {
    await send();
    const mail = await mailOf(email);
    expect(mail).toMatchObject({ status: 'queued', attempts: tries });
    expect(mail.due_at.getTime() - app.clock.now()).toBe(pause * SECOND);
    app.clock.advance(pause * SECOND - 1);
    await send();
    expect((await mailOf(email)).attempts).toBe(tries);
    app.clock.advance(1);
  }
  server.manners = {};
  await send();
  expect(takenFor(email)).toHaveLength(1);
  expect([1, 2, 10, 11, 50].map(pauseAfter)).toEqual([5_000, 10_000, 2_560_000, 3_600_000, 3_600_000]);
});

test('no mail is lost while the server is down', async () => {
  const { port } = server;
  await server.stop();
  const emails = [await asked(), await asked()];
  await send();
  expect(await mailOf(emails[0]!)).toMatchObject({
    status: 'queued',
    last_error: expect.stringMatching(/ECONN/),
  });
  await server.again(port);
  app.clock.advance(5 * SECOND);
  await send();
  expect(emails.map((email) => takenFor(email).length)).toEqual([1, 1]);
});

test.each(['before', 'within'] as const)(
  'a mail comes once when the connection is cut %s it',
  async (cut) => {
    server.manners = { cut };
    const email = await asked();
    await send();
    expect(await mailOf(email)).toMatchObject({ status: 'queued', attempts: 1 });
    server.manners = {};
    app.clock.advance(5 * SECOND);
    await send();
    await send();
    expect(takenFor(email)).toHaveLength(1);
  },
);

test('copies of a mail that was taken without an answer have one message id', async () => {
  server.manners = { cut: 'after' };
  const email = await asked();
  await send();
  server.manners = {};
  app.clock.advance(5 * SECOND);
  await send();
  app.clock.advance(HOUR);
  await send();
  const [first, second, ...more] = takenFor(email);
  expect(more).toEqual([]);
  expect(second?.messageId).toBe(first?.messageId);
  expect(second?.text).toContain(/^ {4}([A-Z2-9]{6})/m.exec(first!.text)![1]!);
});

test('a slow server gets a mail once, however often the job runs, and other jobs go on', async () => {
  let answer = () => undefined as unknown;
  server.manners = {
    hold: new Promise<void>((resolve) => {
      answer = resolve;
    }),
  };
  const email = await asked();
  const sending = send();
  await until(async () => (await mailOf(email)).status === 'sending');
  // Calls that come meanwhile do not wait for it; other mails wait for the same server only.
  const other = await asked();
  expect(await Promise.all([send(), send(), send()])).toEqual([0, 0, 0]);
  expect(await app.app.jobs.run('forget-nonce-uses')).toBe(0);
  await until(async () => (await mailOf(other)).status === 'sending');
  answer();
  expect(await sending).toBe(2);
  expect([takenFor(email).length, takenFor(other).length]).toEqual([1, 1]);
});

test('two processes send sixty mails, each once', async () => {
  const { knex } = app.database;
  const log = makeLog('silent');
  const emails = await Promise.all(Array.from({ length: 60 }, asked));
  const settings = { smtpUrl: server.url, mailFrom: 'boards@play.example.com', dataDir: app.dataDir };
  const outbox = new Outbox(new Seal(SETTINGS.keySecret));
  const second = new MailSender(outbox, deliverer(settings, log), app.clock.now).job;
  const call = {
    now: new Date(app.clock.now()),
    payload: {},
    signal: new AbortController().signal,
    db: knex,
    log,
  };
  const [mine, { done }] = await Promise.all([send(), second.run(call)]);
  expect(mine + done).toBe(60);
  expect(Math.min(mine, done)).toBeGreaterThan(0);
  expect(emails.filter((email) => takenFor(email).length !== 1)).toEqual([]);
});

test('a mail of a killed process is sent by another one after its lease', async () => {
  const email = await asked();
  const now = new Date(app.clock.now());
  const outbox = new Outbox(new Seal(SETTINGS.keySecret));
  const taken = await outbox.take(app.database.knex, now, new Date(now.getTime() + 30 * SECOND));
  expect(taken?.recipient).toBe(email);
  await send();
  expect(takenFor(email)).toEqual([]);
  app.clock.advance(30 * SECOND);
  await send();
  expect(takenFor(email)).toHaveLength(1);
  // The one that was thought dead comes to the same end.
  await outbox.note(taken!, app.database.knex, { status: 'queued' });
  expect(await mailOf(email)).toMatchObject({ status: 'sent', attempts: 2 });
});

test('a process that ends lets go of a server that does not answer; the mail is sent by the next', async () => {
  const never = new Promise<void>(() => undefined);
  server.manners = { hold: never };
  const email = await asked();
  const stop = new AbortController();
  const sending = send(stop.signal);
  await until(async () => (await mailOf(email)).status === 'sending');
  stop.abort();
  await sending;
  expect(await mailOf(email)).toMatchObject({ status: 'queued' });
  server.manners = {};
  app.clock.advance(5 * SECOND);
  await send();
  expect(takenFor(email)).toHaveLength(1);
});

test('a code that is no longer valid is not sent', async () => {
  server.manners = { refuseMail: 451 };
  const email = await asked();
  await send();
  await app.anyone.post('/register/resend', { email });
  expect(await mailOf(email)).toMatchObject({ status: 'dropped', content: null });
  await send();
  app.clock.advance(10 * MINUTE);
  server.manners = {};
  await send();
  expect(takenFor(email)).toEqual([]);
  const rows = await app.database.knex('mails').where('recipient', email).orderBy('id').select('status');
  expect(rows).toEqual([{ status: 'dropped' }, { status: 'failed' }]);
});

test('results of mails are counted', async () => {
  const { body } = await app.anyone.get('/metrics');
  const count = (result: string) =>
    Number(new RegExp(`^leaderboard_mails_total\\{result="${result}"\\} (\\d+)$`, 'm').exec(body)?.[1]);
  expect(count('sent')).toBeGreaterThan(10);
  expect(count('retried')).toBeGreaterThan(5);
  expect(count('failed')).toBe(2);
  expect(count('expired')).toBe(1);
});
