import { linkCode } from '../../src/registration/codes/code.js';
import { SETTINGS, startApp, type TestApp } from '../support/app.js';
import { HOUR, MINUTE } from '../support/clock.js';
import type { Answer, Data } from '../support/http.js';
import { codeFor, linkCodeFor, linksIn, mailsTo } from '../support/mail.js';
import { makeStudio, makeUser, type Studio, unique } from '../support/make.js';

// Strangers know the address; its owner has the mailbox. Nothing that strangers do keeps the owner out.

let app: TestApp;
let studio: Studio;
beforeAll(async () => {
  app = await startApp({ trustedProxies: ['127.0.0.1'] });
  studio = await makeStudio(app);
});
afterAll(() => app.close());
afterEach(() => app.clock.advance(3 * HOUR));

const address = () => `owner.${unique()}@example.com`;
/** A caller of a network of its own. */
const from = (network: string) => app.anyone.with({ 'x-forwarded-for': `${network}.7` });
const OWNER = '198.51.100';
/** Networks of strangers. */
const stranger = (n: number) => `203.0.${n}`;

interface Purpose {
  /** An address whose owner may do it. */
  prepare(): Promise<string>;
  /** What the owner, and every stranger, sends to get a mail. */
  ask(email: string, network: string): Promise<Answer<Data>>;
  enter(email: string, code: string, network: string, more?: Data): Promise<Answer<Data>>;
  /** The page of the link. */
  page: string;
}

const register: Pick<Purpose, 'ask' | 'enter' | 'page'> = {
  ask: (email, network) => from(network).post('/register/initiate', { email }),
  enter: (email, code, network, more) => from(network).post('/register/verify', { email, code, ...more }),
  page: 'https://play.example.com/register',
};

const PURPOSES: Record<string, Purpose> = {
  registration: { ...register, prepare: () => Promise.resolve(address()) },
  invitation: {
    ...register,
    prepare: async () => {
      const email = address();
      await studio.admin.got(studio.admin.post('/register/invite', { email }));
      return email;
    },
  },
  'sign-in': {
    prepare: async () => {
      const email = address();
      await makeUser(app.superadmin, studio.accountId, { email });
      return email;
    },
    ask: (email, network) => from(network).post('/register/sign-in/code', { email }),
    enter: (email, code, network, more) => from(network).post('/register/sign-in', { email, code, ...more }),
    page: 'https://play.example.com/console/',
  },
};

const wrongOf = (code: string) => code.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'));
const isIn = ({ status, body }: Answer<Data>) => [status < 300, body.code];
const IN = [true, undefined];

describe.each(Object.entries(PURPOSES))('%s', (name, { prepare, ask, enter, page }) => {
  test('wrong tries of a stranger use up the stranger’s, and those of many never the link', async () => {
    const email = await prepare();
    if (name !== 'invitation') await ask(email, OWNER);
    const code = await codeFor(app, email);
    const link = await linkCodeFor(app, email);
    for (let n = 0; n < 5; n += 1) {
      expect((await enter(email, wrongOf(code), stranger(1))).body.code).toBe('INVALID_CODE');
    }
    // The stranger has no more tries, not even with the right code; a second one has, and so has the owner.
    expect((await enter(email, code, stranger(1))).body.code).toBe('INVALID_CODE');
    expect(isIn(await enter(email, code, OWNER))).toEqual(IN);
    const again = await prepare();
    if (name !== 'invitation') await ask(again, OWNER);
    const second = await codeFor(app, again);
    for (let network = 1; network <= 8; network += 1) {
      for (let n = 0; n < 6; n += 1) await enter(again, wrongOf(second), stranger(network));
    }
    const [{ wrong_from }] = await app.database.knex('verification_codes').where({ email: again });
    expect(wrong_from).toHaveLength(20);
    const owned = await linkCodeFor(app, again);
    expect(isIn(await enter(again, owned, '192.0.2'))).toEqual(IN);
    expect((await enter(again, owned, '192.0.2')).body.code).toBe('INVALID_CODE');
    expect((await enter(email, link, OWNER)).body.code).toBe('INVALID_CODE');
  });

  test('of twelve mails an hour the newest opens, whoever requested it, and the thirteenth is told so', async () => {
    const email = await prepare();
    for (let n = 0; n < 12; n += 1)
      expect((await ask(email, stranger(Math.floor(n / 3)))).status).toBeLessThan(300);
    const refused = await ask(email, OWNER);
    expect([refused.status, refused.body.code]).toEqual([429, 'RATE_LIMITED']);
    expect(refused.body.error).toContain('Open the link in the newest one');
    const mails = await mailsTo(app, email);
    expect(mails.length).toBeLessThanOrEqual(12);
    // The last moment at which it is refused.
    app.clock.advance(HOUR - 1);
    expect((await ask(email, OWNER)).status).toBe(429);
    const [link] = linksIn(mails.at(-1)!);
    expect(link).toMatchObject({ page, email });
    expect(isIn(await enter(email, link!.code, OWNER))).toEqual(IN);
    app.clock.advance(1);
    expect((await ask(email, OWNER)).status).toBeLessThan(300);
  });

  test('codes lie side by side by network: a stranger’s request leaves the owner’s code and tries', async () => {
    const email = await prepare();
    const { body } = await ask(email, OWNER);
    const own = await codeFor(app, email);
    app.clock.advance(1_000);
    await ask(email, stranger(1));
    const strangers = await codeFor(app, email);
    expect(strangers).not.toBe(own);
    const token = { request_token: body.request_token };
    for (let n = 0; n < 5; n += 1) await enter(email, wrongOf(own), OWNER);
    // Somebody in the owner's network has used up its tries: those of the owner's browser are left.
    expect((await enter(email, own, OWNER)).body.code).toBe('INVALID_CODE');
    expect((await enter(email, wrongOf(own), OWNER, token)).body.code).toBe('INVALID_CODE');
    expect(isIn(await enter(email, own, OWNER, token))).toEqual(IN);
    // A browser that has used up its own tries has the link left.
    const again = await prepare();
    const last = { request_token: (await ask(again, OWNER)).body.request_token };
    const code = await codeFor(app, again);
    for (let n = 0; n < 5; n += 1) await enter(again, wrongOf(code), OWNER, last);
    expect((await enter(again, code, OWNER, last)).body.code).toBe('INVALID_CODE');
    expect(isIn(await enter(again, await linkCodeFor(app, again), OWNER))).toEqual(IN);
  });

  test('a link opens for its address alone, for two hours, and only as it was sent', async () => {
    const email = await prepare();
    await ask(email, OWNER);
    const link = await linkCodeFor(app, email);
    const other = await prepare();
    const id = '01890a5d-ac96-774b-bcce-b302099a8057';
    const made = [
      link.slice(0, -1) + (link.endsWith('A') ? 'B' : 'A'),
      'A'.repeat(64),
      linkCode('guess', id),
    ];
    for (const code of [...made, linkCode(SETTINGS.keySecret, id)]) {
      expect((await enter(email, code, OWNER)).body.code).toBe('INVALID_CODE');
    }
    expect((await enter(other, link, OWNER)).body.code).toBe('INVALID_CODE');
    expect((await enter(email, link.slice(1), OWNER)).body.code).toBe('VALIDATION_FAILED');
    app.clock.advance(name === 'invitation' ? 24 * HOUR : 120 * MINUTE);
    expect((await enter(email, link, OWNER)).body.code).toBe('INVALID_CODE');
  });
});

