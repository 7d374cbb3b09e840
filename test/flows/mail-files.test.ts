import { statSync } from 'node:fs';
import path from 'node:path';
import { Seal } from '../../src/mail/outbox.js';
import { SETTINGS, startApp, type TestApp } from '../support/app.js';
import { mailFiles, mailsTo } from '../support/mail.js';
import { until } from '../support/wait.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const mails = () => app.database.knex('mails');

test('without a mail server each mail is one file that only its owner can read', async () => {
  const email = 'file@example.com';
  await app.anyone.post('/register/initiate', { email });
  await app.app.jobs.run('send-mails');
  const [mail, ...more] = mailFiles(app.dataDir);
  expect(more).toEqual([]);
  expect(mail?.name).toMatch(/^2030-01-01T12-00-00-000Z-code-[0-9a-f]{8}\.eml$/);
  expect(mail?.headers.get('from')).toBe('Leaderboards <no-reply@localhost>');
  const { mode } = statSync(path.join(app.dataDir, 'mail', mail!.name));
  expect(mode & 0o777).toBe(0o600);
  // Its end was not noted: the second try leaves the same file.
  const { id } = await mails().first('id');
  const content = new Seal(SETTINGS.keySecret).close(id, '{"subject":"s","text":"t","html":"h"}');
  await mails().update({ status: 'queued', sent_at: null, content });
  await app.app.jobs.run('send-mails');
  expect(mailFiles(app.dataDir)).toHaveLength(1);
});

test('names cannot break out of a mail', async () => {
  const { body: account } = await app.superadmin.post('/v1/accounts', { name: '<b>"A" & B</b>' });
  const email = 'invited@example.com';
  const display_name = '</p><script>alert(1)</script>';
  await app.superadmin.post('/register/invite', { account_id: account.id, email, display_name });
  const [mail] = await mailsTo(app, email);
  const html = mail!.raw.replace(/=\r?\n/g, '').split('text/html')[1]!;
  expect(html).not.toMatch(/<script|<b>/);
  expect(html).toContain('&lt;script&gt;');
});

test('a mail that waits cannot be read with another KEY_SECRET', async () => {
  await app.anyone.post('/register/initiate', { email: 'waiting@example.com' });
  const { content, id } = await mails().where('status', 'queued').first();
  const seal = new Seal('another secret than the one of this app');
  expect(() => seal.open(id, content)).toThrow();
  expect(() => new Seal(SETTINGS.keySecret).open('another id', content)).toThrow();
  expect(content.toString('latin1')).not.toContain('valid');
});

test('a mail goes out at once, without waiting for the minute', async () => {
  const ringing = await startApp({}, { wakeJobs: true });
  try {
    await ringing.anyone.post('/register/initiate', { email: 'now@example.com' });
    await until(() => mailFiles(ringing.dataDir).length === 1);
  } finally {
    await ringing.close();
  }
});
