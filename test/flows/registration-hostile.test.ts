import { uuid7, uuidOf } from '../../src/base/ids.js';
import { MOST_CODES } from '../../src/registration/registering.js';
import { startApp, type TestApp } from '../support/app.js';
import { HOUR } from '../support/clock.js';
import type { Answer, Data } from '../support/http.js';
import { codeFor, verifiedToken } from '../support/mail.js';
import { makeStudio, unique } from '../support/make.js';

// What somebody tries who wants in without a mailbox, or wants to know who is registered. Figures go to stderr.

const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ trustedProxies: ['127.0.0.1'] });
});
afterAll(() => app.close());

const address = (word = 'target') => `${word}${unique()}@example.com`;
const initiate = (email: string) => app.anyone.post('/register/initiate', { email });
const resend = (email: string) => app.anyone.post('/register/resend', { email });
const verify = (email: string, code: string) => app.anyone.post('/register/verify', { email, code });
const tell = (sentence: string) => process.stderr.write(`registration: ${sentence}\n`);

function randomCode(): string {
  return Array.from({ length: 6 }, () => ALPHABET[Math.floor(Math.random() * ALPHABET.length)]).join('');
}

/** A user that has this address, written beside the service. */
async function known(email: string, accountId: string, status: string): Promise<void> {
  const at = new Date(app.clock.now());
  await app.database.knex('users').insert({
    id: uuid7(),
    account_id: uuidOf(accountId),
    email,
    display_name: 'Known',
    status,
    email_verified_at: status === 'invited' ? null : at,
    super_admin: false,
    is_owner: false,
    created_at: at,
    updated_at: at,
  });
}

