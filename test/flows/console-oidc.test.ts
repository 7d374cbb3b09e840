import type { Browser } from 'playwright-core';
import { objections, SHOTS, THEMES } from '../faces/looks.js';
import { type Door, openDoor } from '../fixtures/door.js';
import { CLIENT, type Issuer, openIssuer } from '../fixtures/issuer.js';
import { startApp, type TestApp } from '../support/app.js';
import { launchBrowser, watchedPage } from '../support/browser.js';
import { consoleWindow, keyOf } from '../support/console.js';
import { mailsTo, plainText } from '../support/mail.js';
import { makeGame, makeStudio, type Studio, unique } from '../support/make.js';

// Chromium, the console at a host name, and a real issuer that asks who it is.

let app: TestApp;
let issuer: Issuer;
let studio: Studio;
let browser: Browser;
let door: Door;
let url: string;

beforeAll(async () => {
  door = await openDoor(() => app.url);
  ({ url } = door);
  issuer = await openIssuer(`${url}/console/signed-in`, { withForm: true });
  app = await startApp({
    ...{ consoleUrl: url, oidcAllowHttp: true, oidcAllowNetworks: ['127.0.0.0/8', '::1'] },
    ...{ oidcIssuer: issuer.url, oidcClientId: CLIENT.id, oidcClientSecret: CLIENT.secret, oidcName: 'Corp' },
  });
  studio = await makeStudio(app);
  browser = await launchBrowser(['localhost']);
});
afterAll(async () => {
  await browser.close();
  door.close();
  await app.close();
  await issuer.close();
});

test('a superadmin sets it up; a person signs in at the issuer, and is in the list of sign-ins', async () => {
  const admin = await watchedPage(browser, url);
  const key = JSON.stringify(keyOf(app.superadmin));
  await admin.page.addInitScript(`sessionStorage.setItem('console:key', ${key})`);
  const account = JSON.stringify(studio.accountId);
  await admin.page.addInitScript(`sessionStorage.setItem('console:account', ${account})`);
  await admin.page.goto(`${url}/console/people`);
  await admin.page.getByRole('button', { name: "Use the installation's issuer" }).click();
  await admin.page.getByRole('button', { name: 'Change', exact: true }).click();
  const dialog = admin.page.getByRole('dialog');
  await dialog.getByLabel('Domains').fill('corp.example.com');
  await dialog.getByLabel('Roles of groups').fill('mods = moderator');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await admin.page.getByText('mods: moderator').waitFor();
  expect(admin.complaints).toEqual([]);

  const email = { email: 'kim@corp.example.com', email_verified: true };
  issuer.people.set('kim', { ...email, name: 'Kim Corp', groups: ['mods'] });
  const { page, complaints } = await watchedPage(browser, url);
  await page.goto(`${url}/console`);
  await page.getByRole('button', { name: 'Sign in with Corp' }).click();
  await page.getByLabel('Person').fill('kim');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: /Kim Corp/ }).waitFor();
  expect(new URL(page.url()).search).toBe('');
  await page.goto(`${url}/console/security`);
  const sessions = page.getByRole('table', { name: 'Where you are signed in' });
  await sessions.getByRole('cell', { name: 'single sign-on', exact: true }).waitFor();
  const links = page.getByRole('table', { name: 'Single sign-on' });
  await links.getByText(issuer.url).waitFor();
  expect(complaints).toEqual([]);

  // The way back works once: a copied address begins nothing.
  await page.goto(`${url}/console/signed-in?code=x&state=y`);
  await page.getByText('This sign-in did not begin in this tab').waitFor();
});

test('an invitation’s link is accepted with single sign-on', async () => {
  const email = `invited${unique()}@example.com`;
  await studio.admin.post('/register/invite', { email, role: 'developer' });
  const [mail] = await mailsTo(app, email);
  const link = /^http:\/\/localhost:\d+\/register#\S+$/m.exec(plainText(mail!))![0];
  issuer.people.set('lee', { email: 'lee@corp.example.org', email_verified: true, name: 'Lee Invited' });
  const { page, complaints } = await watchedPage(browser, url);
  await page.goto(link);
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await page.getByRole('button', { name: 'Join with single sign-on' }).click();
  await page.getByLabel('Person').fill('lee');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: /Lee Invited/ }).waitFor();
  expect(complaints).toEqual([]);
});

test.each([390, 1280])('forms of single sign-on, people, keys and games, %i pixels wide', async (width) => {
  const own = await makeStudio(app);
  const game = await makeGame(own, { name: 'Sky Race' });
  await app.superadmin.post('/v1/identity-providers', { account_id: own.accountId, kind: 'own' });
  const size = { width, height: 900 };
  const { page, complaints } = await consoleWindow(browser, app.url, own.admin, '/people', size);
  const looked = async (name: string, within: string) => {
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme });
      // Other colours can only break contrast.
      const found = await objections(page, theme === THEMES[0] ? undefined : 'color-contrast', within);
      expect([name, theme, found]).toEqual([name, theme, []]);
      if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}-${width}-${theme}.png`, fullPage: true });
    }
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  };
  const dialog = page.getByRole('dialog');
  const card = page.locator('.card', { hasText: 'Domains' });
  await card.getByRole('button', { name: 'Change', exact: true }).click();
  await dialog.getByLabel('Roles of groups').fill('mods = boss');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Name a group and viewer').waitFor();
  await looked('provider', 'dialog');
  await dialog.getByLabel('Roles of groups').fill('mods = moderator');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await card.getByText('mods: moderator').waitFor();
  await page.getByRole('button', { name: 'New key' }).click();
  await dialog.getByLabel('Access').selectOption('some');
  await dialog.getByLabel('submit and read test scores').check();
  await looked('key', 'dialog');
  await dialog.getByLabel('Name').fill('Build server');
  await dialog.getByRole('button', { name: 'New key' }).click();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('row', { name: /Build server.*submit and read test scores/ }).waitFor();
  await page.getByRole('button', { name: 'Invite user' }).click();
  await dialog.getByLabel('Games').selectOption('some');
  await looked('invite', 'dialog');
  await page.goto(`${app.url}/console/games/${game.slug}/settings`);
  await page.getByLabel('Environment').selectOption('STAGING');
  await looked('game', 'main');
  expect(complaints).toEqual([]);
});
