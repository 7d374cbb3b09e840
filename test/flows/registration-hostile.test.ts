import { MOST_CODES } from '../../src/registration/registering.js';
import { startApp, type TestApp } from '../support/app.js';
import { HOUR } from '../support/clock.js';
import type { Answer, Data } from '../support/http.js';
import { knownUser } from '../support/known-user.js';
import { codeFor, mailsTo, verifiedToken } from '../support/mail.js';
import { makeStudio, unique } from '../support/make.js';

// Attempts to get in without a mailbox, or to learn which addresses are registered. Figures go to stderr.

const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ trustedProxies: ['127.0.0.1'] });
});
afterAll(() => app.close());

const address = (word = 'target') => `${word}${unique()}@example.com`;
const initiate = (email: string) => app.anyone.post('/register/initiate', { email });
const verify = (email: string, code: string) => app.anyone.post('/register/verify', { email, code });
const report = (sentence: string) => process.stderr.write(`registration: ${sentence}\n`);

function randomCode(): string {
  return Array.from({ length: 6 }, () => ALPHABET[Math.floor(Math.random() * ALPHABET.length)]).join('');
}

test('an address gets 15 guesses of 30 bits an hour, however many are sent at once', async () => {
  const email = address();
  let sent = 0;
  let right: string[] = [];
  for (let codes = 0; codes < 5; codes += 1) {
    await initiate(email);
    if (codes < 3) right = [...right, await codeFor(app, email)];
    const guesses = Array.from({ length: 40 }, randomCode).filter((code) => !right.includes(code));
    const answers = await Promise.all(guesses.map((code) => verify(email, code)));
    sent += answers.length;
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.code}`))).toEqual(
      new Set(['400 INVALID_CODE']),
    );
    // The code itself is of no use any more.
    for (const code of right) expect((await verify(email, code)).status).toBe(400);
  }
  const rows = await app.database.knex('verification_codes').where({ email }).select('wrong_from');
  const looked = rows.reduce((sum, { wrong_from }) => sum + wrong_from.length, 0);
  expect(looked).toBe(15);
  const odds = ALPHABET.length ** 6 / looked;
  report(
    `${sent} guesses sent within an hour, ${looked} compared with a code: 1 in ${Math.round(odds / 1e6)} million`,
  );
});

test('codes are drawn evenly from all signs', async () => {
  const { generateCode } = await import('../../src/registration/codes/code.js');
  const counts = new Map([...ALPHABET].map((sign) => [sign, 0]));
  const codes = 16_000;
  for (let n = 0; n < codes; n += 1)
    for (const sign of generateCode()) counts.set(sign, counts.get(sign)! + 1);
  const expected = (codes * 6) / ALPHABET.length;
  const chi = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  expect(counts.size).toBe(32);
  // 31 degrees of freedom: beyond 80 once in a million runs.
  expect(chi).toBeLessThan(80);
  report(`signs of ${codes} codes: chi-square ${chi.toFixed(1)} (31 degrees of freedom)`);
});

test('of 30 uses of one token at once, one makes an account; another mailbox cannot use it', async () => {
  const token = await verifiedToken(app, address());
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, n) =>
      app.anyone.post('/register/complete', { verification_token: token, account_name: `Replay ${n}` }),
    ),
  );
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(1);
  expect(statuses.filter((status) => status === 401)).toHaveLength(29);
  const made = await app.database.knex('accounts').where('name', 'like', 'Replay %').select('id');
  expect(made).toHaveLength(1);
  const invalid = [token.slice(1), `${token}=`, token.toLowerCase(), '', 'null', token.replace(/.$/, '')];
  for (const verification_token of invalid) {
    const { status } = await app.anyone.post('/register/complete', {
      verification_token,
      account_name: 'Spoilt',
    });
    expect(status).toBe(401);
  }
  report(`30 replays of a token at once: ${made.length} account`);
});

test('a stolen table contains no code, token or key', async () => {
  const email = address();
  await initiate(email);
  const dump = async () => {
    const tables = ['verification_codes', 'mails', 'graphile_worker.jobs', 'api_keys'];
    const rows = await Promise.all(tables.map((table) => app.database.knex(table).select('*')));
    return JSON.stringify(rows, (_key, value: Data) =>
      value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
    );
  };
  const before = await dump();
  const code = await codeFor(app, email);
  const { body } = await verify(email, code);
  const done = await app.anyone.post('/register/complete', {
    verification_token: body.verification_token,
    account_name: 'Stolen',
  });
  const all = before + (await dump());
  for (const secret of [code, body.verification_token, done.body.api_key]) {
    expect(all.includes(secret)).toBe(false);
  }
});

test("a forged header does not change the caller's address", async () => {
  const email = address();
  const statuses: number[] = [];
  for (let n = 0; n < MOST_CODES + 20; n += 20) {
    const batch = Array.from({ length: 20 }, (_, i) => {
      const lie = `198.51.${n % 250}.${i}`;
      const liar = app.anyone.with({ 'x-forwarded-for': `${lie}, 203.0.113.66` });
      return liar.post('/register/resend', { email: address() });
    });
    statuses.push(...(await Promise.all(batch)).map(({ status }) => status));
  }
  expect(statuses.filter((status) => status === 200)).toHaveLength(MOST_CODES);
  expect(statuses.filter((status) => status === 429)).toHaveLength(20);
  const refused = await app.anyone
    .with({ 'x-forwarded-for': '203.0.113.66' })
    .post('/register/initiate', { email });
  expect([refused.body.code, Number(refused.headers.get('retry-after')) > 0]).toEqual(['RATE_LIMITED', true]);
  const graph = await app.anyone
    .with({ 'x-forwarded-for': '203.0.113.66' })
    .fault('mutation { resendRegistrationCode(input: { email: "a@b.c" }) { message } }');
  expect(graph.extensions).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: expect.any(Number) });
  expect(
    (await app.anyone.with({ 'x-forwarded-for': '203.0.113.67' }).post('/register/initiate', { email }))
      .status,
  ).toBe(201);
  report(
    `${statuses.length} codes asked for behind one proxied address under 320 spoofed ones: ${MOST_CODES} let through`,
  );
});

/** All of an answer that a caller sees, less what differs from request to request. */
function seen({ status, headers, body }: Answer<Data>): string {
  const shown = [...headers].filter(([name]) => !['date', 'service-request-id'].includes(name));
  const { request_id: _, request_token: token = '', ...rest } = body;
  return JSON.stringify([status, shown.toSorted(), token.length, rest]);
}

test('the answers are the same for all addresses, those beyond the limits too', async () => {
  const studio = await makeStudio(app);
  const [registered, suspended, invited] = [address('registered'), address('suspended'), address('invited')];
  await knownUser(app, registered, studio.accountId, 'active');
  await knownUser(app, suspended, studio.accountId, 'suspended');
  await app.superadmin.post('/register/invite', { account_id: studio.accountId, email: invited });
  const all = [address('unknown'), registered, suspended, invited, 'root@example.com'];
  const same = async (path: string, network: string): Promise<number> => {
    const caller = app.anyone.with({ 'x-forwarded-for': network });
    const answers = await Promise.all(all.map((email) => caller.post(path, { email })));
    expect(new Set(answers.map(seen)).size).toBe(1);
    return answers[0]!.status;
  };
  const paths = ['/register/initiate', '/register/resend', '/register/resend', '/register/resend'];
  const statuses: number[] = [];
  for (const path of paths) statuses.push(await same(path, '198.51.100.1'));
  expect(statuses).toEqual([201, 200, 200, 429]);
  // The mails of an hour are used up for some, whose sign-ins are then refused like everyone's.
  for (const network of [2, 3, 4]) {
    for (let n = 0; n < 3; n += 1) expect(await same('/register/resend', `198.51.100.${network}`)).toBe(200);
  }
  expect(await same('/register/resend', '198.51.100.5')).toBe(429);
  expect(await same('/register/sign-in/code', '198.51.100.5')).toBe(429);
  for (const email of all) expect((await mailsTo(app, email)).length).toBeLessThanOrEqual(12);
  const tried = await Promise.all([...all, address('never-asked')].map((email) => verify(email, 'AAAAAA')));
  expect(new Set(tried.map(seen)).size).toBe(1);
  report(`${all.length} kinds of address: one answer to initiate, to resend, to sign-in and to verify`);
});

test('three requests an hour of one network are mailed, and the fourth is told the way that is left', async () => {
  const email = address();
  const answers = [];
  for (let n = 0; n < 5; n += 1) answers.push(await initiate(email));
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 429, 429]);
  expect(answers[3]).toMatchObject({
    body: { code: 'RATE_LIMITED', error: expect.stringContaining('Open the link in the newest') },
  });
  expect(answers[3]!.headers.get('retry-after')).toBe('3600');
  // Those before it were replaced before they left.
  expect(await mailsTo(app, email)).toHaveLength(1);
  const code = await codeFor(app, email);
  expect((await verify(email, code)).status).toBe(200);
  app.clock.advance(HOUR - 1);
  expect((await initiate(email)).status).toBe(429);
  app.clock.advance(1);
  await initiate(email);
  expect(await mailsTo(app, email)).toHaveLength(2);
});

test('of many simultaneous requests three are mailed, and one code is valid', async () => {
  const email = address();
  const answers = await Promise.all(Array.from({ length: 12 }, () => initiate(email)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
  const rows = await app.database.knex('verification_codes').where({ email }).select('status', 'withheld');
  expect(rows.map(({ withheld }) => withheld)).toEqual([false, false, false]);
  expect(rows.filter(({ status }) => status === 'pending')).toHaveLength(1);
});
