import type { Browser, CDPSession, Page } from 'playwright-core';
import { type Door, openDoor } from '../fixtures/door.js';
import { startApp, type TestApp } from '../support/app.js';
import { launchBrowser, watchedPage } from '../support/browser.js';
import { keyOf, signInWith } from '../support/console.js';
import type { Data } from '../support/http.js';
import { codeFor, mailsTo, plainText } from '../support/mail.js';
import { makeGame, makeKey, makeStudio, makeUser, type Studio } from '../support/make.js';
import { until } from '../support/wait.js';

// Chromium with its virtual authenticator, at a host name: browsers make no passkeys for addresses.

const SHOTS = process.env.SHOTS;

let app: TestApp;
let studio: Studio;
let browser: Browser;
let door: Door;
let url: string;

beforeAll(async () => {
  door = await openDoor(() => app.url);
  ({ url } = door);
  app = await startApp({ consoleUrl: url });
  studio = await makeStudio(app);
  browser = await launchBrowser(['localhost']);
});
afterAll(async () => {
  await browser.close();
  door.close();
  await app.close();
});

async function withAuthenticator(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  });
  return session;
}

test('a person adds a passkey, signs in with it alone, and removes it', async () => {
  const user = await makeUser(app.superadmin, studio.accountId, { displayName: 'Passkey Person' });
  const { key } = await makeKey(app.superadmin, studio.accountId, user.id);
  const { page, complaints, foreign } = await watchedPage(browser, url);
  await withAuthenticator(page);
  await page.goto(`${url}/console`);
  await signInWith(page, key);
  await page.getByRole('button', { name: /Passkey Person/ }).click();
  await page.getByRole('menuitem', { name: 'Your sign-ins' }).click();
  await page.getByText('A passkey signs you in').waitFor();
  await page.getByRole('button', { name: 'Add passkey' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Test laptop');
  await dialog.getByRole('button', { name: 'Add passkey' }).click();
  await page.getByText('Passkey Test laptop added').waitFor();
  await page.getByRole('cell', { name: 'Test laptop', exact: true }).waitFor();

  // A second one of the same device is refused by the browser, and said.
  await page.getByRole('button', { name: 'Add passkey' }).click();
  await dialog.getByLabel('Name').fill('Again');
  await dialog.getByRole('button', { name: 'Add passkey' }).click();
  await page.getByText('This device already has a passkey of yours.').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();

  await page.getByRole('button', { name: /Passkey Person/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByRole('button', { name: /Passkey Person/ }).waitFor();
  await page.goto(`${url}/console/security`);
  const sessions = page.getByRole('table', { name: 'Where you are signed in' });
  await sessions.getByRole('cell', { name: 'passkey', exact: true }).waitFor();
  await sessions.getByText('this one').waitFor();

  await page.getByRole('button', { name: 'Actions for Test laptop' }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await page.getByText('Passkey Test laptop removed').waitFor();
  const signedIn = await page.evaluate("sessionStorage.getItem('console:key')");
  await page.getByRole('button', { name: /Passkey Person/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByText('This passkey could not be verified').waitFor();
  const left = app.anyone.with({ 'service-api-key': String(signedIn) });
  expect((await left.get('/v1/me')).status).toBe(401);
  expect(foreign).toEqual([]);
  // The refused key of the session that was left is what the browser notes.
  expect(complaints.filter((text) => !/401|400/.test(text))).toEqual([]);
});

test('an administrator resets the passkeys of a colleague, who is signed out', async () => {
  const user = await makeUser(app.superadmin, studio.accountId, { displayName: 'Lost Device' });
  const { key } = await makeKey(app.superadmin, studio.accountId, user.id);
  const colleague = await watchedPage(browser, url);
  await withAuthenticator(colleague.page);
  await colleague.page.goto(`${url}/console`);
  await signInWith(colleague.page, key);
  await colleague.page.getByRole('button', { name: /Lost Device/ }).waitFor();
  await colleague.page.goto(`${url}/console/security`);
  await colleague.page.getByRole('button', { name: 'Add passkey' }).click();
  await colleague.page.getByRole('dialog').getByLabel('Name').fill('Phone');
  await colleague.page.getByRole('dialog').getByRole('button', { name: 'Add passkey' }).click();
  await colleague.page.getByRole('cell', { name: 'Phone', exact: true }).waitFor();

  const { page } = await watchedPage(browser, url);
  await page.addInitScript(`sessionStorage.setItem('console:key', ${JSON.stringify(keyOf(studio.admin))})`);
  await page.goto(`${url}/console/people`);
  await page.getByRole('button', { name: 'Actions for Lost Device' }).click();
  await page.getByRole('menuitem', { name: 'Reset passkeys' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Reset passkeys' }).click();
  await page.getByText('Passkeys of Lost Device reset').waitFor();
  await colleague.page.goto(`${url}/console/security`);
  await colleague.page.getByText('A passkey signs you in').waitFor();
});

test('an account requires passkeys: a mailed code adds the first one only, which then opens the console', async () => {
  const own = await makeStudio(app);
  const email = `demanded.${Date.now()}@example.com`;
  await makeUser(app.superadmin, own.accountId, { displayName: 'Demanded', email, role: 'MODERATOR' });
  const admin = await watchedPage(browser, url);
  await admin.page.addInitScript(
    `sessionStorage.setItem('console:key', ${JSON.stringify(keyOf(own.admin))})`,
  );
  await admin.page.goto(`${url}/console/people`);
  const demand = admin.page.getByLabel('Require a passkey of moderators');
  // The owner and the moderator.
  await admin.page.getByText('2 users have neither a passkey nor single sign-on.').waitFor();
  await demand.click();
  const asked = admin.page.getByRole('dialog');
  expect(await asked.getByLabel('Hours to add it').inputValue()).toBe('24');
  await asked.getByLabel('Hours to add it').fill('48');
  await asked.getByRole('button', { name: 'Require passkeys' }).click();
  await admin.page.getByText('Passkeys are required now').waitFor();
  await admin.page.getByRole('button', { name: 'Undo' }).click();
  await admin.page.getByText('Passkeys are optional now').waitFor();
  // The page reads the account again.
  await until(async () => !(await demand.isChecked()));
  await demand.click();
  await asked.getByRole('button', { name: 'Require passkeys' }).click();
  await admin.page.getByText('Passkeys are required now').waitFor();
  await admin.page.getByText('48 hours to add the first one').waitFor();

  const { page } = await watchedPage(browser, url);
  await withAuthenticator(page);
  const signIn = async () => {
    app.clock.advance(61_000);
    await app.anyone.post('/register/sign-in/code', { email });
    return app.anyone.post('/register/sign-in', { email, code: await codeFor(app, email) });
  };
  const { body } = await signIn();
  await page.goto(`${url}/console`);
  await signInWith(page, body.key);
  await page.getByText('Your account requires a passkey. Add yours').waitFor();
  expect(await page.getByRole('navigation').count()).toBe(0);
  await page.getByRole('button', { name: 'Add passkey' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Mine');
  await page.getByRole('dialog').getByRole('button', { name: 'Add passkey' }).click();
  await page.getByRole('cell', { name: 'Mine', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByRole('link', { name: 'Moderation' }).waitFor();
  expect((await signIn()).body.code).toBe('PASSKEY_REQUIRED');
  await admin.page.goto(`${url}/console/people`);
  await admin.page.getByText('1 user has neither').waitFor();
  const users = admin.page.getByRole('table', { name: 'Users' });
  await users.getByRole('row', { name: /Demanded.*moderator.*yes/ }).waitFor();
});

test('the mail and the page of an invitation say who invites to what, and no key is needed', async () => {
  const own = await makeStudio(app);
  const game = await makeGame(own, { name: 'Neon Racer' });
  const email = `guest.${Date.now()}@example.com`;
  const owner = (await own.admin.data('{ me { user { displayName } account { name } } }')).me;
  const invited = { email, display_name: 'Guest', role: 'moderator', game_ids: [game.id] };
  await own.admin.got(own.admin.post('/register/invite', invited));
  const [mail] = await mailsTo(app, email);
  const words = plainText(mail!).replace(/\s+/g, ' ');
  expect(words).toContain(
    `${owner.user.displayName} invites you to join "${owner.account.name}" in Neon Racer, as a moderator`,
  );
  const { page, complaints } = await watchedPage(browser, url);
  await withAuthenticator(page);
  await page.goto(/^http:\/\/localhost:\d+\/register#\S+$/m.exec(plainText(mail!))![0]);
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await page.getByText(`${owner.user.displayName} invites you to join ${owner.account.name}.`).waitFor();
  await page.getByText('Neon Racer').waitFor();
  // No account has an issuer.
  expect(await page.getByRole('button', { name: /single sign-on/ }).count()).toBe(0);
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/invitation.png` });
  await page.getByRole('button', { name: `Join ${owner.account.name}` }).click();
  await page.getByText(`You joined ${owner.account.name}, and you're signed in.`).waitFor();
  expect(await page.getByText('svc_').count()).toBe(0);
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/joined.png` });
  await page.getByRole('button', { name: 'Add passkey' }).click();
  await page.getByRole('button', { name: 'Add passkey' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Phone');
  await page.getByRole('dialog').getByRole('button', { name: 'Add passkey' }).click();
  await page.getByText('Passkey Phone added').waitFor();
  const sessions = page.getByRole('table', { name: 'Where you are signed in' });
  await sessions.getByRole('cell', { name: 'email code', exact: true }).waitFor();
  const { users } = await own.admin.data(
    'query ($id: ID!) { users(accountId: $id, first: 10) { nodes { email hasPasskey lastSignInAt } } }',
    { id: own.accountId },
  );
  expect(users.nodes.find((user: Data) => user.email === email)).toEqual({
    ...{ email, hasPasskey: true, lastSignInAt: new Date(app.clock.now()).toISOString() },
  });
  const [, welcome] = await mailsTo(app, email);
  expect(plainText(welcome!)).not.toContain('API key');
  expect(complaints).toEqual([]);
});