test('guessing: an address gets 15 guesses an hour, at 30 bits, however many are sent at once', async () => {
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
  const rows = await app.database.knex('verification_codes').where({ email }).select('attempts');
  const looked = rows.reduce((sum, { attempts }) => sum + attempts, 0);
  expect(looked).toBe(15);
  const odds = ALPHABET.length ** 6 / looked;
  tell(
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
  tell(`signs of ${codes} codes: chi-square ${chi.toFixed(1)} (31 degrees of freedom)`);
});

test('replay: of 30 uses of one token at once, one makes an account; another mailbox cannot use it', async () => {
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
  const spoilt = [token.slice(1), `${token}=`, token.toLowerCase(), '', 'null', token.replace(/.$/, '')];
  for (const verification_token of spoilt) {
    const { status } = await app.anyone.post('/register/complete', {
      verification_token,
      account_name: 'Spoilt',
    });
    expect(status).toBe(401);
  }
  tell(`30 replays of a token at once: ${made.length} account`);
});

test('a stolen table tells no code, token or key', async () => {
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

test('a header in front of the proxy does not make another caller of one', async () => {
  const email = address();
  const statuses: number[] = [];
  for (let n = 0; n < MOST_CODES + 20; n += 20) {
    const batch = Array.from({ length: 20 }, (_, i) => {
      const lie = `198.51.${n % 250}.${i}`;
      const liar = app.anyone.with({ 'x-forwarded-for': `${lie}, 203.0.113.66` });
      return liar.post('/register/resend', { email });
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
    .fault('mutation { registerResend(input: { email: "a@b.c" }) { message } }');
  expect(graph.extensions).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: expect.any(Number) });
  expect(
    (await app.anyone.with({ 'x-forwarded-for': '203.0.113.67' }).post('/register/initiate', { email }))
      .status,
  ).toBe(201);
  tell(
    `${statuses.length} codes asked for behind one proxied address under 320 spoofed ones: ${MOST_CODES} let through`,
  );
});

/** All of an answer that a caller sees, less what differs from request to request. */
function seen({ status, headers, body }: Answer<Data>): string {
  const shown = [...headers].filter(([name]) => !['date', 'service-request-id'].includes(name));
  const { request_id: _, ...rest } = body;
  return JSON.stringify([status, shown.toSorted(), rest]);
}

test('enumeration by answers: there is one for all addresses', async () => {
  const studio = await makeStudio(app);
  const [registered, suspended, invited, spent] = [
    address('registered'),
    address('suspended'),
    address('invited'),
    address('spent'),
  ];
  await known(registered, studio.accountId, 'active');
  await known(suspended, studio.accountId, 'suspended');
  await app.superadmin.post('/register/invite', { account_id: studio.accountId, email: invited });
  for (let n = 0; n < 3; n += 1) await initiate(spent);
  const all = [address('unknown'), registered, suspended, invited, spent, 'root@example.com'];
  for (const path of ['/register/initiate', '/register/resend']) {
    const answers = await Promise.all(all.map((email) => app.anyone.post(path, { email })));
    expect(new Set(answers.map(seen)).size).toBe(1);
  }
  const tried = await Promise.all([...all, address('never-asked')].map((email) => verify(email, 'AAAAAA')));
  expect(new Set(tried.map(seen)).size).toBe(1);
  tell(`${all.length} kinds of address: one answer to initiate, to resend and to verify`);
});

/** How often a value of `b` is larger than one of `a`: 0.5 when they cannot be told apart, 0 or 1 when always. */
function separation(a: number[], b: number[]): number {
  let larger = 0;
  for (const x of a) for (const y of b) larger += y > x ? 1 : y === x ? 0.5 : 0;
  return larger / (a.length * b.length);
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

async function timed(ask: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await ask();
  return performance.now() - begun;
}

/** Takes turns, so that whatever else the machine does falls on all alike. */
async function compared(
  rounds: number,
  kinds: Record<string, (round: number) => Promise<unknown>>,
): Promise<Record<string, number[]>> {
  const times: Record<string, number[]> = Object.fromEntries(Object.keys(kinds).map((name) => [name, []]));
  for (let round = -10; round < rounds; round += 1) {
    const turn = Object.entries(kinds);
    if (round % 2) turn.reverse();
    for (const [name, ask] of turn) {
      const time = await timed(() => ask(round));
      if (round >= 0) times[name]!.push(time);
    }
  }
  return times;
}

/** The first kind against each other: nobody could tell them apart by time. */
function expectAlike(door: string, times: Record<string, number[]>): void {
  const [[first, base], ...others] = Object.entries(times) as [[string, number[]], ...[string, number[]][]];
  const figures = others.map(([name, own]) => {
    const apart = separation(base, own);
    // Of 120 each, chance alone leaves it within 0.5 ± 0.04 mostly; what costs a commit more is beyond 0.9.
    expect(apart).toBeGreaterThan(0.3);
    expect(apart).toBeLessThan(0.7);
    return `${name} ${median(own).toFixed(2)} ms (separation ${apart.toFixed(2)})`;
  });
  tell(
    `time of ${door}, medians of ${base.length}: ${first} ${median(base).toFixed(2)} ms, ${figures.join(', ')}`,
  );
}

const ROUNDS = 120;

test('enumeration by time: initiate', async () => {
  const studio = await makeStudio(app);
  const spent = address('spent');
  for (let n = 0; n < 3; n += 1) await initiate(spent);
  for (let n = -10; n < ROUNDS; n += 1) {
    await known(`registered-${n}@time.example.com`, studio.accountId, 'active');
    await known(`invited-${n}@time.example.com`, studio.accountId, 'invited');
  }
  const times = await compared(ROUNDS, {
    unknown: (round) => initiate(`newcomer-${round}@time.example.com`),
    registered: (round) => initiate(`registered-${round}@time.example.com`),
    invited: (round) => initiate(`invited-${round}@time.example.com`),
    spent: () => initiate(spent),
  });
  expectAlike('initiate', times);
});

test('enumeration by time: verify', async () => {
  app.clock.advance(HOUR);
  const emails = Array.from({ length: (ROUNDS + 10) / 2 }, (_, n) => `waiting-${n}@time.example.com`);
  for (const email of emails) await initiate(email);
  const times = await compared(ROUNDS, {
    'no code': (round) => verify(`nobody-${round}@time.example.com`, 'AAAAAA'),
    'a code': (round) => verify(emails[(round + 10) % emails.length]!, 'AAAAAA'),
  });
  expectAlike('verify', times);
});

test('enumeration by time: resend', async () => {
  app.clock.advance(HOUR);
  const studio = await makeStudio(app);
  for (let n = -10; n < ROUNDS; n += 1) {
    await known(`registered-again-${n}@time.example.com`, studio.accountId, 'active');
    await initiate(`waiting-again-${n}@time.example.com`);
  }
  const times = await compared(ROUNDS, {
    unknown: (round) => resend(`nobody-again-${round}@time.example.com`),
    'a code': (round) => resend(`waiting-again-${round}@time.example.com`),
    registered: (round) => resend(`registered-again-${round}@time.example.com`),
  });
  expectAlike('resend', times);
});