test('mails of registrations sign in who has a user: twelve of them are no wall, and both kinds are twelve together', async () => {
  const { ask, enter } = PURPOSES['sign-in']!;
  const email = await PURPOSES['sign-in']!.prepare();
  for (let n = 0; n < 12; n += 1) await register.ask(email, stranger(Math.floor(n / 3)));
  expect((await ask(email, OWNER)).status).toBe(429);
  const mails = await mailsTo(app, email);
  const links = linksIn(mails.at(-1)!);
  // Nobody has proven the address: it may also register.
  expect(links.map(({ page }) => page)).toEqual([register.page, PURPOSES['sign-in']!.page]);
  expect(isIn(await enter(email, links[1]!.code, OWNER))).toEqual(IN);
  app.clock.advance(HOUR);
  for (let n = 0; n < 12; n += 1) await ask(email, stranger(Math.floor(n / 3)));
  const sent = (await mailsTo(app, email)).length;
  // The address gets no thirteenth, and the answer is that of every address.
  expect((await register.ask(email, OWNER)).status).toBe(201);
  expect(await mailsTo(app, email)).toHaveLength(sent);
  app.clock.advance(HOUR - 1);
  expect(isIn(await enter(email, await linkCodeFor(app, email), OWNER))).toEqual(IN);
  // A link that signs in does not register.
  app.clock.advance(HOUR);
  await ask(email, OWNER);
  expect((await register.enter(email, await linkCodeFor(app, email), OWNER)).body.code).toBe('INVALID_CODE');
});

test('a mail of before the invitation accepts it, and strangers’ requests leave the invitation', async () => {
  const email = address();
  for (let n = 0; n < 12; n += 1) await register.ask(email, stranger(Math.floor(n / 3)));
  const before = await linkCodeFor(app, email);
  await studio.admin.got(studio.admin.post('/register/invite', { email }));
  const { body } = await register.enter(email, before, OWNER);
  expect(body.type).toBe('invite');
  const done = await app.anyone.post('/register/complete', { verification_token: body.verification_token });
  expect(done).toMatchObject({ status: 201, body: { account_id: studio.accountId } });
});

test('where only invited people register, requests to register that are not mailed leave sign-ins alone', async () => {
  const own = await startApp({ registration: 'invited', trustedProxies: ['127.0.0.1'] });
  const { accountId } = await makeStudio(own);
  const email = address();
  await makeUser(own.superadmin, accountId, { email });
  const by = (n: number) => own.anyone.with({ 'x-forwarded-for': `203.0.${n}.7` });
  for (let n = 0; n < 12; n += 1) await by(Math.floor(n / 3)).post('/register/initiate', { email });
  expect(await mailsTo(own, email)).toEqual([]);
  await by(9).post('/register/sign-in/code', { email });
  const code = await codeFor(own, email);
  expect((await by(9).post('/register/sign-in', { email, code })).status).toBe(201);
  await own.close();
});

test('without an address of the console the mails have the code of the link itself', async () => {
  const bare = await startApp({ publicUiUrl: undefined, consoleUrl: undefined });
  const email = address();
  await bare.anyone.post('/register/initiate', { email });
  const [mail] = await mailsTo(bare, email);
  const code = /^[\w-]{64}$/m.exec(mail!.raw)![0];
  expect((await bare.anyone.post('/register/verify', { email, code })).status).toBe(200);
  await bare.close();
});
